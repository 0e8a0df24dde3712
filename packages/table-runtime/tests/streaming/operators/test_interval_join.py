from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators import interval_join as interval_join_module
from table_runtime.streaming.operators.interval_join import IntervalJoin
from table_runtime.streaming.operators.join import JoinSide
from table_runtime.streaming.operators.over import Over
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_testing.rounds import rounds

TIME = pa.timestamp("us")
LEFT = pa.schema([("k", pa.int64()), ("a", pa.int64()), ("lt", TIME)])
RIGHT = pa.schema([("k", pa.int64()), ("b", pa.int64()), ("rt", TIME)])
BOTH = pa.schema([*LEFT, ("k2", pa.int64()), ("b", pa.int64()), ("rt", TIME)])
INPUTS = ((LEFT, 2), (RIGHT, 2))
KINDS = (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
BOUNDS = ((-3, 4), (0, 0), (2, 6), (-6, -2), (5, 5), (3, 1), (-1, 0))
"""The last but one is empty."""


def operator(
    kind: JoinKind, bounds: tuple[int, int], *, condition: bool = False, null_equal: bool = False, keyed: bool = True, is_timed: bool = True
) -> IntervalJoin:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)] if keyed else []

    sides = (JoinSide(LEFT, keys, has_retractions=False), JoinSide(RIGHT, keys, has_retractions=False))
    residual = PairFilter(lambda pairs: pc.less_equal(pairs.column(1), pairs.column(4)), frozenset({1, 4}), "a <= b") if condition else None
    times = (2, 2) if is_timed else None
    return IntervalJoin(BOTH, kind, sides, [pa.int64()] if keyed else [], [null_equal] if keyed else [], times, bounds, residual)


class Model:
    """The join row by row; an entry is [row, last possible time of a partner, whether it has found one]."""

    def __init__(self, kind: JoinKind, bounds: tuple[int, int], *, condition: bool, null_equal: bool, keyed: bool) -> None:
        self.lower, self.upper = bounds
        self.outer = (kind in (JoinKind.LEFT, JoinKind.FULL), kind in (JoinKind.RIGHT, JoinKind.FULL))
        self.condition, self.null_equal, self.keyed = condition, null_equal, keyed
        self.kept: tuple[list[list[Any]], list[list[Any]]] = ([], [])
        self.given: list[tuple[Any, ...]] = []

    def matches(self, left: Any, right: Any) -> bool:
        if self.keyed and (left[0] != right[0] or (left[0] is None and not self.null_equal)):
            return False
        if self.condition and (left[1] is None or right[1] is None or left[1] > right[1]):
            return False
        distance: int = left[2] - right[2]
        return self.lower <= distance <= self.upper

    def emit(self, side: int, own: Any, other: Any) -> None:
        left, right = (own, other) if side == 0 else (other, own)
        self.given.append((*(left or (None,) * 3), *(right or (None,) * 3)))

    def push(self, side: int, row: Any, watermark: int) -> None:
        found = [entry for entry in self.kept[1 - side] if (self.matches(row, entry[0]) if side == 0 else self.matches(entry[0], row))]
        for entry in found:
            entry[2] = True
            self.emit(side, row, entry[0])
        last = row[2] - self.lower if side == 0 else row[2] + self.upper
        if watermark < last:
            self.kept[side].append([row, last, bool(found)])
        elif not found and self.outer[side]:
            self.emit(side, row, None)

    def advance(self, watermark: int) -> None:
        for side, entries in enumerate(self.kept):
            for entry in [one for one in entries if one[1] < watermark or watermark == END_OF_TIME]:
                entries.remove(entry)
                if self.outer[side] and not entry[2]:
                    self.emit(side, entry[0], None)


def random_rows(chance: random.Random, number: int, length: int) -> list[Any]:
    time = 100
    result = []
    for _ in range(length):
        time += chance.choice([0, 0, 1, 1, 2, 5])
        late = chance.choice([0, 0, 0, 1, 3, 8, 20])
        values = (chance.choice([None, 1, 2, 2]), chance.choice([None, *range(6)]), max(time - late, 1))
        result.append((number, "+I", values))
    return result


