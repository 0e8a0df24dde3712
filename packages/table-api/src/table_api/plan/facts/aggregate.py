"""Facts of ``AggregateQueryOperation``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations import AggregateCall, AggregateQueryOperation, QueryOperation
from table_api.operations.changelog import INSERTS, ModifyKind, ModifyKindSet
from table_api.plan.facts.columns import mover, used_columns
from table_api.plan.facts.record import NO_KEYS, Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import needs_all, updates
from table_api.plan.facts.streaming import expires, own_retention
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.frozen_dataclass import replace
from table_common.functions import Monotonicity


def _changes(node: AggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        check_retract(node)
    # A group is deleted when its last row is retracted; a total without GROUP BY keeps its row.
    if node.is_one_group and not node.skips_no_input:
        if node.child.is_known_empty:
            return INSERTS
        return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
    return updates(node, inputs)


def check_retract(node: AggregateQueryOperation) -> None:
    """Checks that user aggregates over updates support retraction."""
    from table_api.plan.facts.change_origin import origin_of_updates  # only an error needs it
    from table_common.functions import UserFunction, implements  # few plans retract rows

    for call in node.aggregates:
        function = call.function
        if isinstance(function, UserFunction) and function.func_type == "general" and not implements(function.function, "retract"):
            raise ValidationException(
                f"The function {function.name} has no method retract, but its input updates or deletes rows: {origin_of_updates(node.child)}.",
                hint="define retract(self, accumulator, ...) with the parameters of accumulate; or aggregate an insert-only input, "
                "such as the result of TO_CHANGELOG",
            )


def keys_of_groups(node: AggregateQueryOperation, inputs: Sequence[Keys]) -> Keys:
    """Returns the keys of one row per group."""
    width = len(node.grouping)
    if node.grouping_sets is not None:
        if len(set(map(frozenset, node.grouping_sets))) < len(node.grouping_sets):
            return NO_KEYS  # a grouping set that is listed twice emits its rows twice
        # The last column, the id of the grouping set, distinguishes a column outside the set from a NULL value.
        return frozenset({frozenset((*range(width), len(node.resolved_schema.columns) - 1))})
    positions: dict[int, list[int]] = {}
    for position, reference in enumerate(node.grouping):
        positions.setdefault(reference.field_index, []).append(position)
    from table_api.plan.facts.key_columns import moved_keys  # only keys need it

    return frozenset({frozenset(range(width)), *moved_keys(inputs[0], positions)})


def _monotonicity(
    node: AggregateQueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]
) -> Sequence[Monotonicity]:
    keys = [Monotonicity.CONSTANT] * len(node.grouping)
    is_growing = kinds[0] <= {ModifyKind.INSERT}
    calls = [call.function.aggregate_traits.monotonicity if is_growing else Monotonicity.NOT_MONOTONIC for call in node.aggregates]
    extra = [Monotonicity.CONSTANT] * (node.grouping_sets is not None)
    return (*keys, *calls, *extra)


def _needs(node: AggregateQueryOperation, needed: Columns) -> list[Columns]:
    calls = [call for i, call in enumerate(node.aggregates, len(node.grouping)) if i in needed]
    return [used_columns([*node.grouping, *(e for call in calls for e in _call_inputs(call))])]


def _rebuilt(node: AggregateQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    width = len(node.grouping)

    reference = mover(moved)
    kept = [i for i in range(len(node.aggregates)) if width + i in needed]
    calls = tuple(_move_call(node.aggregates[i], reference) for i in kept)
    names = (*node.names[:width], *(node.names[width + i] for i in kept))
    new = replace(node, grouping=tuple(map(reference, node.grouping)), aggregates=calls, names=names, child=child)
    positions = {i: i for i in range(width)} | {width + old: width + position for position, old in enumerate(kept)}
    if node.grouping_sets is not None:
        positions[width + len(node.aggregates)] = width + len(kept)
    return new, positions


def _call_inputs(call: AggregateCall) -> list[ResolvedExpression]:
    return [*call.args, *([call.filter] if call.filter is not None else []), *(order.expression for order in call.order_by)]


def _move_call(call: AggregateCall, reference: Callable[[FieldReferenceExpression], FieldReferenceExpression]) -> AggregateCall:
    return replace(
        call,
        args=tuple(map(reference, call.args)),
        filter=reference(call.filter) if call.filter is not None else None,
        order_by=tuple(replace(order, expression=map_references(order.expression, reference)) for order in call.order_by),
    )


def _growing_state(node: AggregateQueryOperation, state_expires: bool) -> str | None:
    if not node.grouping or expires(node.state_ttl, state_expires):
        return None
    return f"a row for each group ({', '.join(key.name for key in node.grouping)}) as long as the job runs."


def _settled(node: AggregateQueryOperation, form: AggregateQueryOperation, inputs: object) -> QueryOperation:
    return with_grouping(node, form, frozenset())


def with_grouping(node: QueryOperation, form: AggregateQueryOperation, kept: frozenset[int]) -> QueryOperation:
    """Returns the node with plain timestamps as keys, but for the columns ``kept`` of its input; ``form`` is the node as an aggregate."""
    from table_api.plan.facts.time_attributes import plain_reference  # only streaming needs it

    grouping = tuple(key if key.field_index in kept else plain_reference(key) for key in form.grouping)
    if grouping == form.grouping:
        return node
    if isinstance(node, AggregateQueryOperation):
        return replace(node, grouping=grouping)
    return AggregateQueryOperation(grouping, (), form.names, form.child)


register(
    AggregateQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=needs_all,
        keys=keys_of_groups,
        monotonicity=_monotonicity,
        needs=_needs,
        rebuilt=_rebuilt,
        retentions=own_retention,
        growing_state=_growing_state,
        settled=_settled,
        time_loser="GROUP BY",
    ),
)
