from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import DecimalType, DoubleType
from table_runtime.streaming.aggregates.moments import MomentsState


class Welford:
    """The algorithm row by row."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def variance(self, value: float | None) -> float | None:
        if value is not None:
            self.count += 1
            distance = value - self.mean
            self.mean += distance / self.count
            self.squares += distance * (value - self.mean)
        return self.squares / self.count if self.count else None


@pytest.mark.parametrize("slots", [1, 3, 40])
def test_results_do_not_depend_on_batch_boundaries(slots: int, run_state: Any, accumulator_of: Any) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    values = [0.1, 0.2, -7.5, 1e9, 1e-9, None]
    rows = [(chance.randrange(slots), 1, chance.random() < 0.9, (chance.choice(values),)) for _ in range(300)]
    models: dict[int, Welford] = {}
    wanted = [models.setdefault(slot, Welford()).variance(args[0] if counts else None) for slot, _, counts, args in rows]
    for size in (1, 5, 64, 300):
        state = MomentsState(accumulator_of(fn.VAR_POP, [DoubleType()], DoubleType()))
        assert run_state(state, [pa.float64()], rows, size) == wanted
    states = [MomentsState(accumulator_of(fn.VAR_POP, [DoubleType()], DoubleType())) for _ in range(2)]
    assert run_state(states[0], [pa.float64()], rows, 150, new=lambda: states[1]) == wanted


def test_nan_and_infinity_affect_only_their_group(run_state: Any, accumulator_of: Any) -> None:
    state = MomentsState(accumulator_of(fn.STDDEV_POP, [DoubleType()], DoubleType()))
    rows = [(slot, 1, True, (value,)) for slot, value in ((0, 1.0), (1, math.nan), (2, math.inf), (0, 3.0), (1, 1.0))]
    given = run_state(state, [pa.float64()], rows)
    assert [given[0], given[3]] == [0.0, 1.0]
    assert np.isnan([given[1], given[2], given[4]]).all()


def test_decimals_are_rounded_at_the_end(run_state: Any, accumulator_of: Any) -> None:
    from decimal import Decimal

    type_ = DecimalType(38, 6)
    state = MomentsState(accumulator_of(fn.VAR_SAMP, [type_], type_))
    rows = [(0, 1, True, (Decimal(value),)) for value in ("1.5", "2.5", "4")]
    assert run_state(state, [pa.decimal128(38, 6)], rows) == [None, Decimal("0.500000"), Decimal("1.583333")]
