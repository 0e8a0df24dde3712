from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.state.rank_bounds import RankBounds
from table_runtime.streaming.state.rank_partitions import RankPartitions
from table_runtime.streaming.state.rank_rounds import stretches


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize("end", [1, 3, 10])
@pytest.mark.parametrize("partitions", [2, 150, 4000])
def test_many_rows_at_once_change_what_they_change_one_by_one(partitions: int, start: int, end: int) -> None:
    numbers = np.random.default_rng(end)
    one_by_one, at_once, bounds = RankPartitions(), RankPartitions(), RankBounds(end)
    first = 0
    for rows in (3000, 700, 3000):
        # Half of the rows are of a few partitions.
        slots = np.where(numbers.random(rows) < 0.5, numbers.integers(0, 2, rows), numbers.integers(0, partitions, rows))
        words = numbers.integers(-50, 50, rows)
        words[::97] = np.iinfo(np.int64).max
        expected = one_by_one.add_ranked(slots, words.tolist(), first, start, end, lambda: None)
        found = at_once.add_ranked_words(slots, words, first, start, end, bounds, lambda: None)
        for values, other in zip(found[:3], expected[:3], strict=True):
            assert values.tolist() == other.tolist()
        assert found[3] == expected[3]
        known = np.array(sorted(one_by_one))
        listed = at_once._listed(known)
        assert {slot: (part.keys, part.rows) for slot, part in listed.items()} == {
            slot: (part.keys, part.rows) for slot, part in one_by_one.items()
        }
        for partitions_of in (at_once, one_by_one):
            counts, numbered = partitions_of.rows_of(known)
            assert counts.tolist() == [len(one_by_one[slot].rows) for slot in known.tolist()]
            assert numbered.tolist() == [row for slot in known.tolist() for row in one_by_one[slot].rows]
        kept = bounds.admits(np.full(len(known), 49), known)
        assert kept.tolist() == [len(listed[slot].rows) < end or listed[slot].keys[-1] > 49 for slot in known]
        first += rows


def test_partitions_are_lines_and_lists_by_turns() -> None:
    """Rows with new numbers, a NULL among the keys, and many rows again."""
    numbers = np.random.default_rng(1)
    expected, found, bounds = RankPartitions(), RankPartitions(), RankBounds(3)
    for number, first in enumerate(range(0, 4000, 500)):
        slots, words = numbers.integers(0, 200, 500), numbers.integers(0, 30, 500)
        arguments = (first, 0, 3)
        changes = expected.add_ranked(slots, words.tolist(), *arguments, lambda: None)
        if number % 3:
            at_once = found.add_ranked_words(slots, words, *arguments, bounds, lambda: None)
        else:
            at_once = found.add_ranked(slots, words.tolist(), *arguments, lambda: None)
        assert found.are_lines == (number % 3 > 0)
        assert [values.tolist() for values in at_once[:3]] == [values.tolist() for values in changes[:3]]
        for partitions in (found, expected):
            partitions.renumber(lambda rows: -rows - 2)
            partitions.renumber(lambda rows: -rows - 2)
        every = np.arange(200)
        assert found.row_counts(every).tolist() == expected.row_counts(every).tolist()


def test_stretches_have_each_row_once_and_twice_as_many_of_a_partition_as_the_ones_before() -> None:
    chance = np.random.default_rng(5)
    slots = chance.choice([3, 3, 3, 3, 7, 9], 1000)
    positions = np.sort(chance.choice(1000, 800, replace=False))
    groups = list(stretches(positions, slots, 16))
    assert np.sort(np.concatenate(groups)).tolist() == positions.tolist()
    for slot in (3, 7, 9):
        rows = positions[slots[positions] == slot]
        counts = [int((slots[group] == slot).sum()) for group in groups]
        assert [group[slots[group] == slot].tolist() for group in groups] == [
            part.tolist() for part in np.split(rows, np.cumsum(counts)[:-1])
        ]
        assert counts[:-1] == [min(16 << number, max(len(rows) - 16 * (2**number - 1), 0)) for number in range(len(groups) - 1)]
    assert list(stretches(positions[:0], slots, 16)) == []


def test_rows_of_a_large_partition_that_cannot_be_first_are_dropped_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    one_by_one = RankPartitions._add_one_by_one

    def counted(partitions: RankPartitions, positions: Integers, *arguments: Any) -> int:
        looked_at.append(len(positions))
        return one_by_one(partitions, positions, *arguments)

    monkeypatch.setattr(RankPartitions, "_add_one_by_one", counted)
    words = np.random.default_rng(6).integers(0, 10**9, 50_000)
    RankPartitions().add_ranked_words(np.zeros(50_000, np.int64), words, 0, 0, 10, RankBounds(10), lambda: None)
    assert sum(looked_at) < 500
