"""Functions of ``pandas.Series`` on the embedded engine; run with the extra ``pandas`` (``nox -s "tests(table-runtime[planner,pandas])"``)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableRuntimeException
from table_api.common import Row
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
        (lambda s: 3, r"it returned int, but a vectorized function must return a pandas\.Series"),
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


def column(env: TableEnvironment, sql: str) -> list[Any]:
    return list(env.sql_query(sql).to_arrow().column(0).to_pylist())


def vectorized(env: TableEnvironment, result: str, function: Any) -> None:
    env.create_temporary_system_function("f", udf(function, result_type=result, func_type="pandas"))


@pytest.mark.parametrize(
    ("result", "function", "expected"),
    [
        ("INT", lambda d: d > 2, [0, 1, 1]),
        ("BOOLEAN", lambda d: (d > 2).astype(int), [False, True, True]),
        ("DECIMAL(10, 2)", lambda d: pd.Series([1, 2, 3]), [Decimal("1.00"), Decimal("2.00"), Decimal("3.00")]),
        ("DECIMAL(10, 1)", lambda d: d, [Decimal("1.5"), Decimal("2.5"), Decimal("3.5")]),
        ("DATE", lambda d: pd.Series([pd.Timestamp(2024, 1, 2)] * 3), [dt.date(2024, 1, 2)] * 3),
        ("INT", lambda d: pd.Series([1.0, None, 3], dtype=object), [1, None, 3]),
        ("ARRAY<INT>", lambda d: pd.Series([[1.0, None], [], None]), [[1, None], [], None]),
        ("MAP<STRING, INT>", lambda d: pd.Series([{"a": 1.0}, [("b", 2)], None]), [[("a", 1)], [("b", 2)], None]),
        ("ROW<a INT, l ARRAY<INT>>", lambda d: pd.DataFrame({"x": d * 2, "y": [[1.0]] * 3}), [{"a": a, "l": [1]} for a in (3, 5, 7)]),
    ],
)
def test_a_result_is_converted_if_no_value_changes(env: TableEnvironment, result: str, function: Any, expected: list[Any]) -> None:
    vectorized(env, result, function)
    assert column(env, "SELECT f(d) FROM t") == expected


@pytest.mark.parametrize(
    ("result", "function", "message"),
    [
        ("INT", lambda d: pd.Series([1.5, 2, 3], dtype=object), "1.5 .class float. is not a value of INT"),
        ("INT", lambda d: [1.5, 2, 3], "1.5 .class float. is not a value of INT"),
        ("ARRAY<INT>", lambda d: pd.Series([[1.0, 2.5]] * 3), "2.5 .class float. is not a value of INT"),
        ("BOOLEAN", lambda d: pd.Series([0, 1, 2]), "2 would change"),
        ("DECIMAL(10, 2)", lambda d: d + 0.005, "1.505 would change"),
        ("DATE", lambda d: pd.Series([pd.Timestamp(2024, 1, 2, 3)] * 3), "2024-01-02 03:00:00 would change"),
        ("ROW<a INT, b INT>", lambda d: pd.DataFrame({"x": d}), "a DataFrame of 1 columns, but ROW<`a` INT, `b` INT> was declared"),
        ("ROW<a INT>", lambda d: pd.DataFrame({"x": d}), "a column of double, but INT was declared: Float value 1.5"),
    ],
)
def test_a_result_that_would_change_is_an_error(env: TableEnvironment, result: str, function: Any, message: str) -> None:
    vectorized(env, result, function)
    with pytest.raises(TableRuntimeException, match=message):
        column(env, "SELECT f(d) FROM t")


def test_a_large_number_beside_null_is_an_error_because_pandas_would_round_it(env: TableEnvironment) -> None:
    env.create_temporary_view("big", env.from_elements([(2**53 + 1,), (None,)], ["i"]))
    vectorized(env, "BIGINT", lambda i: i)
    env.create_temporary_system_function("g", udf(lambda a: a, result_type="ARRAY<BIGINT>", func_type="pandas"))
    with pytest.raises(TableRuntimeException, match=r"has NULLs, so pandas stores its numbers as floats.*9007199254740993 would change"):
        column(env, "SELECT f(i) FROM big")
    with pytest.raises(TableRuntimeException, match="9007199254740993 would change"):
        column(env, "SELECT g(ARRAY[i]) FROM big")
    assert column(env, "SELECT f(i) FROM big WHERE i IS NOT NULL") == [2**53 + 1]


@pytest.mark.parametrize(
    ("result", "function", "expected"),
    [
        ("DOUBLE", lambda i: i.mean(), [1.0, 2.0, None]),
        ("BIGINT", lambda i: i.sum(), [1, 2, 0]),
        ("BOOLEAN", lambda i: int(len(i) > 1), [False, False, False]),
        ("ROW<a DOUBLE, b BIGINT>", lambda i: Row(i.max(), i.sum()), [{"a": 1.0, "b": 1}, {"a": 2.0, "b": 2}, {"a": None, "b": 0}]),
        (
            "TIMESTAMP(3)",
            lambda i: pd.to_datetime(i, unit="s").max(),
            [dt.datetime(1970, 1, 1, 0, 0, 1), dt.datetime(1970, 1, 1, 0, 0, 2), None],
        ),
    ],
)
def test_results_of_aggregates_are_converted_like_those_of_functions(
    env: TableEnvironment, result: str, function: Any, expected: list[Any]
) -> None:
    env.create_temporary_system_function("f", udaf(function, result_type=result, func_type="pandas"))
    assert column(env, "SELECT f(i) AS x FROM t GROUP BY d ORDER BY d") == expected


def test_an_aggregate_of_series_is_not_called_for_no_rows(env: TableEnvironment) -> None:
    env.create_temporary_system_function("f", udaf(lambda i: int(i.max()), result_type="BIGINT", func_type="pandas"))
    assert column(env, "SELECT f(i) FROM t WHERE FALSE") == [None]
    assert column(env, "SELECT f(i) FILTER (WHERE i > 1) AS x FROM t WHERE i > 0 GROUP BY i ORDER BY i") == [None, 2]
