"""Results of many elements are computed for few rows at once."""

from __future__ import annotations

import pytest

from table_runtime.streaming.aggregates.function import rows_within


@pytest.mark.parametrize(("limit", "largest", "growth"), [(1000, 0, 1), (1000, 90, 1), (1_000_000, 12, 7.5), (65_536, 40_000, 1)])
def test_the_total_size_of_the_results_is_about_the_limit(limit: int, largest: int, growth: float) -> None:
    rows = rows_within(limit, largest, growth)
    assert rows * (largest + rows * growth) <= limit
    assert (rows + 1) * (largest + (rows + 1) * growth) > limit


def test_one_row_is_applied_even_if_its_result_exceeds_the_limit() -> None:
    assert rows_within(1000, 5000) == 1
