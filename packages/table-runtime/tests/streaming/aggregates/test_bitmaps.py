from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import bitmap as fn
from table_common.types import BigIntType, BitmapType, IntType, LogicalType
from table_runtime.roaring import encode

Agrees = Callable[..., None]

MAKING = [fn.BITMAP_OR_AGG, fn.BITMAP_AND_AGG, fn.BITMAP_XOR_AGG]
COUNTING = [fn.BITMAP_OR_CARDINALITY_AGG, fn.BITMAP_AND_CARDINALITY_AGG, fn.BITMAP_XOR_CARDINALITY_AGG]


@pytest.mark.parametrize(
    ("function", "output"), [(fn.BITMAP_BUILD_AGG, BitmapType()), (fn.BITMAP_BUILD_CARDINALITY_AGG, BigIntType())], ids=str
)
def test_built_bitmaps_equal_a_recomputation(function: FunctionDefinition, output: LogicalType, agrees: Agrees) -> None:
    agrees(function, [IntType()], output, lambda chance: (chance.choice([1, 2, -1, 100_000, None]),))


@pytest.mark.parametrize(("function", "output"), [*((f, BitmapType()) for f in MAKING), *((f, BigIntType()) for f in COUNTING)], ids=str)
def test_combined_bitmaps_equal_a_recomputation(function: FunctionDefinition, output: LogicalType, agrees: Agrees) -> None:
    # Retracted bitmaps of rows that do not exist have numbers that no other bitmap has, and are ignored.
    def row(chance: random.Random) -> tuple[Any, ...]:
        some = chance.sample([1, 2, 3, 70_000], chance.randrange(4))
        return (chance.choice([None, encode([*some, 9])]),)

    same = (lambda bitmap: bitmap) if output == BitmapType() else repr
    agrees(function, [BitmapType()], output, row, same=same, absent=False)
