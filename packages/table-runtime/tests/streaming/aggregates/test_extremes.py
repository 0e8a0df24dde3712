from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, LogicalType, TimestampType, TinyIntType, VarCharType
from table_runtime.streaming.aggregates.registry import create_function_state


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (DecimalType(38, 2), [Decimal("123456789012345678901234567890123456.78"), Decimal("-0.01"), None]),
        (DoubleType(), [1.5, float("inf"), float("nan"), None]),
        (VarCharType(), ["", "a", "ä", None]),
        (TimestampType(9), [0, 1, None]),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", [fn.MIN, fn.MAX], ids=str)
def test_extremes_over_insertions_equal_a_recomputation(
    function: Any, type_: LogicalType, values: list[Any], agrees: Callable[..., None]
) -> None:
    agrees(function, [type_], type_, lambda chance: (chance.choice(values),), retracts=False)


@pytest.mark.parametrize("function", [fn.MIN, fn.MAX], ids=str)
@pytest.mark.parametrize("values", [[-0.0, 0.0], [0.0, -0.0], [None, -0.0, 0.0, -0.0]], ids=str)
@pytest.mark.parametrize("size", [1, 4])
def test_of_equal_zeros_the_first_stays(
    function: Any, values: list[float | None], size: int, run_state: Callable[..., list[Any]], accumulator_of: Callable[..., Any]
) -> None:
    state = create_function_state(accumulator_of(function, [DoubleType()], DoubleType()), [pa.float64()], has_retractions=False)
    results = run_state(state, [pa.float64()], [(slot, 1, True, (value,)) for value in values for slot in (0, 5)], size)
    first = next(value for value in values if value is not None)
    assert {str(result) for result in results if result is not None} == {str(first)}


@pytest.mark.parametrize("function", [fn.MIN, fn.MAX], ids=str)
def test_of_equal_zeros_the_first_stays_when_states_are_merged(function: Any, accumulator_of: Callable[..., Any]) -> None:
    first, second = (
        create_function_state(accumulator_of(function, [DoubleType()], DoubleType()), [pa.float64()], has_retractions=False)
        for _ in range(2)
    )
    for state in (first, second):
        state.reserve(8)
    slots = np.array([3, 1, 3, 1])
    first.insert([pa.array([-0.0, 0.0, 0.0, -0.0])], slots)
    second.insert([pa.array([0.0, -0.0, 0.0, None])], slots)
    first.merge(second, np.array([1, 3]), np.array([1, 3]))
    assert str(first.current(np.array([1, 3])).to_pylist()) == "[0.0, -0.0]"


_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


@pytest.mark.parametrize("function", [fn.MIN, fn.MAX], ids=str)
@pytest.mark.parametrize(
    ("type_", "arrow_type", "values"),
    [
        (BigIntType(), pa.int64(), [_LEAST, -3, None, -2]),
        (BigIntType(), pa.int64(), [_LEAST + 1, -1, _LEAST + 1]),
        (BigIntType(), pa.int64(), [_GREATEST, 1, None, 7]),
        (BigIntType(), pa.int64(), [_LEAST, 0, _GREATEST]),
        (BigIntType(), pa.int64(), [None, None]),
        (TinyIntType(), pa.int8(), [-128, None, 127]),
    ],
    ids=str,
)
def test_integers_that_are_inserted_at_once_have_their_extreme(
    function: Any, type_: LogicalType, arrow_type: pa.DataType, values: list[int | None], accumulator_of: Callable[..., Any]
) -> None:
    state = create_function_state(accumulator_of(function, [type_], type_), [arrow_type], has_retractions=False)
    state.reserve(4)
    slots = np.array([place % 2 for place in range(len(values))])
    state.insert([pa.array(values, arrow_type)], slots)
    state.insert([pa.array(values[::-1], arrow_type)], slots[::-1].copy())
    extreme = min if function is fn.MIN else max
    expected = [extreme((value for value in values[slot::2] if value is not None), default=None) for slot in range(2)]
    assert state.current(np.array([0, 1])).to_pylist() == expected
