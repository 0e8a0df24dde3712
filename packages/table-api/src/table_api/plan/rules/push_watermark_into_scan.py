"""Gives sources the WATERMARK of their table, and with it the computed columns that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, PushedAbility, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_aggregate_into_scan import PushedAggregates
from table_api.plan.rules.push_nested_projection_into_scan import PushedProjection
from table_api.resolution.casting import cast_to
from table_common.annotation import override
from table_common.catalog import Column, ComputedColumn, PhysicalColumn, ResolvedSchema, WatermarkSpec
from table_common.configuration import PipelineOptions, ReadableConfig
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssignerProvider
from table_common.connector.source.abilities import SupportsComputedColumnPushDown, SupportsSourceWatermark, SupportsWatermarkPushDown
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, field_references, map_references
from table_common.factories import FactoryUtil
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import temporal
from table_common.tree import preorder, transform_down, transform_up
from table_common.types import RowType

__all__ = ["PushedWatermark", "columns_for_watermark", "push_watermark_into_scan"]


@dataclass(frozen=True, slots=True)
class PushedWatermark(PushedAbility):
    """The text of the watermark that the source makes, or takes from its system, and the columns that it adds because of it."""

    text: str
    computed_columns: tuple[str, ...] = ()
    place: ClassVar[int] = 60

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.computed_columns:
            yield "computed", list(self.computed_columns)
        yield "watermark", [self.text]


def push_watermark_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Tells each source that can make watermarks what its table's WATERMARK says.

    A computed column is pushed only if the watermark needs it and the source can add columns; it then replaces the expression in what is
    directly above the scan. If the source cannot, nothing is pushed, and the column is computed above the scan. Rows are the same either
    way: no operator of a bounded run waits for a watermark yet.

    Raises:
        ValidationException: the table uses SOURCE_WATERMARK(), but its source has no watermarks.
    """
    if context.planner is None:
        return root
    # Projections that hide the columns which a scan has now, and the expressions that these columns stand for.
    narrowed: dict[int, tuple[QueryOperation, Mapping[ResolvedExpression, ResolvedExpression]]] = {}

    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, SourceQueryOperation):
            scan, columns = _told(node, context)
            return remember(_first_columns(scan, len(node.resolved_schema.columns)), columns) if columns else scan
        child = node.child if isinstance(node, FilterQueryOperation | ProjectQueryOperation) else None
        if not isinstance(child, ProjectQueryOperation) or id(child) not in narrowed:
            return node
        known = narrowed[id(child)][1]
        if isinstance(node, ProjectQueryOperation):
            return replace(node, projection=tuple(_using(known, expression) for expression in node.projection), child=child.child)
        assert isinstance(node, FilterQueryOperation)
        return remember(replace(child, child=FilterQueryOperation(_using(known, node.condition), child.child)), known)

    def remember(node: QueryOperation, columns: Mapping[ResolvedExpression, ResolvedExpression]) -> QueryOperation:
        narrowed[id(node)] = (node, columns)
        return node

    return transform_up(root, QueryOperation, change)


def columns_for_watermark(scan: SourceQueryOperation, context: RuleContext) -> set[int]:
    """Returns the positions of the readable columns that the source must produce for a watermark that it will be given."""
    spec = _pushable(scan, context)
    if spec is None or _is_of_source(spec):
        return set()
    columns = {column.name: column for column in scan.table.table.resolved_schema.columns}
    positions = {name: position for position, name in enumerate(scan.resolved_schema.column_names)}
    needed: set[int] = set()
    for name in _names(spec):
        column = columns[name]
        if isinstance(column, ComputedColumn):
            assert column.expression is not None
            needed.update(positions[reference.name] for reference in field_references(column.expression))
        else:
            needed.add(positions[name])
    return needed


def _pushable(scan: SourceQueryOperation, context: RuleContext) -> WatermarkSpec | None:
    """Returns the watermark that the source of a scan can take; None if there is none or it cannot."""
    schema = scan.table.table.resolved_schema
    source = scan.source
    if context.planner is None or not context.makes_watermarks or not schema.watermark_specs or source is None:
        return None
    projection = scan.pushed.get(PushedProjection)
    produces_rows_of_table = (projection is None or not projection.nested) and not scan.pushed.has(PushedAggregates)
    if scan.pushed.has(PushedWatermark) or not produces_rows_of_table or scan.change_column is not None:
        return None
    declared = {column.name: column.data_type for column in scan.metadata_columns}
    if any(declared.get(column.name, column.data_type) != column.data_type for column in scan.resolved_schema.columns):
        return None  # casts above the scan make the columns of which the watermark is computed
    (spec,) = schema.watermark_specs
    if _is_of_source(spec):
        if not isinstance(source, SupportsSourceWatermark):
            raise ValidationException(
                f"Table {scan.table.identifier} takes its watermark from SOURCE_WATERMARK(), but its connector "
                f"({source.as_summary_string()}) has no watermarks of its own.",
                hint=f"WATERMARK FOR {spec.rowtime_attribute} AS {spec.rowtime_attribute} - INTERVAL '5' SECOND",
            )
        return spec
    if not isinstance(source, SupportsWatermarkPushDown):
        return None
    is_computed = any(column.name in _names(spec) and isinstance(column, ComputedColumn) for column in schema.columns)
    return spec if not is_computed or isinstance(source, SupportsComputedColumnPushDown) else None


