"""Facts of ``ProcessTableFunctionQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import ProcessTableFunctionQueryOperation, QueryOperation
from table_api.operations.changelog import INSERTS, DeleteKind, ModifyKind, ModifyKindSet, UpdateKind, modify_kinds_of
from table_api.plan.facts.record import FULL, NO_KEYS, Decision, Demand, Follow, InputFacts, Keys, NodeFacts, register
from table_api.plan.facts.streaming import always, never_expires
from table_common.annotation import override
from table_common.connector import RowKind
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.functions import ArgumentTrait, ChangelogContext
from table_common.tree import map_children_of

_ROWS_OF = {
    ModifyKind.INSERT: (RowKind.INSERT,),
    ModifyKind.UPDATE: (RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER),
    ModifyKind.DELETE: (RowKind.DELETE,),
}


class _Context(ChangelogContext):
    def __init__(self, node: ProcessTableFunctionQueryOperation, inputs: Sequence[ModifyKindSet], required: frozenset[RowKind]) -> None:
        self._node = node
        self._inputs = inputs
        self._required = required

    @override
    def table_kinds(self, argument: str) -> frozenset[RowKind]:
        names = [one.name for one in self._node.arguments]
        if argument not in names:
            raise ValidationException.unknown(
                "Table", argument, [name for name in names if name is not None], where=self._node.function.name
            )
        return frozenset(kind for change in self._inputs[names.index(argument)] for kind in _ROWS_OF[change])

    @property
    @override
    def required_kinds(self) -> frozenset[RowKind]:
        return self._required


_ALL = frozenset(RowKind)
_UPSERTS = _ALL - {RowKind.UPDATE_BEFORE}


def _kinds(node: ProcessTableFunctionQueryOperation, inputs: Sequence[ModifyKindSet], required: frozenset[RowKind]) -> frozenset[RowKind]:
    """Returns the kinds of rows that the function says it emits."""
    return node.emitted_kinds(_Context(node, inputs, required))


def _changes(node: ProcessTableFunctionQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    for number, (child, given) in enumerate(zip(node.tables, inputs, strict=True)):
        parameter = node.parameter_of(number)
        if parameter is not None and given - INSERTS:
            from table_api.plan.facts.change_origin import origin_of_updates  # only an error needs it

            if ArgumentTrait.SUPPORT_UPDATES not in parameter.traits:
                raise ValidationException(
                    f"The table '{parameter.name}' of {node.function.name} must be insert-only, but it updates or deletes rows:"
                    f" {origin_of_updates(child)}.",
                    hint="ArgumentTrait.SUPPORT_UPDATES declares a function of changes; TO_CHANGELOG makes rows of changes",
                )
            if node.arguments[number].order_by:
                raise ValidationException(
                    f"The table '{parameter.name}' of {node.function.name} has ORDER BY, but it updates or deletes rows: {origin_of_updates(child)}.",
                    hint="leave ORDER BY out: changes come in the order in which they happen",
                )
    return modify_kinds_of(_kinds(node, inputs, _ALL))


def _demands(node: ProcessTableFunctionQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    required = _UPSERTS if demand.is_only_after else _ALL
    kinds = _kinds(node, [one.kinds for one in inputs], required)
    if RowKind.UPDATE_AFTER in kinds and RowKind.UPDATE_BEFORE not in kinds and not demand.is_only_after:
        return  # the reader must know the rows that are replaced
    yield Decision(tuple(_demand_of(node, number, one) for number, one in enumerate(inputs)), node)
    if any(_demand_of(node, number, one) != FULL for number, one in enumerate(inputs)):
        yield Decision((FULL,) * len(inputs), node)


def _demand_of(node: ProcessTableFunctionQueryOperation, number: int, facts: InputFacts) -> Demand:
    """Returns what the function demands of a table: the rows of a key suffice if the key is that of the partition."""
    parameter, keys = node.parameter_of(number), frozenset(key.field_index for key in node.arguments[number].partition_by)
    if parameter is None or not keys or keys not in facts.upsert_keys:
        return FULL
    return Demand(
        UpdateKind.BEFORE_AND_AFTER if ArgumentTrait.REQUIRE_UPDATE_BEFORE in parameter.traits else UpdateKind.ONLY_UPDATE_AFTER,
        DeleteKind.FULL_DELETE if ArgumentTrait.REQUIRE_FULL_DELETE in parameter.traits else DeleteKind.DELETE_BY_KEY,
    )


def _keys(node: ProcessTableFunctionQueryOperation, inputs: Sequence[Keys]) -> Keys:
    width = len(node.arguments[0].partition_by)
    if not width or len(node.columns_through(0)) != width:
        return NO_KEYS
    kinds = _kinds(node, [frozenset(ModifyKind)] * len(inputs), _UPSERTS)
    return frozenset({frozenset(range(width))}) if RowKind.UPDATE_AFTER in kinds and RowKind.UPDATE_BEFORE not in kinds else NO_KEYS


def _retyped(node: ProcessTableFunctionQueryOperation, follow: Follow) -> QueryOperation:
    changed: QueryOperation = map_children_of(node, ResolvedExpression, lambda expression: map_references(expression, follow))
    return changed


def _needed_time(node: ProcessTableFunctionQueryOperation, column: FieldReferenceExpression) -> str | None:
    argument = node.arguments[column.input_index]
    if argument.time == column:
        return f"on_time of {node.function.name}"
    if argument.order_by and argument.order_by[0].expression == column:
        return f"ORDER BY of {node.function.name}"
    return None


register(
    ProcessTableFunctionQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=_demands,
        keys=_keys,
        reads_watermarks=always,
        retentions=never_expires,
        retyped=_retyped,
        needed_time=_needed_time,
    ),
)
