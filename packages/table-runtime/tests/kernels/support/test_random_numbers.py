"""RAND and RAND_INTEGER; the numbers of a seed are those of ``java.util.Random``."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import math
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.kernels.support.random_numbers import JavaRandom


def evaluate(call: Any, context: EvaluationContext, *batches: pa.RecordBatch) -> list[Any]:
    evaluator = Evaluator([call], context)
    return [value for batch in batches for value in evaluator.evaluate(batch)[0].to_pylist()]


def test_doubles_are_those_of_java() -> None:
    generator = JavaRandom(42)
    assert [generator.double() for _ in range(2)] == [0.7275636800328681, 0.6832234717598454]


def test_integers_are_those_of_java() -> None:
    generator = JavaRandom(42)
    assert [generator.integer(10) for _ in range(5)] == [0, 3, 8, 4, 0]


@pytest.mark.parametrize("bound", [1, 2, 3, 1 << 30, (1 << 30) + 1, (1 << 31) - 1])
@pytest.mark.parametrize("seed", [0, -1, 2**63 - 1, -(2**63)])
def test_integers_are_from_0_to_below_the_bound(bound: int, seed: int) -> None:
    generator = JavaRandom(seed)
    assert all(0 <= generator.integer(bound) < bound for _ in range(50))


def test_a_seed_repeats_random_numbers(expressions: Any, context: EvaluationContext) -> None:
    batch = pa.record_batch({"x": pa.nulls(5)})
    first, second = (Evaluator([expressions.call(math.RAND, 7)], context).evaluate(batch)[0] for _ in range(2))
    assert first.equals(second)


def test_random_integers_are_below_their_bound(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([expressions.call(math.RAND_INTEGER, 3)], context).evaluate(pa.record_batch({"x": pa.nulls(200)}))
    assert set(array.to_pylist()) == {0, 1, 2}


def test_a_constant_seed_goes_on_in_the_next_batch(expressions: Any, context: EvaluationContext) -> None:
    call = expressions.call(math.RAND, 42)
    two, four = pa.record_batch({"x": pa.nulls(2)}), pa.record_batch({"x": pa.nulls(4)})
    numbers = evaluate(call, context, two, two)
    assert numbers == evaluate(call, context, four)
    assert len(set(numbers)) == 4


def test_a_seed_of_the_row_gives_its_first_number_and_null_gives_null(expressions: Any, context: EvaluationContext) -> None:
    batch = pa.record_batch({"f0": pa.array([42, None, 42], pa.int32())})
    first = 0.7275636800328681
    assert evaluate(expressions.call(math.RAND, expressions.column(0, "INT")), context, batch) == [first, None, first]


@pytest.mark.parametrize("bound", [0, -1])
def test_a_bound_that_is_not_positive_is_refused(expressions: Any, context: EvaluationContext, bound: int) -> None:
    with pytest.raises(TableRuntimeException, match=f"RAND_INTEGER takes a bound above 0, but got {bound}"):
        evaluate(expressions.call(math.RAND_INTEGER, 7, bound), context, pa.record_batch({"x": pa.nulls(1)}))
