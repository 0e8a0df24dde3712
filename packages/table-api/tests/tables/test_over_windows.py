"""OVER windows of the Table API: bounds and aliases."""

from __future__ import annotations

import pytest

from table_api import TableEnvironment, ValidationException
from table_api.expressions import (
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    col,
)
from table_api.window import Over


def test_bounds_of_a_window_are_both_rows_or_both_ranges() -> None:
    with pytest.raises(ValidationException, match=r"both count rows \(ROWS\) or both be intervals"):
        Over.order_by(col("a")).preceding(UNBOUNDED_RANGE).following(CURRENT_ROW).alias("w")


def test_a_bound_of_a_window_is_a_constant() -> None:
    with pytest.raises(ValidationException, match="The bound of a window frame is row_interval"):
        Over.order_by(col("a")).preceding(col("a"))


def test_a_window_that_was_not_given_is_refused(env: TableEnvironment) -> None:
    windows = env.from_path("t").over_window(Over.order_by(col("a")).alias("w"))
    with pytest.raises(ValidationException, match="Window 'v' does not exist"):
        windows.select(col("a").sum.over(col("v")))
