from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, DecimalType, DoubleType, IntType, LogicalType, RowField, RowType, TimestampType, VarCharType
from table_runtime.streaming.aggregates import numbered_values, value_bags
from table_runtime.streaming.aggregates.value_bags import ArrayState, EndState, SingleValueState

_CHOICES: list[tuple[LogicalType, list[Any]]] = [
    (IntType(), [1, 2, 3, None]),
    (DoubleType(), [0.0, -0.0, math.nan, 1.5, None]),
    (DecimalType(38, 2), [Decimal("123456789012345678901234567890123456.78"), Decimal("-0.01"), None]),
    (VarCharType(), ["", "a", "ä", None]),
    (TimestampType(3), [0, 1_000_000, None]),
    (ArrayType(IntType()), [[1], [1, None], [], None]),
    (RowType((RowField("f0", IntType()), RowField("f1", VarCharType()))), [{"f0": 1, "f1": None}, {"f0": 1, "f1": "x"}, None]),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("type_", "values"), _CHOICES, ids=[str(type_) for type_, _ in _CHOICES])
@pytest.mark.parametrize("function", [fn.FIRST_VALUE, fn.LAST_VALUE], ids=str)
@pytest.mark.parametrize("retracts", [True, False])
def test_first_and_last_values_equal_a_recomputation(
    function: FunctionDefinition, type_: LogicalType, values: list[Any], retracts: bool, agrees: Callable[..., None]
) -> None:
    agrees(function, [type_], type_, lambda chance: (chance.choice(values),), retracts=retracts)


@pytest.mark.parametrize(("type_", "values"), _CHOICES, ids=[str(type_) for type_, _ in _CHOICES])
def test_arrays_equal_a_recomputation(type_: LogicalType, values: list[Any], agrees: Callable[..., None]) -> None:
    agrees(fn.ARRAY_AGG, [type_], ArrayType(type_), lambda chance: (chance.choice(values),))


def test_a_second_value_of_a_scalar_subquery_is_an_error(run_state: Any, accumulator_of: Any) -> None:
    state = SingleValueState(accumulator_of(fn.SINGLE_VALUE, [IntType()], IntType()), pa.int32())
    rows = [(0, 1, True, (None,)), (0, -1, True, (None,)), (0, 1, True, (4,))]
    assert run_state(state, [pa.int32()], rows) == [None, None, 4]
    state = SingleValueState(accumulator_of(fn.SINGLE_VALUE, [IntType()], IntType()), pa.int32())
    with pytest.raises(TableRuntimeException, match="more than one row"):
        run_state(state, [pa.int32()], [(0, 1, True, (1,)), (0, 1, True, (2,))])


def test_fewer_rows_are_applied_at_once_to_larger_arrays(monkeypatch: pytest.MonkeyPatch, run_state: Any, accumulator_of: Any) -> None:
    monkeypatch.setattr(value_bags, "MOST_VALUES", 100)
    state = ArrayState(accumulator_of(fn.ARRAY_AGG, [IntType()], ArrayType(IntType())), pa.int32())
    assert state.rows_at_once([]) == 10
    run_state(state, [pa.int32()], [(0, 1, True, (1,))] * 50)
    assert state.rows_at_once([]) == 1


def test_unused_values_are_purged(monkeypatch: pytest.MonkeyPatch, run_state: Any, accumulator_of: Any) -> None:
    monkeypatch.setattr(numbered_values, "_FEW", 4)
    state = EndState(accumulator_of(fn.LAST_VALUE, [IntType()], IntType()), pa.int32(), is_last=True)
    rows = [(1, 1, True, (-5,))]
    for number in range(200):
        rows += [(0, 1, True, (number,)), (0, 1, True, (number + 1000,)), (0, -1, True, (number,))]
        rows += [(0, -1, True, (number + 1000,))]
    given = run_state(state, [pa.int32()], rows, 4)
    assert given[1:] == [value for n in range(200) for value in (n, n + 1000, n + 1000, None)]
    assert state.values.size < 40
    assert run_state(state, [pa.int32()], [(0, 1, True, (7,))]) == [7]


def test_retractions_of_unknown_values_are_reported(run_state: Any, accumulator_of: Any) -> None:
    state = EndState(accumulator_of(fn.LAST_VALUE, [IntType()], IntType()), pa.int32(), is_last=True)
    rows = [(0, 1, True, (1,)), (0, 1, True, (2,)), (0, -1, True, (9,)), (0, -1, True, (2,))]
    assert run_state(state, [pa.int32()], rows) == [1, 2, 2, 1]
    assert state.ignored == {2}
