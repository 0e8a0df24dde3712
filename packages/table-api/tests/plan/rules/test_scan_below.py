"""What reaches the source of a table with a WATERMARK through it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from table_api.delegation import Planner
from table_api.operations import ContextResolvedTable, FilterQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.scan_below import scan_below
from table_api.plan.streaming_programs import STREAMING
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
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME, temporal
from table_common.types import BooleanType, IntType, LogicalType, TimestampType, VarCharType

TIME = TimestampType(3)


def column(name: str, type_: LogicalType, position: int = 0) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, type_, 0, position)


def rows(parsed: ResolvedExpression | None = None) -> QueryOperation:
    computed = parsed or CallExpression(temporal.TO_TIMESTAMP, (column("s", VarCharType()),), TIME)
    columns = (PhysicalColumn("id", IntType()), PhysicalColumn("s", VarCharType()), ComputedColumn("ts", TIME, expression=computed))
    schema = ResolvedSchema(columns, (WatermarkSpec("ts", column("ts", TIME)),))
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "none"}, ())
    table = ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, schema))
    return rows_of_table(SourceQueryOperation(table), has_event_time=True)


def is_null(reference: FieldReferenceExpression) -> ResolvedExpression:
    return CallExpression(BUILT_INS_BY_NAME["IS_NULL"], (reference,), BooleanType(nullable=False))


def test_a_condition_on_event_time_is_over_what_it_is_computed_of() -> None:
    below = scan_below(rows())
    assert below is not None
    assert str(below.over_scan(is_null(column("ts", TIME, 2)))) == "(TO_TIMESTAMP(s) IS NULL)"


def test_a_condition_on_a_column_that_changes_is_not_one_on_the_scan() -> None:
    below = scan_below(rows(CallExpression(BUILT_INS_BY_NAME["CURRENT_ROW_TIMESTAMP"], (), TIME)))
    assert below is not None
    assert below.over_scan(is_null(column("ts", TIME, 2))) is None


def test_the_watermark_stays_above_another_scan() -> None:
    operation = rows()
    below = scan_below(operation)
    assert below is not None
    assert below.with_scan(below.scan) == operation


def test_nothing_is_found_below_anything_else() -> None:
    assert scan_below(FilterQueryOperation(is_null(column("id", IntType())), rows())) is None


@pytest.mark.parametrize("rule", [rule for rule in STREAMING.rules() if "scan" in rule.__name__], ids=lambda rule: rule.__name__)
def test_a_scan_without_a_source_is_given_nothing(rule: Any, session: Any) -> None:
    operation = FilterQueryOperation(is_null(column("id", IntType())), rows())
    rewritten = rule(operation, RuleContext(session, cast("Planner", None)))
    assert plan_text(rewritten) == plan_text(operation)
