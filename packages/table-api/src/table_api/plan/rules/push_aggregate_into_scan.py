"""Pushes aggregates into sources: each task of the source gives partial aggregates, which are merged above the scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    ProjectQueryOperation,
    PushedAbility,
    QueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan import calls as made
from table_api.plan.context import RuleContext
from table_api.resolution.casting import cast_to
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.connector.source.abilities import SupportsAggregatePushDown
from table_common.expressions import (
    AggregateExpression,
    FieldReferenceExpression,
    ResolvedExpression,
)
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import BUILT_INS_BY_NAME, arithmetic, conditional
from table_common.tree import transform_up
from table_common.types import EXACT_INTEGERS, BigIntType, DoubleType, FloatType, LogicalType

_MERGED_BY = {"COUNT": "SUM0", "SUM": "SUM", "MIN": "MIN", "MAX": "MAX"}
"""The function that merges the partial values of several tasks."""


@dataclass(frozen=True, slots=True)
class PushedAggregates(PushedAbility):
    """The aggregates that the source computes in place of its rows, per group of the columns that ``grouping`` names."""

    grouping: tuple[str, ...]
    aggregates: tuple[AggregateExpression, ...]
    place: ClassVar[int] = 30
    chooses_rows: ClassVar[bool] = True
    changes_columns: ClassVar[bool] = True
    reduces_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.grouping:
            yield "groupBy", list(self.grouping)
        yield "aggregates", [str(aggregate) for aggregate in self.aggregates]


def push_aggregate_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Offers COUNT, SUM, MIN, MAX and AVG over the columns of a scan to its source.

    Only a projection to columns may stand in between: a filter that the source did not accept must see single rows. AVG is computed as SUM
    and COUNT, except of decimals: the engine's result has digits that their quotient does not have.
    """
    return transform_up(root, QueryOperation, _pushed, of=AggregateQueryOperation)


@dataclass
class _Locals:
    """The distinct aggregates requested from the source; their columns follow ``width`` grouping columns."""

    width: int
    calls: list[AggregateExpression]

    def column(self, name: str, call: AggregateCall, args: tuple[FieldReferenceExpression, ...], type_: LogicalType) -> int:
        """Returns the position of an aggregate of the source that ``call`` needs."""
        wanted = AggregateExpression(BUILT_INS_BY_NAME[name], args, type_, False, call.filter)
        if wanted not in self.calls:
            self.calls.append(wanted)
        return self.width + self.calls.index(wanted)


