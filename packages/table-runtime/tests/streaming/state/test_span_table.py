"""Keys of a span and other words, against the hash table."""

from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.state import span_table
from table_runtime.streaming.state.hash_table import HashTable
from table_runtime.streaming.state.span_table import SpanTable


@pytest.mark.parametrize("cells", [1 << 22, 4096, 1])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_slots_are_those_of_a_hash_table(monkeypatch: pytest.MonkeyPatch, width: int, cells: int) -> None:
    """With few cells, keys move to a hash table."""
    monkeypatch.setattr(span_table, "_MANY_CELLS", cells)
    chance = np.random.default_rng(width)
    table, expected = SpanTable(width), HashTable(width)
    for number in range(20):
        words = np.stack(
            [chance.integers(number, number + 3, 300), *(chance.integers(0, 9 * 5**number % 3000 + 1, 300) for _ in range(width - 1))]
        )
        assert table.find(words).tolist() == expected.find(words).tolist()
        assert table.find_or_insert(words).tolist() == expected.find_or_insert(words).tolist()
        assert table.size == expected.size
        slots = np.arange(table.size)
        assert table.keys(slots).tolist() == expected.keys(slots).tolist()
        assert table.is_current(slots).all()


def test_words_of_nulls_may_come_later() -> None:
    table = SpanTable(2)
    assert table.find_or_insert(np.array([[5, 5], [1, 2]])).tolist() == [0, 1]
    assert table.find_or_insert(np.array([[5, 5, 6], [1, 0, 0], [0, 2, 2]])).tolist() == [0, 2, 3]
    assert table.firsts(np.arange(4)).tolist() == [5, 5, 5, 6]
    parts = table.parts(np.arange(4)).tolist()
    assert parts[2] == parts[3]
    assert len(set(parts)) == 3


def test_a_forgotten_first_word_begins_anew() -> None:
    table = SpanTable(2)
    for first in range(100):
        slots = table.find_or_insert(np.array([[first, first, first], [1, 2, 1]]))
        assert slots.tolist() == [2 * first, 2 * first + 1, 2 * first]
        table.forget(first)
        assert table.find(np.array([[first], [1]])).tolist() == [-1]
    assert table._cells.shape == (4, 1024)
    table.forget(1000)
