"""What is translated into no more than Spark's own function: these were dearer once."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("expression", "planned"),
    [
        ("TRIM(s)", "trim(s"),
        ("LTRIM(s)", "ltrim(s"),
        ("TRIM(BOTH 'x' FROM s)", "trim(s"),
        ("EXTRACT(YEAR FROM d)", "cast(year(d"),
        ("MONTH(d)", "cast(month(d"),
    ],
)
def test_a_function_is_planned_as_spark_writes_it(env: Any, expression: str, planned: str) -> None:
    env.create_temporary_view("t", env.sql_query("SELECT * FROM (VALUES (' a ', DATE '2020-01-01'), ('b', DATE '2021-01-01')) AS t(s, d)"))
    plan = env.to_data_frame(env.sql_query(f"SELECT {expression} AS x, s FROM t"))._jdf.queryExecution().analyzed().toString()
    assert planned in plan.split(" AS ")[0] or f"[{planned}" in plan, plan


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("TRIM('  a b ')", "a b"),
        ("TRIM(LEADING FROM '  a ')", "a "),
        ("RTRIM(' a\t ')", " a\t"),
        ("TRIM(BOTH 'xy' FROM 'xyaxy')", "a"),
        ("EXTRACT(WEEK FROM DATE '2021-01-03')", 53),
        ("EXTRACT(HOUR FROM DATE '2021-01-03')", 0),
        ("YEAR(DATE '0099-12-31')", 99),
    ],
)
def test_it_gives_what_flink_gives(run: Any, expression: str, expected: object) -> None:
    assert run.value(expression) == expected
