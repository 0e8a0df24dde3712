"""Process table functions on Spark in batch mode: rows by partition in the order of time, several tables, and timers at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from table_api.udf import ArgumentHint, ArgumentTrait, OnTimerContext, ProcessContext, ProcessTableFunction, StateHint
from table_common.connector import ChangelogMode
from table_common.data import Row
from table_common.exceptions import TableException, TableRuntimeException

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
ROWS = "(VALUES {}) AS v(k, s, n)"
T = "(SELECT k, TIMESTAMP '2020-01-01 00:00:00' + s * INTERVAL '1' SECOND AS ts, n FROM (VALUES ('a', 3, 1), ('b', 1, 2), ('a', 2, 3), ('b', 4, 4)) AS v(k, s, n))"
U = "(SELECT k, TIMESTAMP '2020-01-01 00:00:00' + s * INTERVAL '1' SECOND AS ts, c FROM (VALUES ('a', 1, 'x'), ('c', 9, 'y')) AS v(k, s, c))"


@dataclass
class Total:
    n: int = 0


class Totals(ProcessTableFunction[str]):
    def eval(self, context: ProcessContext, total: Annotated[Total, StateHint()], r: Annotated[Row, SET], step: int = 1) -> Any:
        total.n += r.n * step
        times = context.time_context(int)
        times.register_on_time("end", times.time() + 1)
        yield f"{total.n} {times.current_watermark()}"

    def on_timer(self, context: OnTimerContext, total: Total) -> Any:
        yield f"{context.current_timer} {total.n}"


class Met(ProcessTableFunction[str]):
    def eval(self, total: Annotated[Total, StateHint()], one: Annotated[Row, SET], other: Annotated[Row, SET]) -> Any:
        total.n += 1
        yield f"{total.n} {one.n if one is not None else other.c}"


class Numbers(ProcessTableFunction[int]):
    def eval(self, n: int) -> Any:
        if n < 0:
            raise ValueError("negative")
        return range(n)


class Upserts(ProcessTableFunction[int]):
    def eval(self, r: Annotated[Row, SET]) -> Any: ...

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.upsert()


@pytest.fixture
def rows(run: Any) -> Any:
    for function in (Totals, Met, Numbers, Upserts):
        run.environment.create_temporary_system_function(function.__name__.lower(), function())
    return lambda query: sorted(tuple(row) for row in run.rows(query))


def test_rows_come_by_partition_in_the_order_of_time_and_timers_at_the_end(rows: Any) -> None:
    query = f"SELECT k, `EXPR$0`, CAST(rowtime AS STRING) FROM totals(r => {T} PARTITION BY k, step => 2, on_time => DESCRIPTOR(ts))"
    assert rows(query) == [
        ("a", "6 None", "2020-01-01 00:00:02.000"),
        ("a", "8 None", "2020-01-01 00:00:03.000"),
        ("a", "end 8", "2020-01-01 00:00:03.001"),
        ("b", "12 None", "2020-01-01 00:00:04.000"),
        ("b", "4 None", "2020-01-01 00:00:01.000"),
        ("b", "end 12", "2020-01-01 00:00:04.001"),
    ]


@pytest.mark.parametrize(("on_time", "first"), [("", "1 3"), (", on_time => DESCRIPTOR(ts)", "1 x")])
def test_rows_of_two_tables_meet_by_key(rows: Any, on_time: str, first: str) -> None:
    found = rows(f"SELECT k, k0, `EXPR$0` FROM met(`one` => {T} PARTITION BY k, other => {U} PARTITION BY k{on_time})")
    assert [row[:2] for row in found] == [("a", "a")] * 3 + [("b", "b")] * 2 + [("c", "c")]
    assert (("a", "a", first) in found) or not on_time


def test_a_function_without_tables_is_called_once(rows: Any) -> None:
    assert rows("SELECT * FROM numbers(3)") == [(0,), (1,), (2,)]


def test_a_failure_in_a_worker_names_the_function(rows: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"The function numbers failed.*ValueError: negative"):
        rows("SELECT * FROM numbers(-1)")


def test_updates_are_for_streaming_mode(rows: Any) -> None:
    with pytest.raises(TableException, match="upserts emits updates or deletions, which tables of batch mode do not have"):
        rows(f"SELECT * FROM upserts({T} PARTITION BY k)")
