"""Which watermarks and computed columns sources are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, cast

import pytest

from table_api.delegation import Planner
from table_api.operations import ContextResolvedTable, ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.resolution.computed_columns import rows_of_table
from table_common.catalog import (
    CatalogTable,
    ComputedColumn,
    ObjectIdentifier,
    PhysicalColumn,
    ResolvedCatalogTable,
    ResolvedSchema,
    Schema,
    WatermarkSpec,
)
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.connector.source import ComputedColumnConverter, WatermarkAssignerProvider
from table_common.connector.source.abilities import (
    SupportsComputedColumnPushDown,
    SupportsProjectionPushDown,
    SupportsSourceWatermark,
    SupportsWatermarkPushDown,
)
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import temporal
from table_common.types import IntType, RowType, TimestampType, VarCharType

TIME = TimestampType(3)


class PlainSource(ScanTableSource):
    """Is read, and that is all."""

    def copy(self) -> Self:
        return type(self)()

    def as_summary_string(self) -> str:
        return type(self).__name__

    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


class Watermarks(PlainSource, SupportsWatermarkPushDown):
    def apply_watermark(self, watermark_assigner: WatermarkAssignerProvider) -> None:
        pass


class WatermarksAndColumns(Watermarks, SupportsComputedColumnPushDown):
    def apply_computed_column(self, converter: ComputedColumnConverter) -> None:
        pass


class WatermarksAndChosenColumns(WatermarksAndColumns, SupportsProjectionPushDown):
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        pass


class OwnWatermarks(PlainSource, SupportsSourceWatermark):
    def apply_source_watermark(self) -> None:
        pass


class Able:
    """Stands for a planner; remembers what it was asked for."""

    def __init__(self, *, is_able: bool = True) -> None:
        self.is_able = is_able
        self.asked: list[str] = []

    @property
    def expressions(self) -> Able:
        return self

    def watermark_assigner(self, input_type: RowType, expression: ResolvedExpression) -> Any:
        self.asked.append(f"{expression} of {', '.join(input_type.field_names)}")
        return object() if self.is_able else None

    def computed_column_converter(self, input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType) -> Any:
        self.asked.append(f"{', '.join(map(str, expressions))} after {', '.join(input_type.field_names)}")
        return object()


def column(name: str, type_: Any) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, type_, 0, 0)


def table(source: ScanTableSource, watermark: ResolvedExpression, rowtime: str = "ts") -> QueryOperation:
    parsed = CallExpression(temporal.TO_TIMESTAMP, (column("s", VarCharType()),), TIME)
    columns = (
        ComputedColumn("ts", TIME, expression=parsed),
        PhysicalColumn("id", IntType()),
        PhysicalColumn("s", VarCharType()),
        PhysicalColumn("w", TIME),
    )
    schema = ResolvedSchema(columns, (WatermarkSpec(rowtime, watermark),))
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "none"}, ())
    found = ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, schema))
    return rows_of_table(SourceQueryOperation(found, source=source), has_event_time=True)


def context_of(session: Any, planner: Able | None = None) -> RuleContext:
    return RuleContext(session, cast("Planner", planner or Able()))


def pushed(operation: QueryOperation, session: Any, planner: Able) -> str:
    context = context_of(session, planner)
    operation = push_watermark_into_scan(push_source_watermark_into_scan(operation, context), context)
    return plan_text(merge_projects(operation, context))


def test_a_column_that_the_watermark_needs_is_the_sources(session: Any) -> None:
    planner = Able()
    assert pushed(table(WatermarksAndColumns(), column("ts", TIME)), session, planner) == (
        "Project(select=[ts, id, s, w])\n"
        "+- TableScan(table=[c.d.t], source=[WatermarksAndColumns], fields=[id, s, w, ts], computed=[ts], watermark=[ts])"
    )
    assert planner.asked == ["ts of id, s, w, ts", "TO_TIMESTAMP(s) after id, s, w"]


def test_a_source_without_one_of_both_abilities_gets_nothing(session: Any) -> None:
    for source in (Watermarks(), PlainSource()):
        operation = table(source, column("ts", TIME))
        assert push_watermark_into_scan(operation, context_of(session)) is operation


def test_a_column_that_the_watermark_does_not_need_stays_above(session: Any) -> None:
    text = pushed(table(WatermarksAndColumns(), column("w", TIME), "w"), session, Able())
    assert "TO_TIMESTAMP(s) AS ts" in text
    assert "fields=[id, s, w], watermark=[w]" in text


def test_positions_are_those_of_the_columns_produced(session: Any) -> None:
    planner = Able()
    rows = table(WatermarksAndChosenColumns(), column("ts", TIME))
    place = rows.resolved_schema.column_names.index("s")
    used = ProjectQueryOperation((FieldReferenceExpression("s", VarCharType(), 0, place),), ("s",), rows)
    pruned = merge_projects(prune_columns(used, context_of(session)), context_of(session))
    text = pushed(push_projection_into_scan(pruned, context_of(session)), session, planner)
    assert text == (
        "Project(select=[s])\n+- TableScan(table=[c.d.t], source=[WatermarksAndChosenColumns], fields=[s, ts], computed=[ts], watermark=[ts])"
    )
    assert planner.asked == ["ts of s, ts", "TO_TIMESTAMP(s) after s"]


def test_what_the_engine_cannot_compute_in_a_source_is_not_pushed(session: Any) -> None:
    operation = table(WatermarksAndColumns(), column("ts", TIME))
    assert push_watermark_into_scan(operation, context_of(session, Able(is_able=False))) is operation


def test_watermarks_of_the_source_need_a_source_that_has_them(session: Any) -> None:
    own = CallExpression(temporal.SOURCE_WATERMARK, (), TIME)
    assert "watermark=[SOURCE_WATERMARK()]" in pushed(table(OwnWatermarks(), own), session, Able())
    with pytest.raises(ValidationException, match="does not generate watermarks"):
        pushed(table(WatermarksAndColumns(), own), session, Able())
