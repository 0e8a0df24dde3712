from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.aggregates import distinct, value_lists
from table_runtime.streaming.aggregates.distinct import DistinctValues, ValueNumbers
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups


class Runner:
    """Counts the rows of each slot, and computes which rows add the first or retract the last copy of a value."""

    def __init__(self, filters: int = 1) -> None:
        self.numbers = ValueNumbers([pa.int64()])
        self.filters = [DistinctValues(self.numbers) for _ in range(filters)]
        self.values = self.filters[0]
        self.counts = np.zeros(8, np.int64)

    def signs(self, changes: list[tuple[int, int, int | None]]) -> list[int]:
        """Applies changes (slot, sign, value) as one batch."""
        groups = SlotGroups(np.array([slot for slot, _, _ in changes], np.int64))
        signs = np.array([sign for _, sign, _ in changes], np.int64)[groups.order]
        running = running_counts(signs, np.repeat(self.counts[groups.slots], groups.sizes), groups)
        self.counts[groups.slots] = running.after[groups.ends - 1]
        values = pa.array([value for _, _, value in changes], pa.int64()).take(pa.array(groups.order))
        given = self.filtered(values, [running.after - running.before], Segments(groups, running.before, running.after))[0]
        result = np.empty(len(changes), np.int64)
        result[groups.order] = given
        return [int(sign) for sign in result]

    def filtered(self, values: pa.Array, signs: list[Integers], segments: Segments) -> list[Integers]:
        """Returns what the rows of a batch add and retract, for each filter."""
        rows = np.flatnonzero(np.any([each != 0 for each in signs], axis=0))
        numbers = self.numbers.find([values], rows, segments)
        return [each.signs(numbers, rows, of_filter, segments) for each, of_filter in zip(self.filters, signs, strict=True)]


def stored(values: DistinctValues, slots: Sequence[int] = range(3)) -> list[tuple[int, ...]]:
    """Returns what a snapshot of some slots has, sorted."""
    return sorted(zip(*values.snapshot(np.array(slots)).to_pydict().values(), strict=True))


def test_only_the_first_copy_is_added_and_only_the_last_is_retracted() -> None:
    changes = [(0, 1, 5), (0, 1, 5), (1, 1, 5), (0, 1, None), (0, -1, 5), (0, -1, 5), (0, -1, 9)]
    runner = Runner()
    assert runner.signs(changes) == [1, 0, 1, 1, 0, -1, 0]


def test_a_retraction_of_an_unknown_value_is_reported() -> None:
    runner = Runner()
    runner.signs([(0, 1, 5), (0, 1, 6)])
    assert runner.signs([(0, -1, 9), (0, 1, 9)]) == [0, 1]
    assert runner.values.ignored == {0}


def test_groups_of_a_snapshot_without_values_are_apart() -> None:
    runner = Runner()
    runner.counts[:] = 1  # all their rows had a filter that was false
    assert runner.signs([(0, 1, 5), (1, 1, 5)]) == [1, 1]
    assert runner.signs([(2, 1, 5)]) == [1]
    assert stored(runner.values) == [(0, 1, 5), (1, 1, 5), (2, 1, 5)]


