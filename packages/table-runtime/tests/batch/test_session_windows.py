"""Rows in sessions."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.session_windows import SessionWindowTableFunction
from table_runtime.steps.window_table_function.operator import TimeColumn

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


def sessions(harness: Any, rows: list[tuple[Any, int | None]], partition_by: list[int], batch_rows: int = 2) -> list[Any]:
    return run(harness, rows, lambda source: SessionWindowTableFunction(source, SCHEMA, TIME, partition_by, 10), batch_rows)


def test_a_session_goes_on_for_as_long_as_the_gap_and_ends_behind_it(harness: Any) -> None:
    found = sessions(harness, [("a", 0), ("a", 10), ("a", 21)], [])
    assert found == [("a", 0, 0, 20, 19), ("a", 10, 0, 20, 19), ("a", 21, 21, 31, 30)]


@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_sessions_of_other_partitions_do_not_matter_and_rows_stay_in_place(harness: Any, batch_rows: int) -> None:
    found = sessions(harness, [("b", 15), (None, 1), ("a", 12), ("b", 6), (None, 8), ("a", None), ("a", -5)], [0], batch_rows)
    assert found == [
        ("b", 15, 6, 25, 24),
        (None, 1, 1, 18, 17),
        ("a", 12, 12, 22, 21),
        ("b", 6, 6, 25, 24),
        (None, 8, 1, 18, 17),
        ("a", -5, -5, 5, 4),
    ]


def test_no_rows_make_no_session(harness: Any) -> None:
    assert sessions(harness, [("a", None)], [0]) == []
