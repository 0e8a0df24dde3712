from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, DoubleType, IntType
from table_runtime.streaming.aggregates.percentiles import PercentileState

Agrees = Callable[..., None]

NUMBERS = [1.0, 2.5, -3.0, 0.0, math.inf, None]


def test_percentiles_equal_a_recomputation(agrees: Agrees) -> None:
    agrees(fn.PERCENTILE, [DoubleType()], DoubleType(), lambda chance: (chance.choice(NUMBERS),), constants=(Decimal("0.3"),))


def test_nan_is_the_greatest_number(agrees: Agrees) -> None:
    agrees(fn.PERCENTILE, [DoubleType()], DoubleType(), lambda chance: (chance.choice([math.nan, 1.0, 2.0]),), constants=(0.5,))


def test_several_shares_and_a_constant_weight(agrees: Agrees) -> None:
    shares = [Decimal("0.0"), Decimal("0.25"), Decimal("1.0")]
    agrees(fn.PERCENTILE, [IntType()], ArrayType(DoubleType()), lambda chance: (chance.choice([1, 2, 9]),), constants=(shares, 3))


def test_weights_by_row(agrees: Agrees) -> None:
    def row(chance: random.Random) -> tuple[Any, ...]:
        return chance.choice(NUMBERS[:4]), 0.5, chance.choice([0, 1, 5, None, -1])

    # The weights of equal values are summed: the retraction of a row that does not exist subtracts its weight from rows with the same value.
    agrees(fn.PERCENTILE, [DoubleType(), DoubleType(), IntType()], DoubleType(), row, absent=False)


def test_a_constant_weight_after_a_column_of_shares(run_state: Any, accumulator_of: Any) -> None:
    accumulator = accumulator_of(fn.PERCENTILE, [DoubleType(), DoubleType()], DoubleType(), (2,))
    rows = [(0, 1, True, (number, 0.5)) for number in (1.0, 4.0)]
    assert run_state(PercentileState(accumulator), [pa.float64(), pa.float64()], rows) == [1.0, 2.5]


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_a_share_outside_0_to_1_is_an_error(share: float, run_state: Any, accumulator_of: Any) -> None:
    state = PercentileState(accumulator_of(fn.PERCENTILE, [DoubleType()], DoubleType(), (share,)))
    with pytest.raises(Exception, match="shares from 0 to 1"):
        run_state(state, [pa.float64()], [(0, 1, True, (1.0,))])
