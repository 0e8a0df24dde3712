"""Facts of ``SetQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from table_api.operations import QueryOperation, SetOperationType, SetQueryOperation
from table_api.operations.changelog import ALL_KINDS, INSERTS, ModifyKindSet
from table_api.plan.facts.columns import all_columns, narrowed, restore
from table_api.plan.facts.key_columns import is_same_type
from table_api.plan.facts.record import FULL, NO_KEYS, Columns, Decision, Demand, Follow, InputFacts, Keys, NodeFacts, Pruned, register
from table_common.catalog import ResolvedSchema
from table_common.frozen_dataclass import replace
from table_common.types import LogicalType, is_time_attribute, plain_timestamp


def _changes(node: SetQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    given = frozenset().union(*inputs)
    if node.kind is SetOperationType.MINUS or given != INSERTS:
        return given if node.is_union_all else ALL_KINDS
    return INSERTS


def _demands(node: SetQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((demand if node.is_union_all else FULL,) * len(node.inputs), node)


def _keys(node: SetQueryOperation, inputs: Sequence[Keys]) -> Keys:
    every = NO_KEYS if node.all else frozenset({frozenset(range(len(node.resolved_schema.columns)))})
    match node.kind:
        case SetOperationType.UNION:
            return every
        case SetOperationType.INTERSECT:
            return every.union(*(_of_same_type(node, child, keys) for child, keys in zip(node.inputs, inputs, strict=True)))
        case SetOperationType.MINUS:
            return every | _of_same_type(node, node.inputs[0], inputs[0])


def _of_same_type(node: SetQueryOperation, child: QueryOperation, keys: Keys) -> Keys:
    """Returns the keys of an input whose columns are not cast, because a cast may make different values equal."""
    types = child.resolved_schema.column_types
    return frozenset(key for key in keys if all(is_same_type(types[column], node.types[column]) for column in key))


def _needs(node: SetQueryOperation, needed: Columns) -> list[Columns]:
    columns = needed if node.is_union_all else all_columns(node)
    return [columns] * len(node.inputs)


def _rebuilt(node: SetQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    columns = needed if node.is_union_all else all_columns(node)
    kept = sorted(columns)
    sides = []
    for pruned, old in zip(children, node.inputs, strict=True):
        schema = ResolvedSchema(tuple(old.resolved_schema.columns[i] for i in kept))
        sides.append(restore((pruned[0], {new: pruned[1][i] for new, i in enumerate(kept)}), schema))
    return replace(node, inputs=tuple(sides), types=tuple(node.types[i] for i in kept)), narrowed(columns)


def _keeps_state(node: SetQueryOperation, unbounded: frozenset[int]) -> str | None:
    if not node.is_union_all:
        return "it compares rows"
    return None if len(unbounded) == len(node.inputs) else "one of its inputs is bounded, the rows of which are to be added once"


def _growing_state(node: SetQueryOperation, state_expires: bool) -> str | None:
    if state_expires or node.is_union_all:
        return None
    return "each distinct row of its inputs as long as the job runs."


def _settled(node: QueryOperation, form: SetQueryOperation, inputs: object) -> QueryOperation:
    return node if form.is_union_all else _with_types(form, map(plain_timestamp, form.types))


def _retyped(node: SetQueryOperation, follow: Follow) -> QueryOperation:
    columns = [child.resolved_schema.columns for child in node.inputs]
    lost = [any(not is_time_attribute(one[position].data_type) for one in columns) for position in range(len(node.types))]
    return _with_types(node, (plain_timestamp(type_) if is_lost else type_ for type_, is_lost in zip(node.types, lost, strict=True)))


def _with_types(node: SetQueryOperation, types: Iterable[LogicalType]) -> SetQueryOperation:
    new = tuple(types)
    return replace(node, types=new) if new != node.types else node


def _time_loser(node: SetQueryOperation) -> str:
    return f"{node.kind.value.upper()}{' ALL' * node.all}"


register(
    SetQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=_demands,
        keys=_keys,
        needs=_needs,
        rebuilt=_rebuilt,
        forwards_watermarks=True,
        keeps_state=_keeps_state,
        growing_state=_growing_state,
        settled=_settled,
        retyped=_retyped,
        time_loser=_time_loser,
    ),
)
