"""Tests for table_runtime.streaming.operators.tied_ranks."""

from __future__ import annotations

import random

import pytest

from table_runtime.streaming.changes.batch import DELETE, INSERT
from table_runtime.streaming.operators.tied_ranks import TiedRanks
from table_runtime.streaming.state.rank_partitions import RankPartition
from table_testing.rounds import rounds

Shown = list[tuple[int, int]]


def shown(partition: RankPartition, start: int, end: int | None, *, is_dense: bool, has_rank: bool) -> Shown:
    """Returns the rows that are shown and their ranks."""
    result = []
    for key, row in zip(partition.keys, partition.rows, strict=True):
        before = [other for other in partition.keys if other < key]
        rank = len(set(before)) if is_dense else len(before)
        if rank >= start and (end is None or rank < end):
            result.append((row, rank if has_rank else 0))
    return result


@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize("is_dense", [False, True])
@pytest.mark.parametrize("has_rank", [False, True])
@pytest.mark.parametrize(("start", "end"), [(0, 1), (0, 3), (1, 4), (0, None), (2, None), (0, 0)])
def test_changes_are_the_difference_of_all_ranks(start: int, end: int | None, has_rank: bool, is_dense: bool, seed: int) -> None:
    chance = random.Random(seed)
    ranks = TiedRanks(start, end, is_dense=is_dense, has_rank=has_rank)
    partition = RankPartition()
    before: Shown = []
    for row in range(200):
        if partition.rows and chance.random() < 0.45:
            changes = ranks.remove(partition, chance.randrange(len(partition.rows)))
        else:
            changes = ranks.add(partition, chance.randrange(6), row)
        assert partition.keys == sorted(partition.keys)
        after = shown(partition, start, end, is_dense=is_dense, has_rank=has_rank)
        gone = [(DELETE, *one) for one in before if one not in after]
        assert changes == gone + [(INSERT, *one) for one in after if one not in before]
        hidden = [row for row in partition.rows if row not in {row for row, _ in after}]
        if not start and end is not None:
            assert partition.rows[ranks.first_hidden(partition.keys) :] == hidden
        before = after
