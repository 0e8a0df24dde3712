"""Fractions that functions return for integer types: whole numbers are taken, others are an error, or cut as in PyFlink."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from table_api import Row, TableEnvironment, TableRuntimeException
from table_api.udf import AggregateFunction, udf, udtf

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


class WeightedAverage(AggregateFunction):
    """As in PyFlink's documentation."""

    def create_accumulator(self) -> Row:
        return Row(0, 0)

    def accumulate(self, accumulator: Row, value: int, weight: int) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def get_value(self, accumulator: Row) -> Any:
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def get_result_type(self) -> str:
        return "BIGINT"

    def get_accumulator_type(self) -> str:
        return "ROW<f0 BIGINT, f1 BIGINT>"


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


def make(env: TableEnvironment) -> TableEnvironment:
    env.create_temporary_function("average", WeightedAverage())
    env.create_temporary_function("half", udf(lambda n: n / 2, result_type="INT"))
    env.create_temporary_function("tenth", udf(lambda n: Decimal(n) / 10, result_type="BIGINT"))
    env.create_temporary_function("halves", udtf(lambda n: [(n / 2, [n / 2])], result_types=["TINYINT", "ARRAY<SMALLINT>"]))
    return env


def test_whole_numbers_of_other_classes_are_integers(planner: str, make_env: MakeEnv) -> None:
    env = make(make_env(planner))
    assert rows(env, "SELECT half(4), tenth(-20), average(a, b) FROM (VALUES (1, 1), (3, 1)) AS t(a, b) GROUP BY ()") == [(2, -2, 2)]
    assert rows(env, "SELECT x, y FROM LATERAL TABLE(halves(6)) AS t(x, y)") == [(3, [3])]


@pytest.mark.parametrize(
    "call", ["half(5)", "tenth(-25)", "average(5, 2) + average(2, 1)", "(SELECT x FROM LATERAL TABLE(halves(5)) AS t(x, y))"]
)
def test_fractions_are_an_error(planner: str, make_env: MakeEnv, call: str) -> None:
    if call.startswith("average"):
        call = "(SELECT average(a, b) FROM (VALUES (1, 1), (2, 1)) AS t(a, b))"
    with pytest.raises(TableRuntimeException, match=r"(2\.5|1\.5)"):
        rows(make(make_env(planner)), f"SELECT {call}")


def test_an_option_cuts_fractions_towards_zero(planner: str, make_env: MakeEnv) -> None:
    env = make(make_env(planner))
    env.get_config().set("python.functions.truncate-fractions", "true")
    assert rows(env, "SELECT half(5), tenth(-25), half(-5)") == [(2, -2, -2)]
    assert rows(env, "SELECT average(a, b) FROM (VALUES (1, 1), (2, 1)) AS t(a, b)") == [(1,)]
    assert rows(env, "SELECT x, y FROM LATERAL TABLE(halves(5)) AS t(x, y)") == [(2, [2])]
