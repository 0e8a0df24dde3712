"""Facts of ``JoinQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation
from table_api.operations.changelog import ALL_KINDS, ModifyKindSet
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import FULL, UPSERT, Columns, Decision, Demand, InputFacts, Key, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.streaming import expires, milliseconds
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.frozen_dataclass import replace


def _changes(node: JoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if node.join_type in (JoinType.INNER, JoinType.SEMI):
        return inputs[0] | inputs[1]
    return ALL_KINDS


def _demands(node: JoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if not demand.is_only_after or node.join_type is not JoinType.INNER:
        # Joins other than INNER emit no UPDATE_BEFORE rows: they retract with deletions.
        yield Decision((FULL, FULL), node)
        return
    from table_api.plan.facts.key_columns import equal_columns  # only keys need it

    columns, has_more = equal_columns(node.condition)
    # UPDATE_AFTER replaces the row with its upsert key only if both are stored under the same join key: the upsert key contains the join key.
    passes = [
        not side.has_updates or (not has_more and any(key >= side_columns for key in side.upsert_keys))
        for side, side_columns in zip(inputs, columns, strict=True)
    ]
    if all(passes):
        yield Decision((UPSERT, UPSERT), node)


def keys_of_join(node: JoinQueryOperation, inputs: Sequence[Keys]) -> Keys:
    """Returns the keys of the pairs of a join."""
    left, right = inputs
    kind = node.join_type
    if kind in (JoinType.SEMI, JoinType.ANTI):
        return left
    width = len(node.left.resolved_schema.columns)
    from table_api.plan.facts.key_columns import equal_columns  # only keys need it

    (left_columns, right_columns), _ = equal_columns(node.condition)
    shifted = frozenset(frozenset(column + width for column in key) for key in right)
    result: set[Key] = set()
    # If each row has at most one match, the keys of its side remain, unless the join adds unmatched rows of the other side.
    if kind in (JoinType.INNER, JoinType.LEFT_OUTER) and any(key <= right_columns for key in right):
        result |= left
    if kind in (JoinType.INNER, JoinType.RIGHT_OUTER) and any(key <= left_columns for key in left):
        result |= shifted
    for one, other in product(left, shifted):
        if (
            kind is not JoinType.FULL_OUTER
            or _has_not_null(node.left, one)
            or _has_not_null(node.right, {column - width for column in other})
        ):
            result.add(one | other)
    return frozenset(result)


def _has_not_null(node: QueryOperation, key: Iterable[int]) -> bool:
    types = node.resolved_schema.column_types
    return any(not types[column].nullable for column in key)


def needs_of_join(node: JoinQueryOperation, needed: Columns) -> list[Columns]:
    """Returns the columns that a join uses of both sides."""
    width = len(node.left.resolved_schema.columns)
    condition = [node.condition] if node.condition is not None else []
    of_side = frozenset(i for i in needed if i < width), frozenset(i - width for i in needed if i >= width)
    return [columns | used_columns(condition, side) for side, columns in enumerate(of_side)]


def rebuilt_join(node: JoinQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    """Returns the join over pruned sides."""
    (left, left_moved), (right, right_moved) = children
    width, new_width = len(node.left.resolved_schema.columns), len(left.resolved_schema.columns)

    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        return replace(reference, field_index=children[reference.input_index][1][reference.field_index])

    condition = map_references(node.condition, change) if node.condition is not None else None
    positions = dict(left_moved)
    if node.join_type not in (JoinType.SEMI, JoinType.ANTI):
        positions |= {width + old: new_width + new for old, new in right_moved.items()}
    return replace(node, left=left, right=right, condition=condition), positions


def _retentions(node: JoinQueryOperation, default: int) -> tuple[int, ...]:
    return tuple(milliseconds(ttl, default) for ttl in node.state_ttl)


def _growing_state(node: JoinQueryOperation, state_expires: bool) -> str | None:
    inputs = [side for side, ttl in zip(("left", "right"), node.state_ttl, strict=True) if not expires(ttl, state_expires)]
    rows = "both inputs" if len(inputs) == 2 else f"its {''.join(inputs)} input"
    return f"all rows of {rows} as long as the job runs." if inputs else None


_ONE_BY_ONE = (
    frozenset({JoinType.INNER, JoinType.LEFT_OUTER, JoinType.SEMI, JoinType.ANTI}),
    frozenset({JoinType.INNER, JoinType.RIGHT_OUTER}),
)
"""The joins that treat each row of the left, of the right input alone, given all rows of the other."""


def _keeps_state(node: JoinQueryOperation, unbounded: frozenset[int]) -> str | None:
    if len(unbounded) > 1:
        return "both its inputs are unbounded"
    (side,) = unbounded
    if node.join_type in _ONE_BY_ONE[side]:
        return None
    return "it waits for the last row of an unbounded input to know which rows of the other have no match"


def _settled(node: object, form: JoinQueryOperation, inputs: object) -> QueryOperation:
    from table_api.plan.facts.time_attributes import has_time_attributes  # only streaming needs it

    return replace(form, kept_times=()) if has_time_attributes(form) else form


def time_loser_of_join(node: JoinQueryOperation) -> str | None:
    """Returns what takes the time attributes from the columns of a join."""
    return None if node.kept_times else "a join without bounds on the times of both sides"


register(
    JoinQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=_demands,
        keys=keys_of_join,
        needs=needs_of_join,
        rebuilt=rebuilt_join,
        retentions=_retentions,
        keeps_state=_keeps_state,
        growing_state=_growing_state,
        settled=_settled,
        time_loser=time_loser_of_join,
    ),
)