@pytest.mark.parametrize("few", [2, 4096])
def test_removed_values_can_be_purged(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_FEW", few)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    runner, model = Runner(), [Counter[int]() for _ in range(3)]
    for _ in range(200):
        changes: list[tuple[int, int, int | None]] = []
        expected = []
        for _ in range(chance.randrange(1, 12)):
            slot = chance.randrange(3)
            counts = model[slot]
            if counts and chance.random() < 0.52:
                value = chance.choice(sorted(counts))
                changes.append((slot, -1, value))
                counts[value] -= 1
                expected.append(0 if counts[value] else -1)
                if not counts[value]:
                    del counts[value]
            else:
                value = chance.randrange(1000)
                changes.append((slot, 1, value))
                expected.append(0 if counts[value] else 1)
                counts[value] += 1
        assert runner.signs(changes) == expected
    assert few == 4096 or runner.numbers.size < 400


def test_rows_that_a_filter_removed_are_not_kept() -> None:
    runner = Runner()
    groups = SlotGroups(np.array([1, 0, 1, 0, 1], np.int64))
    ones = np.ones(5, np.int64)
    running = running_counts(ones, np.zeros(5, np.int64), groups)
    segments = Segments(groups, running.before, running.after)
    values = pa.array([7, 8, 7, 9, 7], pa.int64())  # of the sorted rows
    assert runner.filtered(values, [np.array([0, 1, 1, 0, 1])], segments)[0].tolist() == [0, 1, 1, 0, 0]
    assert runner.numbers.size == 2
    running = running_counts(ones, np.array([2, 2, 3, 3, 3]), groups)
    segments = Segments(groups, running.before, running.after)
    assert runner.filtered(values, [np.zeros(5, np.int64)], segments)[0].tolist() == [0] * 5
    assert runner.filtered(values, [np.array([0, -1, 0, -1, 0])], segments)[0].tolist() == [0, -1, 0, 0, 0]
    assert runner.values.ignored == {3}


@pytest.mark.parametrize(("few", "steps"), [(2, 64), (4096, 64), (2, 1), (4096, 4)])
def test_filters_share_the_values_and_count_apart(few: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_FEW", few)
    monkeypatch.setattr(value_lists, "_MOST_STEPS", steps)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    together, apart = Runner(3), [Runner(), Runner(), Runner()]
    rows: list[tuple[int, int, int]] = []  # slot, value, the filters that keep the row, as bits
    counts = np.zeros(8, np.int64)
    for step in range(150):
        changes = []
        for _ in range(chance.randrange(1, 12)):
            if rows and chance.random() < 0.5:
                changes.append((-1, *rows.pop(chance.randrange(len(rows)))))
            else:
                rows.append((chance.randrange(3), chance.randrange(30), chance.randrange(8)))
                changes.append((1, *rows[-1]))
        if step % 10 == 5:  # all groups end, and begin again
            changes += [(-1, *row) for row in rows]
            rows = []
        groups = SlotGroups(np.array([slot for _, slot, _, _ in changes], np.int64))
        ordered = [changes[row] for row in groups.order]
        signs = np.array([sign for sign, *_ in ordered], np.int64)
        running = running_counts(signs, np.repeat(counts[groups.slots], groups.sizes), groups)
        counts[groups.slots] = running.after[groups.ends - 1]
        segments = Segments(groups, running.before, running.after)
        values = pa.array([value for *_, value, _ in ordered], pa.int64())
        of_filters = [signs * np.array([bits >> place & 1 for *_, bits in ordered], np.int64) for place in range(3)]
        result = together.filtered(values, of_filters, segments)
        for place, runner in enumerate(apart):
            (alone,) = runner.filtered(values, [of_filters[place]], segments)
            assert result[place].tolist() == alone.tolist()
            assert together.filters[place].ignored == runner.values.ignored
    restored = Runner(3)
    for place, runner in enumerate(apart):
        restored.filters[place].restore(np.arange(3), together.filters[place].snapshot(np.arange(3)))
        contents = [stored(each) for each in (together.filters[place], restored.filters[place], runner.values)]
        assert contents[0] == contents[1] == contents[2]
        of_one = [stored(together.filters[place], [slot]) for slot in range(3)]
        assert contents[0] == [(slot, *row) for slot, found in enumerate(of_one) for _, *row in found], "a piece has what the whole has"
    assert few == 4096 or together.numbers.size < 400


def test_rows_that_only_add_values_are_compared_with_those_of_earlier_batches() -> None:
    numbers = np.random.default_rng(9)
    runner = Runner(2)
    seen: list[set[tuple[int, int]]] = [set(), set()]
    counts = np.zeros(8, np.int64)
    for _ in range(5):
        groups = SlotGroups(numbers.integers(0, 3, 200))
        owners, values = np.repeat(groups.slots, groups.sizes), numbers.integers(0, 150, 200)
        signs = [np.ones(200, np.int64), numbers.integers(0, 2, 200)]
        running = running_counts(signs[0], np.repeat(counts[groups.slots], groups.sizes), groups)
        counts[groups.slots] = running.after[groups.ends - 1]
        given = runner.filtered(pa.array(values), signs, Segments(groups, running.before, running.after))
        for known, of_filter, result in zip(seen, signs, given, strict=True):
            for row, key in enumerate(zip(owners.tolist(), values.tolist(), strict=True)):
                assert result[row] == int(of_filter[row] == 1 and key not in known)
                if of_filter[row]:
                    known.add(key)
