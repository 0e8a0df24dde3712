"""Inserting rows and merging states gives what rows give one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, FloatType, IntType, LogicalType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.streaming.aggregates.mergeable import MergeableState, Unions
from table_runtime.streaming.aggregates.registry import create_function_state

LONG, DOUBLE, TEXT, DECIMAL = BigIntType(), DoubleType(), VarCharType(100), DecimalType(6, 2)
NAN = float("nan")
CASES = [
    (fn.COUNT, LONG, pa.int64(), LONG, [1, None, 3, None, None, 4]),
    (fn.SUM, LONG, pa.int64(), LONG, [1, None, -3, None, 1 << 50, 4]),
    (fn.SUM, IntType(), pa.int32(), IntType(), [1, None, -3, None, 5, 4]),
    (fn.SUM, FloatType(), pa.float32(), FloatType(), [0.1, None, 0.2, -0.0, 0.3, 1e30]),
    (fn.SUM, DOUBLE, pa.float64(), DOUBLE, [0.1, None, 0.2, NAN, 0.3, float("inf")]),
    (fn.SUM, DECIMAL, pa.decimal128(6, 2), DecimalType(38, 2), ["1.10", None, "-0.05", None, "9999.99", "2"]),
    (fn.AVG, LONG, pa.int64(), LONG, [1, None, -3, None, 5, 4]),
    (fn.MIN, LONG, pa.int64(), LONG, [1, None, -3, None, 5, 4]),
    (fn.MAX, DOUBLE, pa.float64(), DOUBLE, [1.5, None, NAN, None, -5.0, -0.0]),
    (fn.MAX, TEXT, pa.string(), TEXT, ["b", None, "a", None, "zz", ""]),
]
SLOTS = np.array([3, 0, 3, 1, 2, 2])


def new(function: FunctionDefinition, argument: LogicalType, type_: pa.DataType, result: LogicalType, size: int = 8) -> MergeableState:
    state = create_function_state(
        make_accumulator(function, AggregateSpec(function.name, (argument,), result, ())), [type_], has_retractions=False
    )
    assert isinstance(state, MergeableState)
    state.reserve(size)
    return state


@pytest.mark.parametrize(("function", "argument", "type_", "result", "values"), CASES)
def test_merged_states_are_those_of_all_rows(
    function: FunctionDefinition, argument: LogicalType, type_: pa.DataType, result: LogicalType, values: list[Any]
) -> None:
    rows = pa.array(values).cast(type_)
    inserted = new(function, argument, type_, result)
    for start in (0, 2):
        part = slice(start, (2, None)[start // 2])
        assert inserted.can_insert([rows[part]])
        inserted.insert([rows[part]], SLOTS[part])
    each = inserted.current(np.arange(4))
    merged, whole = new(function, argument, type_, result), new(function, argument, type_, result)
    merged.merge(inserted, np.array([0, 1, 2, 3]), np.array([5, 5, 6, 5]))
    whole.insert([rows], np.array([5, 5, 5, 5, 6, 6]))
    assert repr(merged.current(np.array([5, 6, 7])).to_pylist()) == repr(whole.current(np.array([5, 6, 7])).to_pylist())
    for slot in range(4):
        alone = new(function, argument, type_, result)
        alone.insert([rows.filter(pa.array(slot == SLOTS))], np.zeros((slot == SLOTS).sum(), np.int64))
        assert repr(alone.current(np.array([0]))[0].as_py()) == repr(each[slot].as_py())


@pytest.mark.parametrize(("function", "argument", "type_", "result", "values"), CASES)
def test_cleared_slots_are_as_new_and_others_stay(
    function: FunctionDefinition, argument: LogicalType, type_: pa.DataType, result: LogicalType, values: list[Any]
) -> None:
    rows = pa.array(values).cast(type_)
    state = new(function, argument, type_, result)
    state.insert([rows], SLOTS)
    other = repr(state.current(np.array([0, 1])).to_pylist())
    state.clear(np.array([2, 3]))
    alone = new(function, argument, type_, result)
    assert repr(state.current(np.array([2, 3])).to_pylist()) == repr(alone.current(np.array([2, 3])).to_pylist())
    state.insert([rows], np.full(len(rows), 3))
    alone.insert([rows], np.full(len(rows), 3))
    assert repr(state.current(np.array([2, 3])).to_pylist()) == repr(alone.current(np.array([2, 3])).to_pylist())
    assert repr(state.current(np.array([0, 1])).to_pylist()) == other


@pytest.mark.parametrize(("function", "argument", "type_", "result", "values"), CASES)
def test_united_states_are_merged_ones(
    function: FunctionDefinition, argument: LogicalType, type_: pa.DataType, result: LogicalType, values: list[Any]
) -> None:
    given = new(function, argument, type_, result)
    given.insert([pa.array(values).cast(type_)], SLOTS)
    unions = Unions(np.array([3, 0, 1, 2]), np.array([0, 2, 3, 6]), [2, 3, 4], 3, [[0, 1], [2], [2, 1, 0]])
    slots, numbers = unions.pairs()
    assert slots.tolist() == [3, 0, 1, 2, 2, 1, 3, 0]
    assert numbers.tolist() == [0, 2, 0, 3, 6, 6, 6, 8]
    merged, united = (new(function, argument, type_, result, unions.size) for _ in range(2))
    merged.merge(given, slots, numbers)
    is_united = function in (fn.COUNT, fn.SUM, fn.AVG) and type_ in (pa.int64(), pa.int32(), pa.float32())
    assert united.unite(given, unions) == is_united
    if is_united:
        assert repr(united.current(np.arange(9)).to_pylist()) == repr(merged.current(np.arange(9)).to_pylist())


def test_sums_that_may_overflow_are_not_united() -> None:
    state = new(fn.SUM, LONG, pa.int64(), LONG)
    state.insert([pa.array([1 << 62, 1])], np.array([0, 1]))
    unions = Unions(np.array([0, 1]), np.array([0, 1]), [1, 2], 1, [[0, 1]])
    assert not new(fn.SUM, LONG, pa.int64(), LONG).unite(state, unions)


def test_sums_that_may_overflow_are_not_inserted_and_fail_when_merged() -> None:
    state = new(fn.SUM, LONG, pa.int64(), LONG)
    most = (1 << 63) - 1
    assert state.can_insert([pa.array([most])])
    state.insert([pa.array([most])], np.array([0]))
    assert not state.can_insert([pa.array([1])])
    state.insert([pa.array([-1])], np.array([1]))
    union = new(fn.SUM, LONG, pa.int64(), LONG)
    union.merge(state, np.array([0, 1]), np.array([2, 2]))
    assert union.current(np.array([2])).to_pylist() == [most - 1]
    with pytest.raises(TableRuntimeException, match="SUM overflows BIGINT"):
        union.merge(state, np.array([1, 0]), np.array([3, 2]))
    assert union.failed_row == 1