def texts(rows: Any) -> list[str]:
    return sorted(map(repr, rows))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_pairs_are_those_of_a_row_by_row_model_wherever_batches_are_cut(
    kind: JoinKind, bounds: tuple[int, int], play: Any, event_time: Any, bursts: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in rounds(2):
        chance = random.Random(f"{kind} {bounds} {seed}")
        options: dict[str, Any] = {
            "condition": chance.random() < 0.5,
            "null_equal": chance.random() < 0.3,
            "keyed": chance.random() < 0.8,
        }
        timing = {"delay": chance.choice([0, 2, 6]), "interval": chance.choice([0, 3])}
        steps = bursts(chance, random_rows(chance, 0, 40), random_rows(chance, 1, 40))
        ends = chance.choice([(0, 1), (1, 0)])
        model, clock = Model(kind, bounds, **options), event_time(2, **timing)
        for number, _, row in steps:
            model.push(number, row, clock.current)
            if clock.advance(number, row[2]):
                model.advance(clock.current)
        for number in ends:
            if clock.end(number):
                model.advance(clock.current)
        expected = texts(model.given)
        for size, restores in ((1, False), (3, False), (100, False), (1, True), (4, True)):
            with monkeypatch.context() as patch:
                if size == 3:  # pairs are computed in slices
                    patch.setattr(interval_join_module, "MOST_PAIRS", 2)
                given = play(operator(kind, bounds, **options), INPUTS, steps, size=size, restores=restores, ends=ends, **timing)
            case = f"seed {seed}, {options}, {timing}, batches of {size}, restored: {restores}"
            assert {change for change, _ in given} <= {"+I"}, case
            assert texts(row for _, row in given) == expected, case


def rows(*values: tuple[int, Any, int | None, int]) -> list[Any]:
    return [(number, "+I", (key, value, time)) for number, key, value, time in values]


def test_bounds_are_included(play: Any) -> None:
    steps = rows((1, 1, 7, 100), (0, 1, 1, 97), (0, 1, 2, 96), (0, 1, 3, 104), (0, 1, 4, 105))
    assert [row[1] for _, row in play(operator(JoinKind.INNER, (-3, 4)), INPUTS, steps)] == [1, 3]


def test_a_late_row_finds_partners_that_are_still_kept(play: Any) -> None:
    steps = rows((0, 1, 1, 100), (1, 1, 2, 100), (1, 1, 3, 94), (0, 1, 4, 93), (0, 1, 5, 89))
    given = play(operator(JoinKind.INNER, (-10, 10)), INPUTS, steps)
    assert [(row[1], row[4]) for _, row in given] == [(1, 2), (1, 3), (4, 3), (4, 2), (5, 3)]


def test_an_outer_row_without_partner_comes_when_the_watermark_has_passed_its_interval(play: Any) -> None:
    steps = rows((0, 1, 1, 100), (0, 1, 2, 101), (1, 2, 3, 103), (0, 1, 5, 104), (1, 2, 4, 104), (0, 9, 9, 120))
    given = play(operator(JoinKind.LEFT, (-3, 3)), INPUTS, steps)
    assert [row[1] for _, row in given] == [1, 2, 5, 9]
    assert play.rows_in_state == 5  # the first row was emitted and removed before the end


def test_an_outer_row_that_comes_too_late_for_partners_is_emitted_at_once(play: Any) -> None:
    steps = rows((0, 1, 1, 100), (1, 1, 2, 100), (0, 1, 3, 50))
    given = play(operator(JoinKind.LEFT, (0, 0)), INPUTS, steps)
    assert [(row[1], row[4]) for _, row in given] == [(1, 2), (3, None)]


def test_rows_whose_key_is_null_have_no_partner(play: Any) -> None:
    steps = rows((0, None, 1, 100), (1, None, 2, 100))
    assert len(play(operator(JoinKind.FULL, (0, 0)), INPUTS, steps)) == 2
    assert len(play(operator(JoinKind.FULL, (0, 0), null_equal=True), INPUTS, steps)) == 1


def test_state_holds_the_rows_of_the_interval_only(play: Any) -> None:
    steps = rows(*((number % 2, 1, number, 100 + number) for number in range(2000)))
    play(operator(JoinKind.FULL, (-5, 5)), INPUTS, steps, size=50)
    assert play.rows_in_state < 20


def test_rows_of_outer_joins_are_not_late_for_the_next_operator(play: Any, bursts: Callable[..., Any]) -> None:
    for seed in rounds(8):
        chance = random.Random(seed)
        bounds = chance.choice(BOUNDS)
        steps = sorted((step for number in (0, 1) for step in random_rows(chance, number, 30)), key=lambda step: step[2][2])
        for size in (1, 4, 100):
            given = play(operator(JoinKind.LEFT, bounds), INPUTS, steps, size=size, reader=Over(BOTH, BOTH, (), 2, ()))
            assert len(given) == len(play(operator(JoinKind.LEFT, bounds), INPUTS, steps)), f"seed {seed}, bounds {bounds}, size {size}"


def test_which_pairs_are_late_for_the_next_operator_does_not_depend_on_batches(play: Any, bursts: Callable[..., Any]) -> None:
    for seed in rounds(8):
        chance = random.Random(seed)
        bounds = chance.choice(BOUNDS)
        steps = bursts(chance, random_rows(chance, 0, 30), random_rows(chance, 1, 30))
        results = []
        for size in (1, 4, 100):
            given = play(operator(JoinKind.INNER, bounds), INPUTS, steps, size=size, reader=Over(BOTH, BOTH, (), 2, ()))
            results.append(texts(row for _, row in given))
        assert results[0] == results[1] == results[2], f"seed {seed}, bounds {bounds}"


def test_processing_time_is_when_a_row_came(context: ExecutionContext, change_batch: Callable[..., Any]) -> None:
    join = operator(JoinKind.LEFT, (0, 10), is_timed=False)
    state = join.create_state(context)
    given: list[Any] = []

    def push(now: int, number: int, value: int) -> None:
        def receive(batch: ChangeBatch) -> None:
            given.extend(batch.rows.to_pylist())

        state.set_time(now, [0])
        join.on_watermark(now - 1, state, receive)
        state.watermark = now - 1
        join.process(change_batch([("+I", (1, value, 0))], INPUTS[number][0]), number, state, receive)

    push(100, 1, 7)
    push(105, 0, 1)
    push(110, 0, 2)
    push(111, 0, 3)  # the right row is gone
    push(113, 1, 8)
    assert [(row["a"], row["b"]) for row in given] == [(1, 7), (2, 7), (3, None)]


def test_the_watermark_of_the_output_stays_behind_the_rows_that_may_still_be_emitted(context: ExecutionContext) -> None:
    join = operator(JoinKind.INNER, (-3, 4))
    state = join.create_state(context)
    assert join.output_watermark(state) == NO_WATERMARK
    state.watermark = 100
    assert join.output_watermark(state) <= 96
    state.watermark = END_OF_TIME
    assert join.output_watermark(state) == END_OF_TIME
