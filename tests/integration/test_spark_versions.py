"""What differs between the supported versions of Spark, on the installed one: functions and tables in Python, and the type TIME."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest

from table_api import TableEnvironment
from table_api.udf import AggregateFunction, TableFunction, udaf, udf, udtf
from table_common.exceptions import TableException
from table_planner_spark.spark_internals import SPARK_VERSION

needs_time = pytest.mark.skipif(SPARK_VERSION < (4, 1), reason="Spark 4.0 has no type TIME")
ROWS = "(VALUES (CAST(9007199254740993 AS BIGINT), 'x'), (-1, 'y'), (CAST(NULL AS BIGINT), 'x')) AS t(a, b)"


class Longest(AggregateFunction):
    def create_accumulator(self) -> list[Any]:
        return [None]

    def accumulate(self, accumulator: list[Any], value: int | None) -> None:
        if value is not None and (accumulator[0] is None or value > accumulator[0]):
            accumulator[0] = value

    def get_value(self, accumulator: list[Any]) -> int | None:
        value: int | None = accumulator[0]
        return value


class Letters(TableFunction):
    def eval(self, text: str) -> Iterator[tuple[str]]:
        yield from ((letter,) for letter in text * 2)


@pytest.fixture
def run(make_env: Callable[[str], TableEnvironment]) -> Callable[[str], list[tuple[Any, ...]]]:
    env = make_env("spark")
    env.create_temporary_system_function("plus", udf(lambda a, n: None if a is None or n is None else a + n, result_type="BIGINT"))
    env.create_temporary_system_function("pair", udf(lambda a, b: (b, [a, None]), result_type="ROW<b STRING, a ARRAY<BIGINT>>"))
    env.create_temporary_system_function("longest", udaf(Longest(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"))
    env.create_temporary_system_function("letters", udtf(Letters(), result_types=["STRING"]))

    def rows(statement: str) -> list[tuple[Any, ...]]:
        table = env.execute_sql(statement).to_arrow()
        return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True), key=repr)

    return rows


def test_values_of_functions_are_exact(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT plus(plus(a, 1), 1), plus(1, a) FROM {ROWS}") == [(1, 0), (9007199254740995, 9007199254740994), (None, None)]


def test_functions_give_nested_values(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT pair(a, b) FROM {ROWS} WHERE plus(a, 1) = 0") == [({"b": "y", "a": [-1, None]},)]


def test_functions_are_arguments_of_aggregates_keys_and_join_conditions(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT plus(a, 1), COUNT(*), longest(plus(a, 2)) FROM {ROWS} WHERE a < 0 GROUP BY plus(a, 1)") == [(0, 1, 1)]
    assert run(f"SELECT t.b, u.b FROM {ROWS} JOIN {ROWS.replace('t(', 'u(')} ON plus(t.a, 2) = plus(u.a, 2)") == [("x", "x"), ("y", "y")]


def test_table_functions_run(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT a, l FROM {ROWS}, LATERAL TABLE(letters(b)) AS l(l) WHERE a = -1") == [(-1, "y"), (-1, "y")]


def test_a_function_over_no_rows_gives_none(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT plus(a, 1) FROM {ROWS} WHERE a > plus(a, 1)") == []


def test_the_error_of_a_function_names_it(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    with pytest.raises(Exception, match="The function plus failed"):
        run(f"SELECT plus(b, 1) FROM {ROWS}")


def test_kernels_run_in_workers(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run(f"SELECT REGEXP_EXTRACT_ALL(b, '[a-z]', 0) FROM {ROWS} WHERE b = 'y'") == [(["y"],)]


def test_a_kernel_takes_the_result_of_another_one(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    query = "SELECT BITMAP_TO_STRING(BITMAP_OR(BITMAP_BUILD(ARRAY[a, 9]), BITMAP_BUILD(ARRAY[a]))) FROM (VALUES 3, 5) AS t(a)"
    assert sorted(run(query)) == [("{3,9}",), ("{5,9}",)]


def test_tables_in_python_are_written_and_read(make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> None:
    env = make_env("spark")
    env.execute_sql(
        f"CREATE TABLE f (a BIGINT, b ROW<c STRING, d TIMESTAMP_LTZ(3)>) WITH ('connector'='filesystem', 'path'='{tmp_path}', 'format'='json')"
    )
    env.execute_sql("INSERT INTO f SELECT 9007199254740993, ROW('x', TO_TIMESTAMP_LTZ(1, 3))").wait()
    assert env.execute_sql("SELECT a, b.c, CAST(b.d AS STRING) FROM f").to_arrow().to_pylist() == [
        {"a": 9007199254740993, "c": "x", "EXPR$2": "1970-01-01 00:00:00.001"}
    ]


def test_streaming_statements_give_changes(make_env: Callable[[str], TableEnvironment]) -> None:
    env = make_env("spark")
    env.get_config().set("execution.runtime-mode", "streaming").set("table.exec.spark.state-shares", "3")
    found: Counter[tuple[Any, ...]] = Counter()
    query = "SELECT n, COUNT(*) FROM (SELECT b, COUNT(*) AS n FROM (VALUES 'x', 'y', 'x', 'z') AS t(b) GROUP BY b) GROUP BY n"
    with env.execute_sql(query).collect() as rows:
        for row in rows:
            found[tuple(row)] += 1 if str(row.get_row_kind()) in ("+I", "+U") else -1
    assert +found == {(1, 2): 1, (2, 1): 1}


@needs_time
def test_time_is_a_type(run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert run("SELECT CAST(CAST(b AS TIME(3)) AS STRING) FROM (VALUES ('10:00:00.5')) AS t(b)") == [("10:00:00.5",)]


@pytest.mark.skipif(SPARK_VERSION >= (4, 1), reason="this Spark has the type TIME")
@pytest.mark.parametrize("precision", [0, 3, 9])
def test_time_is_refused_by_the_version(precision: int, run: Callable[[str], list[tuple[Any, ...]]]) -> None:
    with pytest.raises(TableException, match=rf"Spark {pyspark.__version__} has no type TIME.") as caught:
        run(f"SELECT CAST(CAST(b AS TIME({precision})) AS STRING) FROM (VALUES ('10:00:00.5')) AS t(b)")
    assert "Spark 4.1 or later" in str(caught.value)
