"""Functions of ``pandas.Series`` on the embedded engine; run with the extra ``pandas`` (``nox -s "tests(table-runtime[planner,pandas])"``)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableRuntimeException
from table_api.expressions import col, lit
from table_api.udf import AggregateFunction, DataTypeHint, ScalarFunction, udaf, udf

pd = pytest.importorskip("pandas", reason="these tests are of the extra 'pandas'")
Longs = Annotated[pd.Series, DataTypeHint("BIGINT")]


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        made.create_temporary_view("t", made.from_elements([(1, "a", 1.5), (2, None, 2.5), (None, "c", 3.5)], ["i", "s", "d"]))
        yield made


def values(env: TableEnvironment, function: Any, *columns: Any) -> list[Any]:
    table = env.from_path("t").select(function(*columns)).to_arrow()
    return list(table.column(0).to_pylist())


@udf(result_type="BIGINT", func_type="pandas")
def add(i, j):  # type: ignore[no-untyped-def]  # as in PyFlink's examples
    assert isinstance(i, pd.Series)
    assert isinstance(j, pd.Series)
    return i + j


def test_columns_and_constants_come_as_series_and_null_stays_null(env: TableEnvironment) -> None:
    assert values(env, add, col("i"), lit(1)) == [2, 3, None]


def test_texts(env: TableEnvironment) -> None:
    assert values(env, udf(lambda s: s.str.upper(), result_type="STRING", func_type="pandas"), col("s")) == ["A", None, "C"]


def test_numpy_array_is_a_column_too(env: TableEnvironment) -> None:
    assert values(env, udf(lambda d: d.to_numpy() * 2, result_type="DOUBLE", func_type="pandas"), col("d")) == [3.0, 5.0, 7.0]


def test_data_frame_is_rows(env: TableEnvironment) -> None:
    frame = udf(lambda i, s: pd.DataFrame({"a": i, "b": s}), result_type="ROW<a BIGINT, b STRING>", func_type="pandas")
    assert values(env, frame, col("i"), col("s")) == [{"a": 1, "b": "a"}, {"a": 2, "b": None}, {"a": None, "b": "c"}]


def test_times(env: TableEnvironment) -> None:
    times = udf(lambda i: pd.to_datetime(i, unit="s"), result_type="TIMESTAMP(3)", func_type="pandas")
    assert values(env, times, col("i")) == [dt.datetime(1970, 1, 1, 0, 0, 1), dt.datetime(1970, 1, 1, 0, 0, 2), None]


class Double(ScalarFunction):
    def eval(self, x: Longs) -> Longs:
        return x * 2


def test_class_with_annotated_series(env: TableEnvironment) -> None:
    env.create_temporary_function("double_it", Double)
    assert env.sql_query("SELECT double_it(i) AS x FROM t").to_arrow().column("x").to_pylist() == [2, 4, None]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s: s, "a column of .*string, but BIGINT was declared"),
        (lambda s: s.str.len()[:1], "it returned 1 values for 3 rows"),
        (lambda s: 3, r"it returned int, but a vectorised function must return a pandas\.Series"),
    ],
)
def test_wrong_result_says_what_was_declared_and_what_came(env: TableEnvironment, function: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        values(env, udf(function, result_type="BIGINT", func_type="pandas", name="wrong"), col("s"))


def test_exception_names_the_function(env: TableEnvironment) -> None:
    with pytest.raises(TableRuntimeException, match="The function missing failed: KeyError: 'no'"):
        values(env, udf(lambda i: i["no"], result_type="BIGINT", func_type="pandas", name="missing"), col("i"))


def test_aggregate_of_a_function_of_series(env: TableEnvironment) -> None:
    mean = udaf(lambda d: d.mean(), result_type="DOUBLE", func_type="pandas", name="mean")
    table = env.from_path("t").group_by(col("i") > 1).select(mean(col("d")).alias("m")).to_arrow()
    assert sorted(table.column("m").to_pylist()) == [1.5, 2.5, 3.5]


class Largest(AggregateFunction[int, list[int]]):
    func_type = "pandas"

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], values: Longs) -> None:
        assert isinstance(values, pd.Series)
        accumulator.append(int(values.max()))

    def get_value(self, accumulator: list[int]) -> int:
        return max(accumulator)


def test_aggregate_class_of_series(env: TableEnvironment) -> None:
    env.create_temporary_function("largest", Largest)
    assert env.sql_query("SELECT largest(i) AS x FROM t WHERE i IS NOT NULL").to_arrow().column("x").to_pylist() == [2]


def test_table_to_pandas(env: TableEnvironment) -> None:
    frame = env.sql_query("SELECT d, s FROM t WHERE s IS NOT NULL ORDER BY d").to_pandas()
    assert frame.to_dict("list") == {"d": [1.5, 3.5], "s": ["a", "c"]}
