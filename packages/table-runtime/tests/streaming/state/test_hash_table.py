"""Tests for table_runtime.streaming.state.hash_table."""

from __future__ import annotations

import random

import numpy as np
import pytest

from table_runtime.streaming.state import hash_table
from table_runtime.streaming.state.hash_table import HashTable, Words


def words_of(*keys: tuple[int, ...]) -> Words:
    return np.array(keys, np.int64).reshape(len(keys), -1).T.copy()


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("is_constant", [False, True])
@pytest.mark.parametrize("width", [1, 3])
def test_slots_are_those_of_a_dictionary(width: int, is_constant: bool, is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a constant hash every key meets every other one."""
    if is_large:
        monkeypatch.setattr(hash_table, "_LARGE", 1 << 13)
    if is_constant:
        monkeypatch.setattr(hash_table, "hash_words", lambda words, width: np.zeros(words.shape[1], np.uint64))
    chance = random.Random(5)
    rows = 300 if is_constant else 20_000
    table = HashTable(width)
    known: dict[tuple[int, ...], int] = {}
    for number in range(4):
        keys = [tuple(chance.randrange(rows * (number + 1) // 10) for _ in range(width)) for _ in range(rows)]
        assert table.find(words_of(*keys)).tolist() == [known.get(key, -1) for key in keys]
        expected = [known.setdefault(key, len(known)) for key in keys]
        assert table.find_or_insert(words_of(*keys)).tolist() == expected
    assert table.size == len(known)
    assert list(zip(*table.keys(np.arange(table.size)).tolist(), strict=True)) == list(known)


def test_words_that_a_batch_leaves_out_are_zero() -> None:
    table = HashTable(1)
    assert table.find_or_insert(words_of((7,), (8,))).tolist() == [0, 1]
    assert table.find_or_insert(words_of((7, 0), (7, 1), (9, 1))).tolist() == [0, 2, 3]
    assert table.find_or_insert(words_of((8,), (9,), (7,))).tolist() == [1, 4, 0]
    assert table.find(words_of((9, 1), (9, 2))).tolist() == [3, -1]


def test_no_keys_have_no_slots() -> None:
    assert HashTable(2).find_or_insert(np.zeros((2, 0), np.int64)).tolist() == []


def test_the_keys_of_a_bucket_are_in_one_part_of_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_table, "_LARGE", 1)
    table = HashTable(1)
    keys = np.arange(1000)[np.newaxis]
    of_bucket = keys[:, hash_table.hash_words(keys, 1) % np.uint64(64) == 5]
    slots = table.find_or_insert(of_bucket)
    cells = np.flatnonzero(np.isin(table._table, slots))
    assert len(cells) == of_bucket.shape[1] > 5
    part = len(table._table) // 64
    assert set((cells // part).tolist()) == {5}


def test_a_table_with_room_does_not_grow() -> None:
    table = HashTable(2)
    table.find_or_insert(words_of((1, 2)))
    table.reserve(50_000)
    cells = table._table
    assert table.find_or_insert(np.arange(100_000).reshape(2, -1)).tolist() == list(range(1, 50_001))
    assert table._table is cells
    assert table.find(words_of((1, 2), (0, 50_000))).tolist() == [0, 1]
