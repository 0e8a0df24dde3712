from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, DecimalType, DoubleType, IntType, LogicalType, MultisetType, TimestampType, VarCharType
from table_runtime.streaming.aggregates import counted_values
from table_runtime.streaming.aggregates.counted_values import CollectState


def by_value(result: list[tuple[Any, int]]) -> dict[str, int]:
    return {repr(value): count for value, count in result}


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (IntType(), [1, 2, 3, None]),
        (DoubleType(), [0.0, math.nan, math.inf, None]),
        (DecimalType(38, 2), [Decimal("123456789012345678901234567890123456.78"), Decimal("0.00"), None]),
        (VarCharType(), ["", "a", None]),
        (TimestampType(3), [0, 5_000_000]),
        (ArrayType(IntType()), [[1, None], [], None]),
    ],
    ids=str,
)
def test_multisets_equal_a_recomputation(type_: LogicalType, values: list[Any], agrees: Callable[..., None]) -> None:
    agrees(fn.COLLECT, [type_], MultisetType(type_), lambda chance: (chance.choice(values),), same=by_value)


def test_signed_zeros_are_equal(run_state: Any, accumulator_of: Any) -> None:
    state = CollectState(accumulator_of(fn.COLLECT, [DoubleType()], MultisetType(DoubleType())), pa.float64())
    rows = [(0, 1, True, (-0.0,)), (0, 1, True, (0.0,)), (0, -1, True, (0.0,))]
    assert run_state(state, [pa.float64()], rows) == [[(0.0, 1)], [(0.0, 2)], [(0.0, 1)]]


def test_fewer_rows_are_applied_at_once_to_larger_multisets(monkeypatch: pytest.MonkeyPatch, run_state: Any, accumulator_of: Any) -> None:
    monkeypatch.setattr(counted_values, "MOST_VALUES", 100)
    state = CollectState(accumulator_of(fn.COLLECT, [IntType()], MultisetType(IntType())), pa.int32())
    run_state(state, [pa.int32()], [(0, 1, True, (1,))] * 50)
    assert state.rows_at_once([]) == 9
    run_state(state, [pa.int32()], [(1, 1, True, (number,)) for number in range(50)])
    assert state.rows_at_once([]) == 1