def _is_of_source(spec: WatermarkSpec) -> bool:
    nodes = preorder(spec.expression, ResolvedExpression)
    return any(isinstance(node, CallExpression) and node.function is temporal.SOURCE_WATERMARK for node in nodes)


def _names(spec: WatermarkSpec) -> set[str]:
    """Returns the columns that the watermark needs: those it is computed of."""
    return {reference.name for reference in field_references(spec.expression)}


def _told(scan: SourceQueryOperation, context: RuleContext) -> tuple[SourceQueryOperation, dict[ResolvedExpression, ResolvedExpression]]:
    """Returns the scan with its watermark, and what the columns that its source adds stand for."""
    spec = _pushable(scan, context)
    if spec is None:
        return scan, {}
    assert scan.source is not None
    assert context.planner is not None
    source = scan.source.copy()
    if _is_of_source(spec):
        assert isinstance(source, SupportsSourceWatermark)
        source.apply_source_watermark()
        return scan.with_pushed(source, PushedWatermark(str(spec.expression))), {}
    produced = list(scan.resolved_schema.columns)
    input_type = scan.resolved_schema.to_row_type()
    places = {name: place for place, name in enumerate(scan.resolved_schema.column_names)}
    added: dict[ResolvedExpression, ResolvedExpression] = {}
    names = []
    for column in scan.table.table.resolved_schema.columns:
        if isinstance(column, ComputedColumn) and column.name in _names(spec):
            expression = _value(column, places)
            reference = FieldReferenceExpression(column.name, expression.output_type, 0, len(produced))
            added[expression] = reference
            produced.append(PhysicalColumn(column.name, expression.output_type))
            names.append(column.name)
    places |= {name: len(input_type.fields) + number for number, name in enumerate(names)}
    produced_type = RowType.of([(column.name, column.data_type) for column in produced], nullable=False)
    assigner = context.planner.expressions.watermark_assigner(produced_type, _placed(spec.expression, places))
    if assigner is None:
        return scan, {}
    if names:
        converter = context.planner.expressions.computed_column_converter(input_type, tuple(added), produced_type)
        if converter is None:
            return scan, {}
        assert isinstance(source, SupportsComputedColumnPushDown)
        source.apply_computed_column(converter)
    assert isinstance(source, SupportsWatermarkPushDown)
    options = ReadableConfig({**scan.table.table.options, **scan.options})
    provider: WatermarkAssignerProvider = PeriodicAssignerProvider(
        assigner, context.session.configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL)
    )
    if options.get(FactoryUtil.WATERMARK_EMIT_STRATEGY) == "on-event":
        provider = PunctuatedAssignerProvider(assigner)
    source.apply_watermark(provider)
    schema = ResolvedSchema(tuple(produced)) if names else None
    return scan.with_pushed(source, PushedWatermark(str(spec.expression), tuple(names)), schema), added


def _value(column: Column, places: Mapping[str, int]) -> ResolvedExpression:
    assert isinstance(column, ComputedColumn)
    assert column.expression is not None
    return cast_to(_placed(column.expression, places), column.data_type)


def _placed(expression: ResolvedExpression, places: Mapping[str, int]) -> ResolvedExpression:
    return map_references(expression, lambda node: FieldReferenceExpression(node.name, node.output_type, 0, places[node.name]))


def _first_columns(scan: SourceQueryOperation, count: int) -> ProjectQueryOperation:
    columns = scan.resolved_schema.columns[:count]
    references = tuple(FieldReferenceExpression(column.name, column.data_type, 0, place) for place, column in enumerate(columns))
    return ProjectQueryOperation(references, tuple(column.name for column in columns), scan)


def _using(columns: Mapping[ResolvedExpression, ResolvedExpression], expression: ResolvedExpression) -> ResolvedExpression:
    """Returns the expression with what the source computes taken from its columns."""
    return transform_down(
        expression, ResolvedExpression, lambda node: columns.get(node, node) if isinstance(node, CallExpression) else node
    )
