from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.aggregates import value_lists
from table_runtime.streaming.aggregates.value_lists import ListedValues, ValueLists


def lists() -> ValueLists:
    """Three groups: slot 0 has the values 0, 2 and 4, slot 5 has 1, and slot 2 had 3."""
    result = ValueLists()
    result.add(np.array([0, 5, 0]), np.array([0, 1, 2]))
    result.add(np.array([2, 0]), np.array([3, 4]))
    result.clear(np.array([2]))
    return result


def pairs(found: ListedValues) -> set[tuple[int, int]]:
    return set(zip(found.places.tolist(), found.numbers.tolist(), strict=True))


def test_values_are_found_by_the_places_of_their_groups() -> None:
    found = lists().of(np.array([5, 2, 0, 9000]))
    assert pairs(found) == {(0, 1), (2, 0), (2, 2), (2, 4)}
    assert not len(found.rest)


def test_groups_with_many_values_are_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_lists, "_MOST_STEPS", 2)
    found = lists().of(np.array([5, 0]))
    assert (pairs(found), found.rest.tolist()) == ({(0, 1)}, [1])
    monkeypatch.setattr(value_lists, "_MOST_STEPS", 3)
    assert pairs(lists().of(np.array([5, 0]))) == {(0, 1), (1, 0), (1, 2), (1, 4)}


def test_no_groups_have_no_values() -> None:
    assert not pairs(lists().of(np.zeros(0, np.int64)))
    nothing = ValueLists()
    nothing.add(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert not pairs(nothing.of(np.arange(3)))
