"""Different numbers."""

from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.state.distinct_numbers import distinct_numbers


@pytest.mark.parametrize("numbers", [[], [5], [7, -3, 7, 9], [1 << 62, -(1 << 62), 0, 0]])
def test_distinct_numbers_ascend_and_give_the_numbers_back(numbers: list[int]) -> None:
    distinct, positions = distinct_numbers(np.array(numbers, np.int64))
    assert distinct.tolist() == sorted(set(numbers))
    assert distinct[positions].tolist() == numbers
