"""Functions of arrays and maps: NaN equals itself inside of a value, is not found as an element, and is the greatest in an order."""

from __future__ import annotations

import math

import pytest

from table_common.exceptions import TableRuntimeException
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


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(1, 2, [1, 2]), (0, 2, [1, 2]), (-2, None, [2, 3]), (-9, 1, [1]), (2, -1, [2, 3]), (3, 2, []), (9, None, []), (1, -9, [])],
)
def test_slices_count_from_1_or_from_the_end(start: int, end: int | None, expected: list[int]) -> None:
    assert arrays.slice_of([1, 2, 3], start, end) == expected


@pytest.mark.parametrize(
    ("ascending", "nulls_first", "expected"),
    [(True, None, [None, 1, 2]), (False, None, [2, 1, None]), (True, False, [1, 2, None]), (False, True, [None, 2, 1])],
)
def test_null_is_first_of_an_ascending_order(ascending: bool, nulls_first: bool | None, expected: list[int | None]) -> None:
    assert arrays.sort([2, None, 1], ascending, nulls_first) == expected


def test_a_map_keeps_the_last_value_of_a_key() -> None:
    assert arrays.map_from_arrays([1, 2, 1], ["a", "b", None]) == [(1, None), (2, "b")]
    assert arrays.map_union([(NAN, 1)], [(OTHER, 2)])[0][1] == 2
    assert arrays.lookup([(1, "a"), (1, "b")], 1) == "b"


@pytest.mark.parametrize(
    ("keys", "message"), [([1], "as many keys as values, but got 1 and 2"), ([1, None], "A MAP cannot have NULL as a key")]
)
def test_a_map_of_wrong_keys_is_refused(keys: list[int | None], message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        arrays.map_from_arrays(keys, [1, 2])


def test_null_is_found_in_an_array() -> None:
    assert arrays.contains([1, None], None)
    assert arrays.position([1, None], None) == 2
    assert arrays.remove([1, None], None) == [1]
    assert arrays.contains(None, 1) is None
