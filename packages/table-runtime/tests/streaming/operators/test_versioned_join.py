from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins.join_output import PairFilter
from table_runtime.streaming.operators.join import JoinSide
from table_runtime.streaming.operators.over import Over
from table_runtime.streaming.operators.versioned_join import VersionedJoin
from table_testing.rounds import rounds

TIME = pa.timestamp("us")
LEFT = pa.schema([("k", pa.int64()), ("a", pa.int64()), ("lt", TIME)])
RIGHT = pa.schema([("k", pa.int64()), ("b", pa.int64()), ("rt", TIME)])
BOTH = pa.schema([*LEFT, ("k2", pa.int64()), ("b", pa.int64()), ("rt", TIME)])
INPUTS = ((LEFT, 2), (RIGHT, 2))


def operator(*, is_outer: bool, condition: bool = False, has_kinds: bool = True) -> VersionedJoin:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)]

    sides = (JoinSide(LEFT, keys, has_retractions=False), JoinSide(RIGHT, keys, has_retractions=False))
    residual = PairFilter(lambda pairs: pc.less_equal(pairs.column(1), pairs.column(4)), frozenset({1, 4}), "a <= b") if condition else None
    return VersionedJoin(BOTH, sides, [pa.int64()], [False], (2, 2), residual, is_outer=is_outer, has_kinds=has_kinds)


class Model:
    """The join row by row: at each watermark the left rows up to it are joined, and versions before the last one up to it are removed."""

    def __init__(self, *, is_outer: bool, condition: bool) -> None:
        self.is_outer, self.condition = is_outer, condition
        self.waiting: list[tuple[str, Any]] = []
        self.versions: dict[Any, dict[int, tuple[str, Any]]] = {}
        self.given: list[tuple[str, tuple[Any, ...]]] = []

    def push(self, number: int, kind: str, row: Any) -> None:
        if number == 0:
            self.waiting.append((kind, row))
        elif kind != "-U" and row[0] is not None:
            self.versions.setdefault(row[0], {})[row[2]] = (kind, row)

    def advance(self, watermark: int) -> None:
        ready = sorted((one for one in self.waiting if one[1][2] <= watermark), key=lambda one: one[1][2])
        self.waiting = [one for one in self.waiting if one[1][2] > watermark]
        for kind, row in ready:
            right = self.version(row)
            if right is not None and self.condition and (row[1] is None or right[1] is None or row[1] > right[1]):
                right = None
            if right is not None or self.is_outer:
                self.given.append((kind, (*row, *(right or (None,) * 3))))
        for versions in self.versions.values():
            reached = [time for time in versions if time <= watermark]
            for time in reached:
                if time < max(reached):
                    del versions[time]

    def version(self, row: Any) -> Any:
        versions = self.versions.get(row[0], {})
        kind, right = versions[max(reached)] if (reached := [time for time in versions if time <= row[2]]) else ("-D", None)
        return None if kind == "-D" else right


def random_steps(chance: random.Random, number: int, length: int, *, kinds: Sequence[str], lateness: Sequence[int]) -> list[Any]:
    time = 100
    result = []
    for _ in range(length):
        time += chance.choice([0, 0, 1, 1, 2, 5])
        values = (chance.choice([None, 1, 2, 2]), chance.choice([None, *range(6)]), max(time - chance.choice(lateness), 1))
        result.append((number, chance.choice(kinds), values))
    return result


@pytest.mark.sampled(1)
@pytest.mark.parametrize("condition", [False, True])
@pytest.mark.parametrize("is_outer", [False, True])
def test_rows_are_those_of_a_row_by_row_model_wherever_batches_are_cut(
    is_outer: bool, condition: bool, play: Any, event_time: Any, bursts: Callable[..., Any]
) -> None:
    for seed in rounds(12):
        chance = random.Random(f"{is_outer} {condition} {seed}")
        timing = {"delay": chance.choice([0, 2, 6]), "interval": chance.choice([0, 3])}
        lateness = chance.choice([(0,), (0, 0, 0, 1, 3, 8, 20), (0, 9, 30)])
        left_kinds = chance.choice([("+I",), ("+I", "-U", "+U", "-D")])
        lefts = random_steps(chance, 0, 40, kinds=left_kinds, lateness=lateness)
        rights = random_steps(chance, 1, 40, kinds=("+I", "+I", "+U", "-U", "-D"), lateness=lateness)
        steps = bursts(chance, lefts, rights)
        ends = chance.choice([(0, 1), (1, 0)])
        model, clock = Model(is_outer=is_outer, condition=condition), event_time(2, **timing)
        for number, kind, row in steps:
            model.push(number, kind, row)
            if clock.advance(number, row[2]):
                model.advance(clock.current)
        for number in ends:
            if clock.end(number):
                model.advance(clock.current)
        for size, restores in ((1, False), (3, False), (100, False), (1, True), (4, True)):
            given = play(operator(is_outer=is_outer, condition=condition), INPUTS, steps, size=size, restores=restores, ends=ends, **timing)
            case = f"seed {seed}, {timing}, late by {lateness}, batches of {size}, restored: {restores}"
            assert sorted(map(repr, given)) == sorted(map(repr, model.given)), case


