"""User aggregates and table aggregates over changes, on the embedded engine in streaming mode."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.expressions import call, col
from table_api.udf import AggregateFunction, TableAggregateFunction
from table_common.exceptions import ValidationException

ROWS = "(VALUES ('a', 1), ('b', 5), ('a', 3), ('b', 1)) AS t(k, v)"


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class RetractableTotal(Total):
    def retract(self, accumulator: list[int], value: int) -> None:
        accumulator[0] -= value


class Top(TableAggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)

    def retract(self, accumulator: list[int], value: int) -> None:
        accumulator.remove(value)

    def emit_value(self, accumulator: list[int]) -> list[int]:
        return sorted(accumulator)[-2:]


@pytest.fixture
def env() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.create_temporary_function("total", Total())
    env.create_temporary_function("retractable_total", RetractableTotal())
    env.create_temporary_view("sums", env.sql_query(f"SELECT k, SUM(v) AS s FROM {ROWS} GROUP BY k"))
    return env


def changes(result: Any) -> list[str]:
    return [f"{row.get_row_kind()}{tuple(row)}" for row in result.execute().collect()]


def test_insertions_need_no_retract(env: TableEnvironment) -> None:
    assert changes(env.sql_query(f"SELECT k, total(v) FROM {ROWS} GROUP BY k")) == [
        "+I('a', 1)",
        "+I('b', 5)",
        "-U('a', 1)",
        "+U('a', 4)",
        "-U('b', 5)",
        "+U('b', 6)",
    ]


def test_updates_are_retracted_and_accumulated(env: TableEnvironment) -> None:
    given = changes(env.sql_query("SELECT retractable_total(s), COUNT(*) FROM sums"))
    assert given[-1] == "+U(10, 2)"
    assert given == [
        *("+I(1, 1)", "-U(1, 1)", "+U(6, 2)", "-U(6, 2)", "+U(5, 1)", "-U(5, 1)"),
        *("+U(9, 2)", "-U(9, 2)", "+U(4, 1)", "-U(4, 1)", "+U(10, 2)"),
    ]


def test_without_retract_updates_are_refused(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"total has no method retract.*Aggregate\(groupBy=\[k\]"):
        env.sql_query("SELECT total(s) FROM sums").execute()


def test_a_table_aggregate_retracts_its_rows_and_emits_them_again(env: TableEnvironment) -> None:
    top = env.from_path("sums").flat_aggregate(call(Top(), col("s")).alias("v")).select(col("v"))
    assert changes(top) == [
        *("+I(1,)", "-U(1,)", "+U(1,)", "+U(5,)", "-U(1,)", "-U(5,)", "+U(5,)", "-U(5,)"),
        *("+U(4,)", "+U(5,)", "-U(4,)", "-U(5,)", "+U(4,)", "-U(4,)", "+U(4,)", "+U(6,)"),
    ]


def test_a_result_that_is_the_accumulator_is_copied(env: TableEnvironment) -> None:
    class Everything(Top):
        def emit_value(self, accumulator: list[int]) -> list[int]:
            return accumulator

    every = env.from_path("sums").flat_aggregate(call(Everything(), col("s")).alias("v")).select(col("v"))
    assert changes(every)[-6:] == ["-U(5,)", "-U(4,)", "+U(4,)", "-U(4,)", "+U(4,)", "+U(6,)"]
