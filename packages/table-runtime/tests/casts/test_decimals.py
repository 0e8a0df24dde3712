"""Decimals are rounded exactly, however many digits they have."""

from __future__ import annotations

import random
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

import pyarrow as pa
import pytest

from table_runtime.casts.decimals import round_decimals


@pytest.mark.parametrize(("mode", "rounding"), [("half_towards_infinity", ROUND_HALF_UP), ("towards_zero", ROUND_DOWN)])
def test_random_decimals_are_rounded_as_python_does(mode: str, rounding: str) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance, exact = random.Random(seed), Context(prec=200)
    for _ in range(150):
        scale = chance.randrange(40)
        places = chance.randrange(-5, scale + 1)
        texts = []
        for _ in range(20):
            count = chance.randrange(1, 75)
            digits = chance.choice(["9" * count, "1" + "9" * (count - 1), str(chance.randrange(10**count)), "4" + "9" * (count - 1)])
            texts.append(chance.choice([None, digits, "-" + digits]))
        values = [None if text is None else Decimal(text).scaleb(-scale, exact) for text in texts]
        found = round_decimals(pa.array(values, pa.decimal256(76, scale)), places, mode)
        unit = Decimal(1).scaleb(-places)
        assert found.to_pylist() == [None if value is None else value.quantize(unit, rounding, exact) for value in values]
