"""Functions of dates and times as Spark SQL."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import temporal as fn
from table_common.types import BigIntType, DateType, LogicalType, TimestampType, VarCharType
from table_planner_spark.expressions.functions.temporal import FUNCTIONS


def translated(function: FunctionDefinition, types: list[LogicalType], output_type: LogicalType, *texts: str) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, output_type), texts)


@pytest.mark.parametrize(("expression", "planned"), [("EXTRACT(YEAR FROM d)", "cast(year(d"), ("MONTH(d)", "cast(month(d")])
def test_a_field_of_a_date_is_planned_as_the_function_of_spark(env: Any, expression: str, planned: str) -> None:
    env.create_temporary_view("t", env.sql_query("SELECT * FROM (VALUES (DATE '2020-01-01'), (DATE '2021-01-01')) AS t(d)"))
    plan = env.to_data_frame(env.sql_query(f"SELECT {expression} AS x, d FROM t"))._jdf.queryExecution().analyzed().toString()
    assert planned in plan.split(" AS ")[0] or f"[{planned}" in plan, plan


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("EXTRACT(WEEK FROM DATE '2021-01-03')", 53),
        ("EXTRACT(HOUR FROM DATE '2021-01-03')", 0),
        ("YEAR(DATE '0099-12-31')", 99),
    ],
)
def test_a_field_of_a_date_is_a_number(run: Any, expression: str, expected: object) -> None:
    assert run.value(expression) == expected


@pytest.mark.parametrize(("text", "expected"), [("'2020-02-03'", datetime.date(2020, 2, 3)), ("'no date'", None)])
def test_a_text_that_is_no_date_is_null(value_of: Callable[[str], Any], text: str, expected: datetime.date | None) -> None:
    assert value_of(translated(fn.TO_DATE, [VarCharType()], DateType(), text)) == expected


def test_there_is_no_watermark_in_batch() -> None:
    assert translated(fn.CURRENT_WATERMARK, [TimestampType(3)], TimestampType(3), "ts") == "CAST(NULL AS TIMESTAMP_NTZ)"


def test_from_unixtime_has_its_own_format() -> None:
    assert translated(fn.FROM_UNIXTIME, [BigIntType()], VarCharType(), "a") == "from_unixtime(a, 'yyyy-MM-dd HH:mm:ss')"
