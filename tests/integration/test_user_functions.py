"""User functions on both engines: kinds of functions, calls, errors. The examples of FLIP-65 are in ``test_flip65.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from table_api import DataTypes, TableEnvironment, TableRuntimeException, ValidationException
from table_api.expressions import call, col
from table_api.udf import (
    AggregateFunction,
    AsyncScalarFunction,
    ScalarFunction,
    TableFunction,
    udf,
)

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


# --- structured types, overloads, names -------------------------------------------------------------------------------------------


@dataclass
class Person:
    name: str
    age: int


class Older(ScalarFunction):
    def eval(self, p: Person) -> Person:
        return Person(p.name, p.age + 1)


def test_structured_types_are_accepted_and_returned(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("older", Older)
    sql = "SELECT t.p.name, t.p.age FROM (SELECT older(older(CAST((n, a) AS ROW<name STRING, age BIGINT>))) AS p FROM (VALUES ('x', 3)) AS v(n, a)) AS t"
    assert rows(env, sql) == [("x", 5)]


class Between(ScalarFunction):
    def eval(self, value: int, low: int = 0, high: int = 10) -> bool:
        return low <= value <= high


def test_arguments_by_name_and_default_values(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("is_between", Between)
    sql = "SELECT is_between(x), is_between(x, 6), is_between(`value` => x, high => 3) FROM (VALUES (5)) AS t(x)"
    assert rows(env, sql) == [(True, False, False)]


def test_inline_call_of_a_class(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    table = env.from_elements([(1,), (20,)], ["x"])
    with table.select(call(Between, col("x"))).execute().collect() as found:
        assert [row[0] for row in found] == [True, False]


def test_function_in_where_and_chained(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("twice", udf(lambda x: x * 2, result_type=DataTypes.BIGINT()))
    assert rows(env, "SELECT twice(twice(x)) FROM (VALUES (1), (2), (3)) AS t(x) WHERE twice(x) > 3 ORDER BY 1") == [(8,), (12,)]


class Slow(AsyncScalarFunction):
    async def eval(self, x: int) -> int:
        return x * 10


def test_async_function(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("slow", Slow)
    assert rows(env, "SELECT slow(x) FROM (VALUES (1), (2), (CAST(NULL AS INT))) AS t(x)") == [(10,), (20,), (None,)]


# --- lateral joins and aggregates -------------------------------------------------------------------------------------------------


class Words(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()


TEXTS = "(VALUES (1, 'a b'), (2, ''), (3, CAST(NULL AS STRING))) AS t(id, text)"


def test_lateral_table(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("words", Words)
    assert rows(env, f"SELECT id, w FROM {TEXTS}, LATERAL TABLE(words(text)) AS x(w)") == [(1, "a"), (1, "b")]


def test_left_join_lateral_table(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("words", Words)
    found = rows(env, f"SELECT id, w FROM {TEXTS} LEFT JOIN LATERAL TABLE(words(text)) AS x(w) ON TRUE")
    assert sorted(found, key=repr) == [(1, "a"), (1, "b"), (2, None), (3, None)]


def test_table_function_outside_of_from_is_refused_with_a_hint(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("words", Words)
    with pytest.raises(ValidationException, match="words is a table function") as error:
        env.execute_sql("SELECT words('a b')")
    assert "LATERAL TABLE(words(…))" in (error.value.hint or "")


class Longest(AggregateFunction[str | None, list[str]]):
    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], text: str) -> None:
        accumulator.append(text)

    def get_value(self, accumulator: list[str]) -> str | None:
        return max(accumulator, key=lambda text: (len(text), text), default=None)


WORDS = "(VALUES (1, 'a'), (1, 'bbb'), (2, 'cc'), (2, CAST(NULL AS STRING)), (1, 'a')) AS t(k, s)"


def test_aggregate_by_group_beside_built_in_ones(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("longest", Longest)
    sql = f"SELECT k, longest(s), COUNT(DISTINCT s), longest(s) FILTER (WHERE s <> 'bbb') FROM {WORDS} GROUP BY k ORDER BY k"
    assert rows(env, sql) == [(1, "bbb", 2, "a"), (2, "cc", 1, "cc")]


def test_aggregate_with_grouping_sets(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("longest", Longest)
    found = rows(env, f"SELECT k, longest(s) FROM {WORDS} GROUP BY ROLLUP (k)")
    assert sorted(found, key=repr) == [(1, "bbb"), (2, "cc"), (None, "bbb")]


def test_an_aggregate_over_no_rows_is_the_value_of_an_empty_accumulator(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("longest", Longest)
    assert rows(env, f"SELECT longest(s) FROM {WORDS} WHERE k > 5") == [(None,)]


class DistinctCount(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += 1

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_aggregate_over_a_window(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("longest", Longest)
    sql = f"SELECT k, s, longest(s) OVER (PARTITION BY k ORDER BY s) FROM {WORDS} WHERE k = 1 ORDER BY s"
    assert rows(env, sql) == [(1, "a", "a"), (1, "a", "a"), (1, "bbb", "bbb")]


def test_distinct_arguments_are_accumulated_once(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("how_many", DistinctCount)
    sql = "SELECT how_many(DISTINCT x), how_many(x) FROM (VALUES (1), (1), (2)) AS t(x)"
    assert rows(env, sql) == [(2, 3)]


# --- errors -----------------------------------------------------------------------------------------------------------------------


def explode(x: int) -> int:
    if x == 3:
        raise ValueError("three is too many")
    return x


def test_an_exception_names_function_row_arguments_and_line_and_the_session_remains_usable(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    table = env.from_elements([(i,) for i in range(5)], ["x"])
    with pytest.raises(TableRuntimeException) as error:
        table.select(udf(explode)(col("x"))).to_arrow()
    message = str(error.value)
    assert "The function explode failed in row 4 of the batch, called with (3): ValueError: three is too many" in message
    assert "in explode" in message
    assert rows(env, "SELECT 1") == [(1,)]


def test_the_error_of_a_wrong_type_names_the_declared_and_the_actual_type(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    wrong = udf(lambda x: "text", result_type=DataTypes.BIGINT(), name="wrong")
    with pytest.raises(
        TableRuntimeException, match=r"The function wrong returned a wrong value .*'text' \(class str\) is not a value of BIGINT"
    ):
        env.from_elements([(1,)], ["x"]).select(wrong(col("x"))).to_arrow()
