"""Kernels in Python over digits below microseconds: Arrow's own conversion to Python needs pandas for them, or cuts those of TIME."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import EnvironmentSettings, NanosecondDatetime, NanosecondTime, TableEnvironment

MOMENT = NanosecondDatetime(2020, 1, 1, microsecond=123456, nanosecond=789)
TIME = NanosecondTime(microsecond=123456, nanosecond=789)
ROWS = """(VALUES (TIMESTAMP '2020-01-01 00:00:00.123456789', TIME '00:00:00.123456789'),
    (TIMESTAMP '2020-01-01 00:00:00.123456788', TIME '00:00:00.123456788')) AS t(ts, tm)"""


def first(expression: str, rows: str = f"{ROWS} WHERE tm = TIME '00:00:00.123456789'") -> Any:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as env:
        (row,) = env.execute_sql(f"SELECT {expression} FROM {rows}").collect()
        return row[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ARRAY_SORT(ARRAY[ts, TIMESTAMP '2020-01-01 00:00:00.1'])[2]", MOMENT),
        ("ARRAY_SORT(ARRAY[tm, TIME '00:00:00.1'])[2]", TIME),
        ("ARRAY_DISTINCT(ARRAY[tm, tm])", [TIME]),
        ("ARRAY_CONTAINS(ARRAY[tm], TIME '00:00:00.123456788')", False),
        ("MAP_KEYS(MAP[tm, 1])", [TIME]),
        ("MAP['a', ts, 'a', ts]", {"a": MOMENT}),
        ("MAP['a', tm]['a']", TIME),
        ("ARRAY[tm] = ARRAY[TIME '00:00:00.123456788']", False),
        ("JSON_STRING(ts)", '"2020-01-01T00:00:00.123456789"'),
        ("JSON_STRING(ARRAY[ts])", '["2020-01-01T00:00:00.123456789"]'),
        ("JSON_OBJECT('a' VALUE CAST(ts AS TIMESTAMP_LTZ(9)))", '{"a":"2020-01-01T00:00:00.123456789Z"}'),
        ("PRINTF('%s', ts)", "2020-01-01 00:00:00.123456789"),
    ],
)
def test_functions_keep_nanoseconds(expression: str, value: Any) -> None:
    assert first(expression) == value


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [
        ("COLLECT(tm)", {TIME: 1, TIME.replace(nanosecond=788): 1}),
        ("COLLECT(ts)", {MOMENT: 1, MOMENT.replace(nanosecond=788): 1}),
        ("ARRAY_AGG(tm ORDER BY tm DESC)", [TIME, TIME.replace(nanosecond=788)]),
        ("JSON_ARRAYAGG(ts)", '["2020-01-01T00:00:00.123456789","2020-01-01T00:00:00.123456788"]'),
        ("COUNT(DISTINCT ARRAY[tm])", 2),
    ],
)
def test_aggregates_keep_nanoseconds(aggregate: str, value: Any) -> None:
    assert first(aggregate, ROWS) == value


def test_rows_are_ordered_and_grouped_by_nanoseconds_inside_of_them() -> None:
    assert first("COUNT(*)", f"(SELECT ARRAY[tm] AS a FROM {ROWS} GROUP BY ARRAY[tm] ORDER BY a) AS x") == 2
