"""Kernels that have a way of their own for whole columns give there what they give row by row."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import math as math_fn
from table_common.functions.builtin import strings as fn
from table_runtime.expressions import EvaluationContext, Evaluator

CONTEXT = EvaluationContext(time_zone="UTC", query_start=0)

_HALVES = st.builds(lambda whole, places: (whole + 0.5) / 10.0**places, st.integers(-(10**6), 10**6), st.integers(0, 15))
_CENTS = st.builds(lambda units, places: units / 10.0**places, st.integers(-(10**12), 10**12), st.integers(0, 16))
_TIES = [2.5, -2.5, 1.005, 2.675, 1.15, 0.285, 1e15 + 0.5, 4503599627370495.5, -4503599627370495.5, 0.49999999999999994]
_EDGES = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, -5e-324, 1e22, 1e308, -1.7976931348623157e308, 2.0**52, 2.0**53 + 2]
_AWKWARD = st.sampled_from([*_TIES, *_EDGES])
DOUBLES = st.lists(st.one_of(st.none(), _AWKWARD, _HALVES, _CENTS, st.floats()), min_size=1, max_size=30)
_LETTERS = st.text(alphabet="ab9- éß日\U0001d54f\u0301\x00\n", max_size=8)
TEXTS = st.lists(st.one_of(st.none(), _LETTERS, st.text(max_size=6)), min_size=1, max_size=12)
ASCII_TEXTS = st.lists(st.one_of(st.none(), st.text(alphabet="ab9-", max_size=8)), min_size=1, max_size=12)


def _column(expressions: Any, function: FunctionDefinition, values: list[Any], type_: pa.DataType, sql: str, args: list[Any]) -> list[Any]:
    """Evaluates the call over a column; None among ``args`` stands for the column."""
    call = expressions.call(function, *(expressions.column(0, sql) if arg is None else arg for arg in args))
    (array,) = Evaluator([call], CONTEXT).evaluate(pa.record_batch({"f0": pa.array(values, type_)}))
    return list(array.to_pylist())


def _rows(expressions: Any, function: FunctionDefinition, values: list[Any], sql: str, args: list[Any]) -> list[Any]:
    """Evaluates the call for each value as a constant."""
    calls = [expressions.call(function, *((value, sql) if arg is None else arg for arg in args)) for value in values]
    return [array[0].as_py() for array in Evaluator(calls, CONTEXT).evaluate(pa.record_batch({"unused": pa.array([0])}))]


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return (math.isnan(left) and math.isnan(right)) or (left == right and math.copysign(1, left) == math.copysign(1, right))
    return bool(left == right)


def _check(expressions: Any, function: FunctionDefinition, values: list[Any], type_: pa.DataType, sql: str, args: list[Any]) -> None:
    whole = _column(expressions, function, values, type_, sql, args)
    single = _rows(expressions, function, values, sql, args)
    assert [(value, a, b) for value, a, b in zip(values, whole, single, strict=True) if not _same(a, b)] == []


def _check_all(
    expressions: Any, function: FunctionDefinition, columns: st.SearchStrategy[Any], type_: pa.DataType, sql: str, *args: Any
) -> None:
    """Checks columns with every drawn combination of arguments; a strategy among ``args`` is drawn from."""

    @given(columns, st.tuples(*(arg if isinstance(arg, st.SearchStrategy) else st.just(arg) for arg in args)))
    def check(values: list[Any], drawn: tuple[Any, ...]) -> None:
        _check(expressions, function, values, type_, sql, list(drawn))

    check()


@pytest.mark.parametrize("function", [math_fn.ROUND, math_fn.TRUNCATE], ids=lambda function: function.name)
def test_doubles_are_rounded_alike(function: FunctionDefinition, expressions: Any) -> None:
    _check_all(expressions, function, DOUBLES, pa.float64(), "DOUBLE", None, st.integers(-3, 17))


@pytest.mark.parametrize("columns", [TEXTS, ASCII_TEXTS], ids=["texts", "ascii"])
def test_positions_are_found_alike(columns: Any, expressions: Any) -> None:
    searched = st.one_of(_LETTERS, st.sampled_from(["", "a", "ab", "é", "日"]))
    _check_all(expressions, fn.POSITION, columns, pa.string(), "STRING", searched, None)


@pytest.mark.parametrize("function", [fn.LPAD, fn.RPAD], ids=lambda function: function.name)
@pytest.mark.parametrize("columns", [TEXTS, ASCII_TEXTS], ids=["texts", "ascii"])
def test_texts_are_padded_alike(function: FunctionDefinition, columns: Any, expressions: Any) -> None:
    padding = st.sampled_from(["", "-", "é", "\U0001d54f", "ab"])
    _check_all(expressions, function, columns, pa.string(), "STRING", None, st.integers(-1, 12), padding)


@pytest.mark.parametrize("columns", [TEXTS, ASCII_TEXTS], ids=["texts", "ascii"])
def test_parts_of_texts_are_found_alike(columns: Any, expressions: Any) -> None:
    delimiters = st.sampled_from(["", "-", "é", "\U0001d54f", "ab", "aa", "\n"])
    _check_all(expressions, fn.SPLIT_INDEX, columns, pa.string(), "STRING", None, delimiters, st.integers(-1, 4))


def test_delimiters_of_split_index_may_be_codes(expressions: Any) -> None:
    codes = st.sampled_from([-1, 0, 45, 97, 255, 256])
    _check_all(expressions, fn.SPLIT_INDEX, TEXTS, pa.string(), "STRING", None, codes, st.integers(-1, 4))


def test_several_parts_of_a_column_that_is_a_slice(expressions: Any) -> None:
    texts = [None, "a-b-c", "", "a", "a-b-c", "-", "x-y"]
    calls = [expressions.call(fn.SPLIT_INDEX, expressions.column(0, "STRING"), "-", index) for index in (0, 1, 2)]
    batch = pa.record_batch({"f0": pa.array(["z-z", *texts, "z-z"])}).slice(1, len(texts))
    assert [array.to_pylist() for array in Evaluator(calls, CONTEXT).evaluate(batch)] == [
        [None, "a", None, "a", "a", "", "x"],
        [None, "b", None, None, "b", "", "y"],
        [None, "c", None, None, "c", None, None],
    ]
