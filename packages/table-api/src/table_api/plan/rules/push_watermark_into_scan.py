"""Pushes the watermark of a table into its source, with the computed columns that the watermark needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from table_api.operations import (
    ProjectQueryOperation,
    PushedAbility,
    QueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.scan_below import scan_below
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.configuration import PipelineOptions
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssigner, WatermarkAssignerProvider
from table_common.connector.source.abilities import SupportsComputedColumnPushDown, SupportsWatermarkPushDown
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references, references
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import transform_up


@dataclass(frozen=True, slots=True)
class PushedWatermark(PushedAbility):
    """The watermark that the source emits, as text, and the computed columns that the source adds for it."""

    text: str
    computed_columns: tuple[str, ...] = ()
    place: ClassVar[int] = 60

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.computed_columns:
            yield "computed", list(self.computed_columns)
        yield "watermark", [self.text]


def push_watermark_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Pushes watermarks into the sources that support it.

    A computed column is pushed only if the watermark needs it and the source can add columns. If the source cannot, the watermark stays
    where it is. Rows are the same either way: plans that run on rows wait for no watermark.
    """
    return transform_up(root, QueryOperation, lambda node: _pushed(node, context), of=WatermarkQueryOperation)


def _pushed(node: WatermarkQueryOperation, context: RuleContext) -> QueryOperation:
    below = scan_below(node)
    if context.planner is None or below is None or below.scan.source is None or below.scan.change_column is not None:
        return node
    scan, source, services = below.scan, below.scan.source, context.planner.expressions
    if not isinstance(source, SupportsWatermarkPushDown):
        return node
    columns = _Columns(scan, below.project)
    needed = columns.of_source(node.expression)
    if needed is None or (columns.added and not isinstance(source, SupportsComputedColumnPushDown)):
        return node
    produced = columns.produced()
    assigner = services.watermark_assigner(produced.to_row_type(), needed)
    if assigner is None:
        return node
    source = below.scan.source.copy()
    if columns.added:
        input_type = scan.resolved_schema.to_row_type()
        converter = services.computed_column_converter(input_type, tuple(columns.added.values()), produced.to_row_type())
        if converter is None:
            return node
        assert isinstance(source, SupportsComputedColumnPushDown)
        source.apply_computed_column(converter)
    assert isinstance(source, SupportsWatermarkPushDown)
    source.apply_watermark(_provider(scan, assigner, context))
    pushed = PushedWatermark(str(node.expression), tuple(columns.added))
    return columns.above(scan.with_pushed(source, pushed, produced if columns.added else None))


class _Columns:
    """The columns of a scan and the columns computed from them; ``added`` are those that the source computes, by name."""

    def __init__(self, scan: SourceQueryOperation, project: ProjectQueryOperation | None) -> None:
        self._schema = scan.resolved_schema
        self._project = project
        self._references: dict[int, FieldReferenceExpression] = {}
        self.added: dict[str, ResolvedExpression] = {}

    def of_source(self, expression: ResolvedExpression) -> ResolvedExpression | None:
        """Returns an expression over the computed columns as one over the source's columns; adds the computed columns it uses to ``added``.

        None if a column that would be added has the name of another one.
        """
        if self._project is None:
            return expression
        for position in sorted({position for _, position in references([expression])}):
            column, name = self._project.projection[position], self._project.names[position]
            if isinstance(column, FieldReferenceExpression):
                self._references[position] = column
                continue
            if name in self._schema.column_names:
                return None
            place = len(self._schema.columns) + len(self.added)
            self._references[position] = FieldReferenceExpression(name, column.output_type, 0, place)
            self.added[name] = column
        return map_references(expression, lambda reference: self._references[reference.field_index])

    def produced(self) -> ResolvedSchema:
        """Returns the columns of the source, followed by the added columns."""
        added = (PhysicalColumn(name, expression.output_type) for name, expression in self.added.items())
        return ResolvedSchema((*self._schema.columns, *added))

    def above(self, scan: SourceQueryOperation) -> QueryOperation:
        """Returns a projection to the original columns over the scan with the added columns."""
        if self._project is None:
            return scan
        projection = tuple(self._references.get(position, column) for position, column in enumerate(self._project.projection))
        return replace(self._project, projection=projection, child=scan)


def _provider(scan: SourceQueryOperation, assigner: WatermarkAssigner, context: RuleContext) -> WatermarkAssignerProvider:
    if scan.watermark_params.is_on_event:
        return PunctuatedAssignerProvider(assigner)
    return PeriodicAssignerProvider(assigner, context.session.configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL))
