from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, BooleanType, DecimalType, DoubleType, LogicalType, TimestampType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.streaming.aggregates import numbered_values
from table_runtime.streaming.aggregates.counted_extremes import CountedExtremeState
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups

NAN = float("nan")


def advanced(name: str, type_: LogicalType, values: pa.Array, signs: list[int], slots: list[int], size: int) -> list[Any]:
    """Returns the result after each row, in batches of ``size`` rows."""
    function = fn.MAX if name == "max" else fn.MIN
    state = CountedExtremeState(make_accumulator(function, AggregateSpec(function.name, (type_,), type_)))
    counts = np.zeros(max(slots) + 1, np.int64)
    results: list[Any] = []
    for start in range(0, len(slots), size):
        groups = SlotGroups(np.array(slots[start : start + size], np.int64))
        sorted_signs = np.array(signs[start : start + size], np.int64)[groups.order]
        running = running_counts(sorted_signs, np.repeat(counts[groups.slots], groups.sizes), groups)
        counts[groups.slots] = running.after[groups.ends - 1]
        segments = Segments(groups, running.before, running.after)
        after = state.advance([values.slice(start, size).take(pa.array(groups.order))], sorted_signs, segments).to_pylist()
        results += [after[place] for place in np.argsort(groups.order).tolist()]
    return results


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", ["min", "max"])
def test_the_extreme_is_that_of_the_remaining_rows(name: str, size: int) -> None:
    choice = random.Random(17)
    values: list[int | None] = []
    signs: list[int] = []
    slots: list[int] = []
    expected: list[int | None] = []
    groups: list[list[int | None]] = [[], [], []]
    for _ in range(600):
        slot = choice.randrange(3)
        kept = groups[slot]
        is_retracted = bool(kept) and choice.random() < 0.45
        value = kept.pop(choice.randrange(len(kept))) if is_retracted else choice.choice([None, *range(-5, 6)])
        if not is_retracted:
            kept.append(value)
        values.append(value)
        signs.append(-1 if is_retracted else 1)
        slots.append(slot)
        numbers = [number for number in kept if number is not None]
        expected.append((max if name == "max" else min)(numbers, default=None))
    assert advanced(name, BigIntType(), pa.array(values, pa.int64()), signs, slots, size) == expected


def test_nan_is_the_greatest_number() -> None:
    values = pa.array([1.0, NAN, NAN])
    assert [str(v) for v in advanced("max", DoubleType(), values, [1, 1, -1], [0] * 3, 2)] == ["1.0", "nan", "1.0"]
    assert advanced("min", DoubleType(), values, [1, 1, -1], [0] * 3, 2) == [1.0, 1.0, 1.0]


def test_a_retraction_of_an_unknown_value_is_ignored() -> None:
    values = pa.array(["a", "b", "c"])
    assert advanced("max", VarCharType(), values, [1, 1, -1], [0] * 3, 3) == ["a", "b", "b"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (DecimalType(38, 2), [Decimal("123456789012345678901234567890123456.78"), Decimal("-0.01"), None]),
        (DoubleType(), [1.5, math.inf, -math.inf, NAN, None]),
        (VarCharType(), ["", "a", "ä", "aa"]),
        (TimestampType(9), [0, 1]),
        (BooleanType(), [True, False]),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", [fn.MIN, fn.MAX], ids=str)
def test_extremes_equal_a_recomputation(function: Any, type_: LogicalType, values: list[Any], agrees: Callable[..., None]) -> None:
    agrees(function, [type_], type_, lambda chance: (chance.choice(values),))


def test_removed_values_are_purged(monkeypatch: pytest.MonkeyPatch, run_state: Any, accumulator_of: Any) -> None:
    monkeypatch.setattr(numbered_values, "_FEW", 4)
    state = CountedExtremeState(accumulator_of(fn.MAX, [BigIntType()], BigIntType()))
    rows = [(1, 1, True, (5,)), (0, 1, True, (10_000,))]
    for number in range(300):  # the values below the extreme come and go
        rows += [(0, 1, True, (number,)), (0, -1, True, (number,))]
    assert set(run_state(state, [pa.int64()], rows, 4)[1:]) == {10_000}
    assert state.values.size < 100
    assert run_state(state, [pa.int64()], [(1, 1, True, (7,)), (1, -1, True, (7,)), (1, 1, True, (6,))]) == [7, None, 6]
