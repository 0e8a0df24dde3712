"""Functions that make large values see a few rows at once: the values of a whole batch would fill any memory."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import collections, comparison, strings
from table_runtime.columns import value_size
from table_runtime.expressions import EvaluationContext, Evaluator, slices

ROWS = 300
BATCH = pa.record_batch({"s": [f"{number:04d}" for number in range(ROWS)]})


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "_SLICE_SIZE", 1 << 20)


def _padded(expressions: Any, length: int) -> Any:
    return expressions.call(strings.LPAD, expressions.column(0, "STRING"), length, "x")


def test_values_of_a_batch_are_not_in_memory_together(expressions: Any, context: EvaluationContext) -> None:
    evaluator = Evaluator([expressions.call(strings.CHAR_LENGTH, _padded(expressions, 1_000_000))], context)
    pool = pa.default_memory_pool()
    before = pool.max_memory()
    assert evaluator.evaluate(BATCH)[0].to_pylist() == [1_000_000] * ROWS
    assert pool.max_memory() - before < 100_000_000


def test_rows_of_a_condition_stay_in_order(expressions: Any, context: EvaluationContext) -> None:
    condition = expressions.call(comparison.EQUALS, _padded(expressions, 100_000), "x" * 99_996 + "0123")
    mask = Evaluator([condition], context).evaluate_filter(BATCH)
    assert [row for row, kept in enumerate(mask.to_pylist()) if kept] == [123]


def test_values_that_are_kept_stay_in_order(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([_padded(expressions, 50_000)], context).evaluate(BATCH)
    assert [text[-4:] for text in array.to_pylist()] == BATCH["s"].to_pylist()


def test_values_of_a_batch_that_are_kept_are_bounded(expressions: Any, context: EvaluationContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MAX_BATCH_SIZE", 10_000_000)
    with pytest.raises(TableRuntimeException, match="for one batch of rows exceed 10,000,000 bytes"):
        Evaluator([_padded(expressions, 1_000_000)], context).evaluate(BATCH)


@pytest.mark.parametrize(("function", "type_"), [(strings.CONCAT, "STRING"), (collections.ARRAY_CONCAT, "ARRAY<STRING>")])
def test_a_value_that_is_joined_again_and_again_is_bounded(
    expressions: Any, context: EvaluationContext, monkeypatch: pytest.MonkeyPatch, function: Any, type_: str
) -> None:
    monkeypatch.setattr(value_size, "MAX_VALUE_SIZE", 1_000_000)
    call = expressions.column(0, type_)
    for _ in range(40):
        call = expressions.call(function, call, call)
    column = pa.array(["abc"] if type_ == "STRING" else [["abc"]])
    with pytest.raises(TableRuntimeException, match="but a value may have 1,000,000"):
        Evaluator([call], context).evaluate(pa.record_batch({"s": column}))


def test_slices_are_smaller_where_there_is_little_memory(expressions: Any) -> None:
    pool = pa.default_memory_pool()
    evaluator = Evaluator([expressions.call(strings.CHAR_LENGTH, _padded(expressions, 100_000))], EvaluationContext(memory=64 << 18))
    before = pool.max_memory()
    assert evaluator.evaluate(BATCH)[0].to_pylist() == [100_000] * ROWS
    assert pool.max_memory() - before < 4_000_000


def test_values_that_are_kept_are_bounded_by_the_memory(expressions: Any) -> None:
    evaluator = Evaluator([_padded(expressions, 1_000_000)], EvaluationContext(memory=40_000_000))
    with pytest.raises(TableRuntimeException, match="for one batch of rows exceed 10,000,000 bytes"):
        evaluator.evaluate(BATCH)


def test_parts_of_a_batch_come_with_their_values(expressions: Any) -> None:
    parts = list(Evaluator([_padded(expressions, 50_000)], EvaluationContext(memory=64 << 20)).evaluate_in_slices(BATCH))
    assert 2 <= len(parts) <= 12
    assert [text for rows, _ in parts for text in rows["s"].to_pylist()] == BATCH["s"].to_pylist()
    assert all([text[-4:] for text in values.to_pylist()] == rows["s"].to_pylist() for rows, (values,) in parts)


def test_small_values_of_a_batch_stay_together(expressions: Any, context: EvaluationContext) -> None:
    ((rows, _),) = Evaluator([_padded(expressions, 10)], context).evaluate_in_slices(BATCH)
    assert rows.num_rows == ROWS
