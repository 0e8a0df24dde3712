from __future__ import annotations

import random

import numpy as np
import pytest

from table_runtime.streaming.changes.batch import INSERT, UPDATE_AFTER, UPDATE_BEFORE
from table_runtime.streaming.state.rank_partitions import RankPartitions


def changes(partitions: RankPartitions, keys: list[int], first: int, start: int, end: int) -> list[tuple[int, int, int]]:
    kinds, rows, ranks, _ = partitions.add_ranked(np.zeros(len(keys), np.int64), keys, first, start, end, lambda: None)
    return list(zip(kinds.tolist(), rows.tolist(), ranks.tolist(), strict=True))


def test_ranks_behind_a_new_row_are_updated_and_the_last_row_leaves() -> None:
    partitions = RankPartitions()
    assert changes(partitions, [10, 20], 0, 0, 2) == [(INSERT, 0, 0), (INSERT, 1, 1)]
    assert changes(partitions, [5, 30], 2, 0, 2) == [
        (UPDATE_BEFORE, 0, 0),
        (UPDATE_AFTER, 2, 0),
        (UPDATE_BEFORE, 1, 1),
        (UPDATE_AFTER, 0, 1),
    ]
    assert partitions[0].rows == [2, 0]


def test_no_rows_and_no_ranks() -> None:
    assert changes(RankPartitions(), [], 0, 0, 2) == []
    assert changes(RankPartitions(), [1, 2], 0, 0, 0) == []


@pytest.mark.parametrize("start", [0, 1, 3])
def test_random_rows_have_the_ranks_of_a_sorted_list(start: int) -> None:
    chance = random.Random(5)
    end = 4
    partitions = RankPartitions()
    model: list[tuple[int, int]] = []
    state: dict[int, int] = {}
    size = 0
    for first in range(0, 60, 3):
        keys = [chance.randrange(8) for _ in range(3)]
        kinds, rows, ranks, grown = partitions.add_ranked(np.zeros(3, np.int64), keys, first, start, end, lambda: None)
        for kind, row, rank in zip(kinds.tolist(), rows.tolist(), ranks.tolist(), strict=True):
            if kind == UPDATE_BEFORE:
                assert state.pop(rank) == row
            else:
                assert rank not in state
                state[rank] = row
        model = sorted([*model, *((key, first + number) for number, key in enumerate(keys))])[:end]
        size += grown
        assert state == {rank: row for rank, (_, row) in enumerate(model) if rank >= start}
        assert size == len(model)
