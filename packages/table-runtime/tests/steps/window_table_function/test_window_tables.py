"""Rows in windows of time."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.window_table_function import HopWindows, TumbleWindows, operator
from table_runtime.steps.window_table_function.operator import TimeColumn, WindowTableFunction

US = pa.timestamp("us")
FIELDS = [("k", pa.string()), ("ts", US)]


def at(milliseconds: int | None) -> datetime.datetime | None:
    return None if milliseconds is None else datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)


def ticks(moment: Any) -> Any:
    return None if moment is None else (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)


TIME = TimeColumn(1, lambda values: values, lambda values: values)
SCHEMA = pa.schema([*(pa.field(*field) for field in FIELDS), *(pa.field(name, US) for name in ("s", "e", "t"))])


def run(harness: Any, rows: list[tuple[Any, int | None]], make: Any, batch_rows: int) -> list[Any]:
    source = harness.source(FIELDS, [(key, at(time)) for key, time in rows], batch_rows=batch_rows)
    return [(row[0], *map(ticks, row[1:])) for row in harness.rows(make(source))]


@pytest.mark.parametrize("batch_rows", [1, 3, 100])
def test_rows_without_a_time_are_dropped(harness: Any, batch_rows: int) -> None:
    rows = [("a", 5), ("b", None), (None, -1)]
    found = run(harness, rows, lambda source: Pipeline.over(source, WindowTableFunction(SCHEMA, TIME, TumbleWindows(10))), batch_rows)
    assert found == [("a", 5, 0, 10, 9), (None, -1, -10, 0, -1)]


def test_each_row_comes_once_for_each_of_its_windows(harness: Any) -> None:
    found = run(
        harness, [("a", 7), ("b", 12)], lambda source: Pipeline.over(source, WindowTableFunction(SCHEMA, TIME, HopWindows(5, 10))), 2
    )
    assert found == [("a", 7, 5, 15, 14), ("a", 7, 0, 10, 9), ("b", 12, 10, 20, 19), ("b", 12, 5, 15, 14)]


def test_many_windows_are_made_in_parts(harness: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator, "_ROWS_AT_ONCE", 40)
    monkeypatch.setattr(operator, "BATCH_ROWS", 7)
    rows = [(str(i), i) for i in range(25)]
    found = run(harness, rows, lambda source: Pipeline.over(source, WindowTableFunction(SCHEMA, TIME, HopWindows(1, 10))), 25)
    assert found == [(str(i), i, i - back, i - back + 10, i - back + 9) for i in range(25) for back in range(10)]
