"""Aggregates over ranges of rows: one range per call gives the result of many ranges at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, DoubleType, IntType, LogicalType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns.pattern import Aggregate
from table_runtime.patterns.range_aggregate import RangeAggregate
from table_runtime.patterns.scalar_program import NeedsKernels

ARROW_TYPES: dict[type[LogicalType], pa.DataType] = {
    IntType: pa.int32(),
    BigIntType: pa.int64(),
    DoubleType: pa.float64(),
    VarCharType: pa.string(),
}
INTEGERS = [3, None, -7, 2, None, None, 5]


def column(type_: LogicalType) -> FieldReferenceExpression:
    return FieldReferenceExpression("v", type_, 0, 0)


def aggregate(
    name: str, type_: LogicalType, *, args: tuple[ResolvedExpression, ...] | None = None, result: LogicalType | None = None
) -> RangeAggregate:
    arguments = (column(type_),) if args is None else args
    spec = AggregateSpec(name, tuple(arg.output_type for arg in arguments), result or type_)
    return RangeAggregate(Aggregate(0, BUILT_INS_BY_NAME[name], spec, arguments), EvaluationContext())


def batch(values: Sequence[Any], type_: LogicalType) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, ARROW_TYPES[type(type_)])], names=["v"])


def over(function: RangeAggregate, rows: pa.RecordBatch, ranges: Sequence[tuple[int, int]]) -> list[Any]:
    values: list[Any] = function.over(rows, [first for first, _ in ranges], [end for _, end in ranges], lambda: None).to_pylist()
    return values


def all_ranges(count: int) -> list[tuple[int, int]]:
    return [(first, end) for first in range(count + 1) for end in range(first, count + 1)]


@pytest.mark.parametrize(
    ("name", "type_", "values"),
    [
        ("COUNT", IntType(), INTEGERS),
        ("SUM", IntType(), INTEGERS),
        ("AVG", IntType(), INTEGERS),
        ("MIN", IntType(), INTEGERS),
        ("MAX", IntType(), INTEGERS),
        ("SUM", DoubleType(), [0.5, None, -2.25, 4.0]),
        ("AVG", DoubleType(), [0.5, None, -2.25, 4.0]),
        ("MIN", VarCharType(), ["b", None, "", "a\U0001f600", "a\uffff"]),
        ("MAX", VarCharType(), ["b", None, "", "a\U0001f600", "a\uffff"]),
    ],
)
def test_one_range_per_call_gives_the_results_of_all_ranges_at_once(name: str, type_: LogicalType, values: list[Any]) -> None:
    function = aggregate(name, type_, result=BigIntType(nullable=False) if name == "COUNT" else None)
    rows = batch(values, type_)
    running = function.running(rows)
    assert running is not None
    ranges = all_ranges(len(values))
    assert [running(first, end) for first, end in ranges] == over(function, rows, ranges)


def test_positions_of_a_slice_begin_at_its_first_row() -> None:
    function = aggregate("SUM", IntType())
    rows = batch([100, 1, 2, 3], IntType()).slice(1)
    running = function.running(rows)
    assert running is not None
    assert (running(0, 2), over(function, rows, [(0, 2)])) == (3, [3])


def test_a_count_without_arguments_counts_nulls_too() -> None:
    running = aggregate("COUNT", IntType(), args=(), result=BigIntType(nullable=False)).running(batch([None, 1], IntType()))
    assert running is not None
    assert running(0, 2) == 2


def test_an_average_of_integers_is_rounded_towards_zero() -> None:
    running = aggregate("AVG", IntType()).running(batch([-3, -4], IntType()))
    assert running is not None
    assert running(0, 2) == -3


def test_doubles_are_added_one_after_the_other() -> None:
    """A sum with a correction of its rounding errors would be 1.0."""
    values = [0.1] * 10
    function = aggregate("SUM", DoubleType())
    running = function.running(batch(values, DoubleType()))
    assert running is not None
    assert running(0, 10) == reduce(add, values) == over(function, batch(values, DoubleType()), [(0, 10)])[0]


def test_a_sum_beyond_its_type_needs_the_kernels() -> None:
    running = aggregate("SUM", IntType()).running(batch([2**31 - 1, 1, -1], IntType()))
    assert running is not None
    with pytest.raises(NeedsKernels):
        running(0, 2)


def test_a_sum_that_returns_into_its_type_needs_no_kernels() -> None:
    running = aggregate("SUM", IntType()).running(batch([2**31 - 1, 1, -1], IntType()))
    assert running is not None
    assert running(0, 3) == 2**31 - 1


def test_a_sum_beyond_its_type_is_an_error_of_the_kernels() -> None:
    with pytest.raises(TableRuntimeException, match="SUM overflows"):
        over(aggregate("SUM", IntType()), batch([2**31 - 1, 1], IntType()), [(0, 2)])


@pytest.mark.parametrize("name", ["SUM", "AVG", "MIN", "MAX"])
def test_doubles_with_nan_are_left_to_the_kernels(name: str) -> None:
    assert aggregate(name, DoubleType()).running(batch([1.0, float("nan")], DoubleType())) is None


def test_other_functions_are_left_to_the_kernels() -> None:
    assert aggregate("STDDEV_POP", DoubleType()).running(batch([1.0], DoubleType())) is None


def test_computed_arguments_are_left_to_the_kernels() -> None:
    argument = CallExpression(BUILT_INS_BY_NAME["PLUS"], (column(IntType()), column(IntType())), IntType())
    assert aggregate("SUM", IntType(), args=(argument,)).running(batch([1], IntType())) is None


def test_an_argument_is_computed_for_the_rows_of_the_ranges_only() -> None:
    """The row between the ranges divides by zero."""
    hundred = column(IntType())
    argument = CallExpression(BUILT_INS_BY_NAME["DIVIDE"], (hundred, FieldReferenceExpression("w", IntType(), 0, 1)), IntType())
    rows = pa.RecordBatch.from_arrays([pa.array([100] * 4, pa.int32()), pa.array([1, 2, 0, 5], pa.int32())], names=["v", "w"])
    assert over(aggregate("SUM", IntType(), args=(argument,)), rows, [(0, 2), (3, 4), (1, 1)]) == [150, 20, None]


def test_a_failing_argument_in_a_range_is_an_error() -> None:
    argument = CallExpression(BUILT_INS_BY_NAME["DIVIDE"], (column(IntType()), column(IntType())), IntType())
    with pytest.raises(TableRuntimeException, match="zero"):
        over(aggregate("SUM", IntType(), args=(argument,)), batch([1, 0], IntType()), [(0, 2)])


def test_no_ranges_give_no_results() -> None:
    assert over(aggregate("SUM", IntType()), batch([], IntType()), []) == []


def test_an_empty_batch_has_an_empty_range() -> None:
    running = aggregate("MAX", IntType()).running(batch([], IntType()))
    assert running is not None
    assert running(0, 0) is None
