"""Slots of integers, against the hash table."""

from __future__ import annotations

import random

import numpy as np
import pytest

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.cells import find_or_claim
from table_runtime.streaming.state.hash_table import HashTable, Truths, Words
from table_runtime.streaming.state.integer_table import IntegerTable

FAR = (1 << 62) + 5
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
RANGES = {
    "close": [(0, 1000)] * 6,
    "growing": [(number * 9_000, number * 9_000 + 10_000) for number in range(6)],
    "falling": [(-number * 9_000, 10_000 - number * 9_000) for number in range(6)],
    "both ways": [(-(10**number), 10**number) for number in range(6)],
    "far apart at last": [(0, 1000), (0, 1000), (-FAR, FAR), (0, 1000)],
    "far away": [(FAR, FAR + 1000), (FAR, FAR + 1000)],
    "everywhere": [(LEAST, GREATEST), (LEAST, GREATEST)],
}


def compare(table: IntegerTable, expected: HashTable, words: Words, expired: set[int] | None = None) -> None:
    def is_expired(slots: Slots) -> Truths:
        assert expired is not None
        return np.isin(slots, list(expired))

    given = None if expired is None else is_expired
    before = words.copy()
    assert table.find(words).tolist() == expected.find(words).tolist()
    assert table.find_or_insert(words, given).tolist() == expected.find_or_insert(words, given).tolist()
    assert table.size == expected.size
    slots = np.arange(table.size)
    assert table.keys(slots)[0].tolist() == expected.keys(slots)[0].tolist()
    assert table.is_current(slots).tolist() == expected.is_current(slots).tolist()
    assert (words == before).all()


@pytest.mark.parametrize("ranges", RANGES.values(), ids=list(RANGES))
def test_slots_are_those_of_a_hash_table(ranges: list[tuple[int, int]]) -> None:
    chance = random.Random(1)
    table, expected = IntegerTable(), HashTable(1)
    for least, greatest in ranges:
        compare(table, expected, np.array([[chance.randint(least, greatest) for _ in range(500)]]))
        compare(table, expected, np.array([[LEAST, GREATEST, 0, least, greatest]])[:, 2 if least > LEAST else 0 :])
        found = np.array([[LEAST, GREATEST, least - 1 if least > LEAST else 0, -1]])
        assert table.find(found).tolist() == expected.find(found).tolist()


@pytest.mark.parametrize("last", [1000, FAR])
def test_expired_keys_get_new_slots(last: int) -> None:
    """Also when the keys move to a hash table afterwards."""
    chance = random.Random(2)
    table, expected = IntegerTable(), HashTable(1)
    expired: set[int] = set()
    for number in range(8):
        words = np.array([[chance.randrange(200) for _ in range(100)] + [last] * (number > 4)])
        compare(table, expected, words, expired)
        expired |= {chance.randrange(table.size) for _ in range(40)}


def test_words_of_nulls_may_come_later() -> None:
    table = IntegerTable()
    assert table.find_or_insert(np.array([[5, 0]])).tolist() == [0, 1]
    assert table.find_or_insert(np.array([[5, 7], [0, 0]])).tolist() == [0, 2]
    assert table.find(np.array([[0, 7], [1, 0]])).tolist() == [-1, 2]
    assert table.find_or_insert(np.array([[0, 0, 9], [1, 0, 0]])).tolist() == [3, 1, 4]
    assert table.find_or_insert(np.array([[9, 0]])).tolist() == [4, 1]
    assert table.keys(np.arange(5)).tolist() == [[5, 0, 7, 0, 9], [0, 0, 0, 1, 0]]


def test_no_keys_have_no_slots_and_room_changes_nothing() -> None:
    table = IntegerTable()
    assert table.find(np.array([[1, 2]])).tolist() == [-1, -1]
    assert table.find_or_insert(np.zeros((1, 0), np.int64)).tolist() == []
    table.reserve(5000)
    assert table.find_or_insert(np.array([[3]])).tolist() == [0]
    assert table.find_or_insert(np.array([[FAR]])).tolist() == [1]
    table.reserve(5000)
    assert table.find(np.array([[3, FAR, 4]])).tolist() == [0, 1, -1]


@pytest.mark.parametrize("apart", [1, 1000])
def test_keys_for_which_there_is_room_are_not_moved(apart: int) -> None:
    table = IntegerTable()
    table.reserve(300_000)
    keys = np.random.default_rng(1).permutation(300_000)[np.newaxis] * apart
    table.find_or_insert(keys[:, :10])
    hashed = table._hashed
    assert (hashed is None) == (apart == 1)
    cells = None if hashed is None else hashed._table
    table.find_or_insert(keys)
    assert table._hashed is hashed
    assert hashed is None or hashed._table is cells
    assert table.find(keys[:, 10:]).tolist() == list(range(10, 300_000))


def test_empty_cells_get_slots_in_the_order_of_rows() -> None:
    cells = np.array([-1, 0, -1, -1], np.int32)
    slots, size, first = find_or_claim(cells, np.array([3, 1, 0, 3, 0]), 1)
    assert (slots.tolist(), size, first.tolist()) == ([1, 0, 2, 1, 2], 3, [0, 2])
    assert cells.tolist() == [2, 0, -1, 1]
