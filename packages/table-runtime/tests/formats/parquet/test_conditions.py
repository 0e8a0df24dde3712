"""Rows that conditions over dictionary arrays select, without a file; ``planner/test_parquet_text_conditions.py`` has whole queries."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison as fn
from table_common.types import BigIntType, BooleanType, RowType, VarCharType
from table_runtime.formats.parquet.conditions import TextConditions, conditions_on_texts

S, N = VarCharType(), BigIntType()
ROW_TYPE = RowType.of([("a", S), ("b", S), ("n", N)])
A, B = (FieldReferenceExpression(name, S, 0, position) for position, name in enumerate("ab"))
A_IS_X = CallExpression(fn.EQUALS, (A, ValueLiteralExpression("x", S)), BooleanType())
A_IS_NULL = CallExpression(fn.IS_NULL, (A,), BooleanType())
A_IS_B = CallExpression(fn.EQUALS, (A, B), BooleanType())
N_IS_1 = CallExpression(fn.EQUALS, (FieldReferenceExpression("n", N, 0, 2), ValueLiteralExpression(1, N)), BooleanType())


def batch(indices: list[int | None], values: list[str | None], numbers: list[int]) -> pa.RecordBatch:
    column = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(values, pa.string()), safe=False)
    return pa.record_batch({"a": column, "n": pa.array(numbers, pa.int64())})


def numbers_of(condition: ResolvedExpression, rows: pa.RecordBatch, rest: pc.Expression | None = None) -> list[int]:
    found: list[int] = TextConditions({"a": [condition]}, ROW_TYPE, rest).matching(rows).column("n").to_pylist()
    return found


def test_columns_that_filters_use_alone() -> None:
    assert conditions_on_texts([A_IS_X, N_IS_1, A_IS_NULL], ROW_TYPE) == {"a": [A_IS_X, A_IS_NULL]}
    assert conditions_on_texts([A_IS_X, A_IS_B], ROW_TYPE) == {}


def test_rows_with_a_value() -> None:
    assert numbers_of(A_IS_X, batch([0, 1, None, 1], ["y", "x"], [1, 2, 3, 4])) == [2, 4]


def test_rows_without_a_value() -> None:
    assert numbers_of(A_IS_NULL, batch([0, 1, None, 1], ["y", "x"], [1, 2, 3, 4])) == [3]
    assert numbers_of(A_IS_NULL, batch([0, 1, 0], ["y", None], [1, 2, 3])) == [2]


def test_dictionaries_that_differ_between_batches() -> None:
    conditions = TextConditions({"a": [A_IS_X]}, ROW_TYPE)
    batches = batch([0, 1], ["y", "x"], [1, 2]), batch([0, 1], ["x", "y"], [3, 4]), batch([0, 0], ["z"], [5, 6]), batch([], [], [])
    assert [conditions.matching(one).column("n").to_pylist() for one in batches] == [[2], [3], [], []]


def test_the_rest_is_used_only_if_most_rows_are_left() -> None:
    rest = pc.field("n") == 1
    assert numbers_of(A_IS_X, batch([0, 0, 1], ["x", "y"], [1, 2, 1]), rest) == [1]
    assert numbers_of(A_IS_X, batch([0, 0, 1, 1], ["x", "y"], [1, 2, 1, 1]), rest) == [1, 2]


def test_an_index_without_a_value_is_an_error() -> None:
    with pytest.raises(pa.ArrowInvalid, match="twice"):
        numbers_of(A_IS_X, batch([0, 5], ["x", "y"], [1, 2]))
