"""NaN in arrays, maps and rows: equal to itself as a part of a value, not found as an element, the greatest in an order."""

from __future__ import annotations

import math

import pytest

from table_runtime.kernels.scalar import collections as arrays

NAN, OTHER = float("nan"), float("inf") - float("inf")


def test_an_array_is_sorted_with_nan_last() -> None:
    assert [math.isnan(item) for item in arrays.sort([NAN, 3.0, OTHER, 1.0, 2.0])] == [False, False, False, True, True]


def test_numbers_are_sorted_around_nan() -> None:
    assert arrays.sort([3.0, NAN, 1.0, NAN, 2.0])[:3] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("values", [[NAN, 1.0, 2.0], [1.0, NAN, 2.0], [1.0, 2.0, NAN]])
def test_nan_is_the_greatest_wherever_it_is(values: list[float]) -> None:
    assert math.isnan(arrays.maximum(values))
    assert arrays.minimum(values) == 1.0


def test_nan_is_one_value_of_a_set() -> None:
    assert len(arrays.distinct([NAN, OTHER, NAN])) == 1
    assert arrays.difference([NAN], [OTHER]) == []


def test_nan_is_not_found() -> None:
    assert not arrays.contains([NAN], NAN)
    assert arrays.position([NAN], NAN) == 0
    assert len(arrays.remove([NAN], NAN) or []) == 1


def test_an_array_with_nan_is_found_in_an_array() -> None:
    assert arrays.contains([[NAN]], [OTHER])
