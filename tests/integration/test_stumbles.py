"""The list of what newcomers got stuck on names tests that exist, and holds some that have no other place; on both engines."""

from __future__ import annotations

import ast
import datetime as dt
import functools
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from table_api import AggregateFunction, AsyncScalarFunction, DataTypes, ScalarFunction, Table, TableEnvironment
from table_api.expressions import col
from table_api.udf import udaf, udf
from table_common.exceptions import ValidationException

MakeEnv = Callable[[str], TableEnvironment]
ROOT = Path(__file__).parents[2]
STUMBLES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("stumbles.toml").read_text(encoding="utf-8"))["stumble"]
PRECISE = DataTypes.ROW(
    [DataTypes.FIELD("t", DataTypes.TIME(0)), DataTypes.FIELD("ts", DataTypes.TIMESTAMP(3)), DataTypes.FIELD("d", DataTypes.DECIMAL(5, 2))]
)


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    return make_env(request.param)


def _rows(table: Table) -> list[tuple[Any, ...]]:
    with table.execute().collect() as rows:
        return sorted(tuple(row) for row in rows)


@functools.cache
def _tests_of(file: Path) -> frozenset[str]:
    functions = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(node.name for node in functions if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


@pytest.mark.parametrize("stumble", STUMBLES, ids=lambda one: one["text"][:60])
def test_the_tests_of_a_stumble_exist(stumble: dict[str, Any]) -> None:
    assert stumble["tests"]
    for test in stumble["tests"]:
        file, _, name = test.partition("::")
        found = _tests_of(ROOT / file)
        assert found, f"{file} has no tests"
        assert not name or name in found, f"{file} has no {name}"


def test_each_stumble_is_listed_once() -> None:
    texts = [stumble["text"] for stumble in STUMBLES]
    assert len(set(texts)) == len(texts)


def test_values_have_the_declared_precision(env: TableEnvironment) -> None:
    given = [(dt.time(1, 2, 3, 456789), dt.datetime(2020, 1, 1, 1, 2, 3, 456789), Decimal("1.255"))]
    assert _rows(env.from_elements(given, PRECISE)) == [(dt.time(1, 2, 3), dt.datetime(2020, 1, 1, 1, 2, 3, 456000), Decimal("1.26"))]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (Decimal("12345.25"), DataTypes.DECIMAL(5, 2)),
        (300, DataTypes.TINYINT()),
        ("x", DataTypes.INT()),
        (None, DataTypes.INT().not_null()),
    ],
)
def test_a_value_that_does_not_fit_is_refused_alike(value: object, type_: Any, make_env: MakeEnv) -> None:
    messages = set()
    for planner in ("arrow", "spark"):
        with pytest.raises(ValidationException) as raised:
            make_env(planner).from_elements([(value,)], DataTypes.ROW([DataTypes.FIELD("a", type_)]))
        messages.add(str(raised.value))
    assert len(messages) == 1


@udf(result_type=DataTypes.TIME())
def at_hour(hour: int) -> dt.time:
    return dt.time(hour)


def test_rows_of_values_with_nulls_alone_are_inserted(env: TableEnvironment, tmp_path: Path) -> None:
    options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path / 'people'}'"
    env.execute_sql(f"CREATE TABLE people (id INT, name STRING, born DATE) WITH ({options})")
    env.execute_sql("INSERT INTO people VALUES (1, NULL, NULL), (2, 'Ada', NULL)").wait()
    env.execute_sql("INSERT INTO people (id, born) VALUES (3, NULL)").wait()
    assert _rows(env.from_path("people")) == [(1, None, None), (2, "Ada", None), (3, None, None)]


def test_functions_return_times(env: TableEnvironment) -> None:
    table = env.from_elements([(1,), (2,)], ["h"]).select(at_hour(col("h")).alias("t"))
    assert _rows(table) == [(dt.time(1),), (dt.time(2),)]


class Largest(AggregateFunction[Any, list[Any]]):
    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], value: Any) -> None:
        accumulator[:] = [max([*accumulator, value])]

    def merge(self, accumulator: list[Any], others: Iterator[list[Any]]) -> None:
        for other in others:
            accumulator[:] = [max([*accumulator, *other])]

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] if accumulator else None


def test_two_forms_of_an_aggregate_function(env: TableEnvironment) -> None:
    table = env.from_elements([(1, "a"), (3, "c"), (2, "b")], ["n", "s"])
    of_numbers = udaf(Largest(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")
    of_texts = udaf(Largest(), result_type="STRING", accumulator_type="ARRAY<STRING>")
    assert _rows(table.select(of_numbers(col("n")), of_texts(col("s")))) == [(3, "c")]
    env.create_temporary_function("largest", of_numbers)
    assert _rows(env.sql_query(f"SELECT largest(n) FROM {table}")) == [(3,)]
    env.drop_temporary_function("largest")
    env.create_temporary_function("largest", of_texts)
    assert _rows(env.sql_query(f"SELECT largest(s) FROM {table}")) == [("c",)]


def test_a_function_named_like_an_operator(env: TableEnvironment) -> None:
    for name in ("plus", "equals", "upper"):
        env.create_temporary_system_function(name, udf(lambda *args: "mine", result_type="STRING", name=name))
    table = env.from_elements([(1, "x")], ["n", "s"])
    assert _rows(table.select(col("n") + 1, col("n") == 1, col("s").upper_case)) == [(2, True, "X")]
    query = f"SELECT n + 1, n = 1, plus(n, 1), `equals`(n, 1), upper(s) FROM {table}"
    assert _rows(env.sql_query(query)) == [(2, True, "mine", "mine", "mine")]


def test_session_windows_in_batch_mode_need_one_option(env: TableEnvironment) -> None:
    env.create_temporary_view("s", env.from_elements([(1, dt.datetime(2020, 1, 1)), (2, dt.datetime(2020, 1, 1, 1))], ["n", "ts"]))
    query = "SELECT SUM(n) FROM TABLE(SESSION(TABLE s, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
    with pytest.raises(ValidationException, match="SESSION windows are for streaming mode") as raised:
        env.sql_query(query)
    hint = str(raised.value).partition("hint: ")[2]
    env.execute_sql(hint[: hint.index("'true'") + len("'true'")])
    assert _rows(env.sql_query(query)) == [(1,), (2,)]


class Undecided(ScalarFunction):
    def eval(self, x: int) -> int:
        return x

    def is_deterministic(self) -> bool:
        return False


class Slow(AsyncScalarFunction):
    async def eval(self, x: int) -> int:
        return x


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: udf(type("Empty", (ScalarFunction,), {})(), result_type="INT"), "Empty does not define eval"),
        (lambda: udf(Undecided(), result_type="INT", deterministic=True), "says deterministic=True, but its method"),
        (lambda: udf(Slow(), result_type="INT", func_type="pandas"), "cannot have func_type='pandas'"),
        (lambda: udf(lambda x: x, result_type="INT", func_type="panda"), "panda"),
    ],
)
def test_wrong_functions_are_refused_at_declaration(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        declare()
