from __future__ import annotations

import numpy as np
import pytest

from table_runtime.changelog.state.rank_bounds import RankBounds
from table_runtime.changelog.state.rank_partitions import RankPartitions


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
        assert {slot: (part.keys, part.rows) for slot, part in at_once.items()} == {
            slot: (part.keys, part.rows) for slot, part in one_by_one.items()
        }
        known = np.array(sorted(at_once))
        kept = bounds.admits(np.full(len(known), 49), known)
        assert kept.tolist() == [len(at_once[slot].rows) < end or at_once[slot].keys[-1] > 49 for slot in known]
        first += rows