def _pushed(node: AggregateQueryOperation) -> QueryOperation:
    scan, positions = _scan_below(node)
    if node.grouping_sets is not None or scan is None or scan.source is None:
        return node
    if not isinstance(scan.source, SupportsAggregatePushDown):
        return node
    if scan.change_column is not None or scan.pushed.reduces_rows or not all(map(_is_local, node.aggregates)):
        return node
    columns = scan.resolved_schema.columns

    def moved(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        position = positions[reference.field_index]
        return FieldReferenceExpression(columns[position].name, reference.output_type, 0, position)

    grouping = tuple(map(moved, node.grouping))
    locals_ = _Locals(len(grouping), [])
    merges: list[tuple[AggregateCall, tuple[int, ...]]] = []
    for call in node.aggregates:
        over = replace(call, args=tuple(map(moved, call.args)), filter=moved(call.filter) if call.filter is not None else None)
        merges.append((over, _partial_aggregates(over, locals_)))
    schema = _schema(grouping, locals_.calls)
    source = scan.source.copy()
    assert isinstance(source, SupportsAggregatePushDown)
    if not source.apply_aggregates([[reference.field_index for reference in grouping]], locals_.calls, schema.to_row_type()):
        return node
    pushed = PushedAggregates(tuple(reference.name for reference in grouping), tuple(locals_.calls))
    return _merged(node, merges, scan.with_pushed(source, pushed, schema), locals_.calls)


def _scan_below(node: AggregateQueryOperation) -> tuple[SourceQueryOperation | None, Sequence[int]]:
    """Returns the scan, and for each column of the aggregate's input its position in what the source produces."""
    child = node.child
    positions: Sequence[int] = range(len(child.resolved_schema.columns))
    while isinstance(child, ProjectQueryOperation | WatermarkQueryOperation):  # aggregated rows have no event time
        if isinstance(child, ProjectQueryOperation):
            columns = [child.projection[position] for position in positions]
            positions = [column.field_index for column in columns if isinstance(column, FieldReferenceExpression)]
            if len(positions) < len(columns):
                return None, ()
        child = child.child
    return (child, positions) if isinstance(child, SourceQueryOperation) else (None, ())


def _is_local(call: AggregateCall) -> bool:
    name = call.function.name
    if call.distinct or call.order_by or call.constant_args or call.function is not BUILT_INS_BY_NAME.get(name):
        return False
    if name == "AVG":
        return isinstance(call.args[0].output_type, (*EXACT_INTEGERS, FloatType, DoubleType))
    return name in _MERGED_BY and len(call.args) <= 1


def _partial_aggregates(call: AggregateCall, locals_: _Locals) -> tuple[int, ...]:
    """Returns the positions of the partial aggregates that replace a call."""
    name, nullable = call.function.name, call.output_type.with_nullability(True)
    if name == "AVG":
        exact = isinstance(call.args[0].output_type, EXACT_INTEGERS)
        total = locals_.column("SUM", call, call.args, BigIntType() if exact else DoubleType())
        return total, locals_.column("COUNT", call, call.args, BigIntType(nullable=False))
    return (locals_.column(name, call, call.args, call.output_type if name == "COUNT" else nullable),)


def _schema(grouping: Sequence[FieldReferenceExpression], calls: Sequence[AggregateExpression]) -> ResolvedSchema:
    columns = [PhysicalColumn(reference.name, reference.output_type) for reference in grouping]
    taken = {column.name for column in columns}
    for number, call in enumerate(calls):
        name = f"agg_{number}"
        while name in taken:
            name += "_"
        taken.add(name)
        columns.append(PhysicalColumn(name, call.output_type))
    return ResolvedSchema(tuple(columns))


def _merged(
    node: AggregateQueryOperation,
    merges: Sequence[tuple[AggregateCall, tuple[int, ...]]],
    scan: SourceQueryOperation,
    asked: Sequence[AggregateExpression],
) -> QueryOperation:
    """Returns the aggregate that merges the partial values of the source's tasks, with a projection above it for averages."""
    produced = scan.resolved_schema.columns
    width = len(node.grouping)
    calls: list[AggregateCall] = []
    names: list[str] = list(node.names[:width])
    results: list[ResolvedExpression] = [
        FieldReferenceExpression(name, key.output_type, 0, i) for i, (name, key) in enumerate(zip(node.names, node.grouping, strict=False))
    ]
    for name, (call, positions) in zip(node.names[width:], merges, strict=True):
        parts = []
        for number, position in enumerate(positions):
            kind = asked[position - width].function.name
            type_ = call.output_type if len(positions) == 1 else produced[position].data_type
            part = f"{name}_{number}" if len(positions) > 1 else name
            parts.append(FieldReferenceExpression(part, type_, 0, width + len(calls)))
            calls.append(AggregateCall(BUILT_INS_BY_NAME[_MERGED_BY[kind]], (made.reference(scan, position),), type_))
            names.append(part)
        results.append(parts[0] if len(parts) == 1 else _average(parts[0], parts[1], call.output_type))
    merged = AggregateQueryOperation(made.references_of(scan)[:width], tuple(calls), tuple(names), scan)
    if tuple(names) == node.names:
        return merged
    return ProjectQueryOperation(tuple(results), node.names, merged)


def _average(total: ResolvedExpression, count: ResolvedExpression, type_: LogicalType) -> ResolvedExpression:
    """Returns the sum divided by the count, NULL where nothing was counted."""
    return cast_to(made.call(arithmetic.DIVIDE, total, made.call(conditional.NULLIF, count, made.number(0))), type_)
