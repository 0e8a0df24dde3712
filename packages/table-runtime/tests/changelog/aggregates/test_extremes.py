from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import DecimalType, DoubleType, LogicalType, TimestampType, VarCharType


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