def steps(*rows: tuple[int, str, Any, int | None, int]) -> list[Any]:
    return [(number, kind, (key, value, time)) for number, kind, key, value, time in rows]


def pairs(given: Any) -> list[tuple[Any, Any]]:
    return [(row[1], row[4]) for _, row in given]


def test_a_row_sees_the_version_of_its_own_time(play: Any) -> None:
    rows = steps((1, "+I", 1, 10, 100), (1, "+U", 1, 20, 105), (0, "+I", 1, 1, 99), (0, "+I", 1, 2, 104), (0, "+I", 1, 3, 105))
    assert pairs(play(operator(is_outer=True), INPUTS, rows)) == [(1, None), (2, 10), (3, 20)]


def test_a_deletion_ends_the_version_and_the_row_before_an_update_does_not(play: Any) -> None:
    rows = steps((1, "+I", 1, 10, 100), (1, "-U", 1, 10, 100), (1, "+U", 1, 20, 105), (1, "-D", 1, 20, 110), (1, "+I", 1, 30, 120))
    rows += steps(*((0, "+I", 1, time, time) for time in (100, 105, 109, 110, 119, 120)))
    assert pairs(play(operator(is_outer=True), INPUTS, rows)) == [(100, 10), (105, 20), (109, 20), (110, None), (119, None), (120, 30)]


def test_of_two_versions_of_one_time_the_later_one_counts(play: Any) -> None:
    rows = steps((1, "+I", 1, 10, 100), (1, "+U", 1, 20, 100), (0, "+I", 1, 1, 100))
    assert pairs(play(operator(is_outer=False), INPUTS, rows)) == [(1, 20)]
    assert pairs(play(operator(is_outer=False), INPUTS, rows, size=9)) == [(1, 20)]


def test_a_version_older_than_a_deletion_that_comes_later_does_not_revive_the_key(play: Any) -> None:
    rows = steps((1, "+I", 1, 10, 100), (1, "-D", 1, 10, 105), (0, "+I", 2, 0, 106), (1, "+I", 2, 0, 107))
    rows += steps((1, "+I", 1, 11, 103), (0, "+I", 1, 1, 110), (1, "+I", 2, 0, 110))
    for size in (1, 9):
        assert pairs(play(operator(is_outer=True), INPUTS, rows, size=size))[-1] == (1, None), f"batches of {size}"


def test_left_rows_keep_their_kinds(play: Any) -> None:
    rows = steps((1, "+I", 1, 10, 100), (0, "+I", 1, 1, 101), (0, "-U", 1, 1, 101), (0, "+U", 1, 2, 102), (0, "-D", 1, 2, 103))
    assert [kind for kind, _ in play(operator(is_outer=False), INPUTS, rows)] == ["+I", "-U", "+U", "-D"]
    assert {kind for kind, _ in play(operator(is_outer=False, has_kinds=False), INPUTS, rows)} == {"+I"}


def test_state_holds_one_version_of_each_key_and_the_rows_that_wait(play: Any) -> None:
    rows = steps(*((number % 2, "+I", number // 2 % 5, number, 100 + number) for number in range(2000)))
    play(operator(is_outer=False), INPUTS, rows, size=50)
    assert play.rows_in_state < 15


def test_which_rows_are_late_for_the_next_operator_does_not_depend_on_batches(play: Any, bursts: Callable[..., Any]) -> None:
    for seed in rounds(8):
        chance = random.Random(seed)
        lefts, rights = (random_steps(chance, number, 30, kinds=("+I",), lateness=(0, 0, 1, 9)) for number in (0, 1))
        rows = bursts(chance, lefts, rights)
        results = [
            sorted(map(repr, play(operator(is_outer=True, has_kinds=False), INPUTS, rows, size=size, reader=Over(BOTH, BOTH, (), 2, ()))))
            for size in (1, 4, 100)
        ]
        assert results[0] == results[1] == results[2], f"seed {seed}"
