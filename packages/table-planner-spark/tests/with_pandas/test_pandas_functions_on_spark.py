"""Functions of ``pandas.Series`` in Spark's workers; run with the extra ``pandas`` (``nox -s "tests(table-planner-spark[pandas,connect])"``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from table_api import TableRuntimeException
from table_api.expressions import col, lit
from table_api.udf import AggregateFunction, udaf, udf
from table_api_bridge import SparkTableEnvironment

pd = pytest.importorskip("pandas", reason="these tests are of the extra 'pandas'")


@pytest.fixture(autouse=True)
def t(env: SparkTableEnvironment) -> None:
    env.create_temporary_view("t", env.from_elements([(1, "a", 1.5), (2, None, 2.5), (None, "c", 3.5)], ["i", "s", "d"]))


def values(env: SparkTableEnvironment, function: Any, *columns: Any) -> list[Any]:
    return list(env.from_path("t").select(function(*columns)).to_arrow().column(0).to_pylist())


def test_columns_and_constants_come_as_series_and_null_stays_null(env: SparkTableEnvironment) -> None:
    add = udf(lambda i, j: i + j, result_type="BIGINT", func_type="pandas")
    assert values(env, add, col("i"), lit(1)) == [2, 3, None]


def test_data_frame_is_rows(env: SparkTableEnvironment) -> None:
    frame = udf(lambda i, s: pd.DataFrame({"a": i, "b": s}), result_type="ROW<a BIGINT, b STRING>", func_type="pandas")
    assert values(env, frame, col("i"), col("s")) == [{"a": 1, "b": "a"}, {"a": 2, "b": None}, {"a": None, "b": "c"}]


def test_the_error_of_a_wrong_result_names_the_declared_and_the_actual_type(env: SparkTableEnvironment) -> None:
    with pytest.raises(TableRuntimeException, match=r"a column of .*string, but BIGINT was declared"):
        values(env, udf(lambda s: s, result_type="BIGINT", func_type="pandas", name="wrong"), col("s"))


def test_aggregate_of_a_function_of_series(env: SparkTableEnvironment) -> None:
    mean = udaf(lambda d: d.mean(), result_type="DOUBLE", func_type="pandas", name="mean")
    assert env.from_path("t").select(mean(col("d")).alias("m")).to_arrow().column("m").to_pylist() == [2.5]


class Largest(AggregateFunction[int | None, list[int]]):
    func_type = "pandas"

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], values):  # type: ignore[no-untyped-def]  # a Series
        accumulator.append(int(values.max()))

    def merge(self, accumulator: list[int], others: Iterable[list[int]]) -> None:
        for other in others:
            accumulator.extend(other)

    def get_value(self, accumulator: list[int]) -> int | None:
        return max(accumulator, default=None)


def test_aggregate_of_series_that_merges(env: SparkTableEnvironment) -> None:
    largest = udaf(Largest(), input_types=["BIGINT"], result_type="BIGINT", accumulator_type="ARRAY<BIGINT>", func_type="pandas")
    table = env.from_path("t").where(col("i").is_not_null).select(largest(col("i")).alias("m")).to_arrow()
    assert table.column("m").to_pylist() == [2]
