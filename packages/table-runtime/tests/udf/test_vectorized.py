"""Functions of Arrow columns."""

from __future__ import annotations

from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import DataTypeHint, ScalarFunction, as_user_function
from table_common.types import BigIntType, TimestampType
from table_runtime.udf import Invocation, make_invoker

Longs = Annotated[pa.Array, DataTypeHint("BIGINT")]


def call(function: type[ScalarFunction], *columns: Any) -> list[Any]:
    types = [BigIntType() for _ in columns]
    rows = max(len(column) for column in columns if isinstance(column, pa.Array))
    result: list[Any] = make_invoker(Invocation(as_user_function(function), types, BigIntType()))(columns, rows).to_pylist()
    return result


class Plus(ScalarFunction):
    def eval(self, a: Longs, b: Longs) -> Longs:
        return pc.add(a, b)


def test_annotated_columns_make_a_function_vectorized() -> None:
    assert as_user_function(Plus).func_type == "arrow"


def test_columns_come_with_their_nulls_and_constants_as_columns() -> None:
    assert call(Plus, pa.array([1, None, 3]), pa.scalar(10)) == [11, None, 13]


class Short(ScalarFunction):
    def eval(self, a: Longs) -> Longs:
        return a.slice(1)


def test_another_number_of_rows_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="it returned 1 values for 2 rows"):
        call(Short, pa.array([1, 2]))


class Text(ScalarFunction):
    def eval(self, a: Longs) -> Longs:
        return pa.array(["x"] * len(a))


def test_column_of_another_type_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="a column of string, but BIGINT was declared"):
        call(Text, pa.array([1, 2]))


class Lists(ScalarFunction):
    def eval(self, a: Longs) -> Longs:
        return [value * 2 for value in a.to_pylist()]  # type: ignore[return-value]


def test_list_of_values_is_a_column_too() -> None:
    assert call(Lists, pa.array([1, 2])) == [2, 4]


class Raising(ScalarFunction):
    def eval(self, a: Longs) -> Longs:
        raise KeyError("gone")


def test_exception_names_the_function() -> None:
    with pytest.raises(TableRuntimeException, match="The function Raising failed: KeyError: 'gone'"):
        call(Raising, pa.array([1]))


class Moments(ScalarFunction):
    def eval(self, a: Longs) -> Annotated[pa.Array, DataTypeHint("TIMESTAMP(3)")]:
        return a.view(pa.timestamp("ns" if a[0].as_py() < 0 else "us"))


@pytest.mark.parametrize(("ticks", "expected"), [([1_999, None, 1_000], [1_000, None, 1_000]), ([-1, None], [-1_000, None])])
def test_times_have_the_digits_that_are_declared(ticks: list[int | None], expected: list[int | None]) -> None:
    invocation = Invocation(as_user_function(Moments), [BigIntType()], TimestampType(3))
    found = make_invoker(invocation)([pa.array(ticks, pa.int64())], len(ticks))
    assert (found.type, found.view(pa.int64()).to_pylist()) == (pa.timestamp("us"), expected)
