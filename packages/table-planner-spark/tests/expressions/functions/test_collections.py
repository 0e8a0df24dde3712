"""Functions of arrays, maps and rows as Spark SQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import collections as fn
from table_common.types import ArrayType, BigIntType, BooleanType, DoubleType, IntType, LogicalType, MapType, RowType, VarCharType
from table_planner_spark.expressions.functions.collections import FUNCTIONS, map_of_entries

INT, TEXT = IntType(), VarCharType()
ARRAY, MAP = ArrayType(INT), MapType(TEXT, INT)


def translated(function: FunctionDefinition, types: list[LogicalType], output_type: LogicalType, *texts: str) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, output_type), texts)


def test_elements_of_an_array_have_its_element_type() -> None:
    assert translated(fn.ARRAY, [INT, BigIntType()], ArrayType(BigIntType()), "a", "b") == "array(CAST(a AS BIGINT), b)"


def test_a_row_has_the_names_of_its_type() -> None:
    assert translated(fn.ROW, [INT], RowType.of([("f0", INT)]), "a") == "named_struct('f0', a)"


@pytest.mark.parametrize(("index", "expected"), [("1", 7), ("2", 8), ("3", None), ("CAST(NULL AS INT)", None)])
def test_an_index_counts_from_one_and_is_null_beyond_the_array(value_of: Callable[[str], Any], index: str, expected: int | None) -> None:
    assert value_of(translated(fn.AT, [ARRAY, INT], INT, "array(7, 8)", index)) == expected


def test_a_key_that_a_map_lacks_is_null() -> None:
    assert translated(fn.AT, [MAP, TEXT], INT, "m", "k") == "try_element_at(m, k)"


def test_the_last_of_equal_keys_counts(value_of: Callable[[str], Any]) -> None:
    entries = "array(named_struct('key', 'a', 'value', 1), named_struct('key', 'b', 'value', 2), named_struct('key', 'a', 'value', 3))"
    assert value_of(map_of_entries(entries)) == [("a", 3), ("b", 2)]


def test_a_union_of_maps_has_the_values_of_the_last_map(value_of: Callable[[str], Any]) -> None:
    assert value_of(translated(fn.MAP_UNION, [MAP, MAP], MAP, "map('a', 1)", "map('a', 2)")) == [("a", 2)]


@pytest.mark.parametrize(("array", "expected"), [("array(1, 2)", 2), ("CAST(NULL AS ARRAY<INT>)", None)])
def test_the_cardinality_of_null_is_null(value_of: Callable[[str], Any], array: str, expected: int | None) -> None:
    assert value_of(translated(fn.CARDINALITY, [ARRAY], INT, array)) == expected


def test_null_is_found_in_an_array_but_nan_is_not(value_of: Callable[[str], Any]) -> None:
    assert value_of(translated(fn.ARRAY_CONTAINS, [ARRAY, INT], BooleanType(), "array(1, NULL)", "CAST(NULL AS INT)")) is True
    double, nan = DoubleType(), "CAST('NaN' AS DOUBLE)"
    assert value_of(translated(fn.ARRAY_CONTAINS, [ArrayType(double), double], BooleanType(), f"array({nan})", nan)) is False


def test_the_last_of_equal_keys_stays_at_the_first_ones_place(run: Any) -> None:
    ((found,),) = run.rows("SELECT CAST(STR_TO_MAP(s) AS STRING) FROM (VALUES 'b=1,a=2,b=3,c=4,a=5') AS t (s)")
    assert found == "{b=3, a=5, c=4}"


def test_equal_keys_of_a_large_map_take_no_search_for_each_key(run: Any) -> None:
    pairs = ",".join(f"{number % 30_000}={number}" for number in range(60_000))
    begin = time.perf_counter()
    ((count, first),) = run.rows(f"SELECT CARDINALITY(m), m['0'] FROM (SELECT STR_TO_MAP(s) AS m FROM (VALUES '{pairs}') AS t (s))")
    assert (count, first) == (30_000, "30000")
    assert time.perf_counter() - begin < 60
