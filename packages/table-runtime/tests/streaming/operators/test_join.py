from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators import join as join_module
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.state import row_lists, state_rows
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

LEFT = pa.schema([("k", pa.int64()), ("a", pa.string())])
RIGHT = pa.schema([("k", pa.int64()), ("b", pa.string())])
BOTH = pa.schema([("k", pa.int64()), ("a", pa.string()), ("k2", pa.int64()), ("b", pa.string())])


def operator(kind: JoinKind, *, condition: bool = False, retracts: bool = True, null_equal: bool = False, keyed: bool = True) -> Join:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)] if keyed else []

    sides = (JoinSide(LEFT, keys, has_retractions=retracts), JoinSide(RIGHT, keys, has_retractions=retracts))
    residual = PairFilter(lambda pairs: pc.less_equal(pairs.column(1), pairs.column(3)), frozenset({1, 3}), "a <= b") if condition else None
    schema = LEFT if kind in (JoinKind.SEMI, JoinKind.ANTI) else BOTH
    return Join(schema, kind, sides, [pa.int64()] if keyed else [], [null_equal] if keyed else [], residual)


def run(give: Give, join: Join, changes: Sequence[tuple[int, Change]], size: int = 1000) -> list[Change]:
    return give(join, (LEFT, RIGHT), changes, size)


class Model:
    """The same row by row, as Flink's operators do it: lists of [row, partners]."""

    def __init__(self, kind: JoinKind, condition: bool) -> None:
        self.kind = kind
        self.condition = condition
        self.rows: tuple[list[list[Any]], list[list[Any]]] = ([], [])
        self.given: list[Change] = []

    def matches(self, left: Any, right: Any) -> bool:
        if left[0] is None or left[0] != right[0]:
            return False
        return not self.condition or (left[1] is not None and right[1] is not None and left[1] <= right[1])

    def emit(self, kind: str, side: int, own: Any, other: Any) -> None:
        left, right = (own, other) if side == 0 else (other, own)
        self.given.append((kind, (*(left or (None, None)), *(right or (None, None)))))

    def push(self, side: int, change: Change) -> None:
        kind, row = change
        adds = kind[0] == "+"
        found = [r for r in self.rows[1 - side] if (self.matches(row, r[0]) if side == 0 else self.matches(r[0], row))]
        if not adds:
            (position,) = [i for i, r in enumerate(self.rows[side]) if r[0] == row][-1:]
            del self.rows[side][position]
        else:
            self.rows[side].append([row, len(found)])
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            self.push_left_only(side, kind, row, found)
            return
        outer = {JoinKind.LEFT: (True, False), JoinKind.RIGHT: (False, True), JoinKind.FULL: (True, True)}.get(self.kind, (False, False))
        own_kind = kind if self.kind is JoinKind.INNER else ("+I" if adds else "-D")
        if not found and outer[side]:
            self.emit("+I" if adds else "-D", side, row, None)
        if adds:
            for r in found:
                if outer[1 - side] and r[1] == 0:
                    self.emit("-D", side, None, r[0])
                r[1] += 1
        for r in found:
            self.emit(own_kind, side, row, r[0])
        if not adds:
            for r in found:
                r[1] -= 1
                if outer[1 - side] and r[1] == 0:
                    self.emit("+I", side, None, r[0])

    def push_left_only(self, side: int, kind: str, row: Any, found: list[list[Any]]) -> None:
        is_semi = self.kind is JoinKind.SEMI
        if side == 0:
            if bool(found) == is_semi:
                self.given.append((kind, row))
            return
        adds = kind[0] == "+"
        for r in found:
            r[1] += 1 if adds else -1
            if r[1] == (1 if adds else 0):
                self.given.append((kind if is_semi else ("-D" if adds else "+I"), r[0]))


def mixed(seed: int, random_changelog: Callable[..., list[Change]], length: int = 40) -> list[tuple[int, Change]]:
    def row(chance: random.Random) -> tuple[Any, ...]:
        return chance.choice([None, 1, 2, 3]), chance.choice(["p", "q", None])

    # Equal rows would be one entry of the state: rows of one input all differ here.
    def distinct(side: int) -> list[Change]:
        numbers = iter(range(1000))

        def numbered(chance: random.Random) -> tuple[Any, ...]:
            key, text = row(chance)
            return key, f"{text}{next(numbers)}"

        return random_changelog(2 * seed + side, numbered, length)

    chance = random.Random(seed)
    waiting = [iter(distinct(0)), iter(distinct(1))]
    result: list[tuple[int, Change]] = []
    while waiting:
        side = chance.randrange(2)
        for _ in range(chance.randrange(1, 6)):
            change = next(waiting[side], None)
            if change is None:
                rest = [(1 - side, other) for other in waiting[1 - side]]
                return result + rest
            result.append((side, change))
    return result


@pytest.mark.sampled(1)
@pytest.mark.parametrize("condition", [False, True])
@pytest.mark.parametrize("kind", list(JoinKind))
def test_changes_are_those_of_a_row_by_row_model_wherever_batches_are_cut(
    kind: JoinKind, condition: bool, give: Give, random_changelog: Callable[..., list[Change]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in rounds(4):
        changes = mixed(seed, random_changelog)
        model = Model(kind, condition)
        for change in changes:
            model.push(*change)
        assert run(give, operator(kind, condition=condition), changes) == model.given, f"seed {seed}"
        assert run(give, operator(kind, condition=condition), changes, 1) == model.given, f"seed {seed}, rows alone"
        with monkeypatch.context() as patch:  # arrays, removal of rows and slices of pairs begin at once
            patch.setattr(row_lists, "LONGEST_CHAIN", 1)
            patch.setattr(state_rows, "_FEW", 0)
            patch.setattr(join_module, "MOST_PAIRS", 2)
            assert run(give, operator(kind, condition=condition), changes, 3) == model.given, f"seed {seed}, batches of 3"


def test_equal_rows_are_joined_as_often_as_they_are_there(give: Give) -> None:
    changes = [(0, ("+I", (1, "a"))), (0, ("+I", (1, "a"))), (1, ("+I", (1, "b"))), (0, ("-D", (1, "a"))), (1, ("-D", (1, "b")))]
    given = run(give, operator(JoinKind.LEFT), changes)
    assert [(kind, row[3]) for kind, row in given] == [
        ("+I", None),
        ("+I", None),
        ("-D", None),
        ("-D", None),
        ("+I", "b"),
        ("+I", "b"),
        ("-D", "b"),
        ("-D", "b"),
        ("+I", None),
    ]


def test_retractions_of_rows_that_are_not_there_are_ignored(give: Give) -> None:
    changes = [(1, ("+I", (1, "b"))), (0, ("-D", (1, "a"))), (0, ("+I", (1, "a"))), (0, ("-D", (1, "a"))), (0, ("-D", (1, "a")))]
    assert [kind for kind, _ in run(give, operator(JoinKind.INNER), changes)] == ["+I", "-D"]


def test_null_keys_match_only_where_the_condition_says_so(give: Give) -> None:
    changes = [(0, ("+I", (None, "a"))), (1, ("+I", (None, "b")))]
    assert run(give, operator(JoinKind.INNER), changes) == []
    assert run(give, operator(JoinKind.INNER, null_equal=True), changes) == [("+I", (None, "a", None, "b"))]


def test_without_keys_all_pairs_are_compared(give: Give) -> None:
    changes = [(0, ("+I", (1, "a"))), (0, ("+I", (2, "c"))), (1, ("+I", (3, "b")))]
    assert [row[1] for _, row in run(give, operator(JoinKind.INNER, keyed=False, condition=True), changes)] == ["a"]


def test_inputs_of_insertions_keep_equal_rows_apart(give: Give) -> None:
    changes = [(0, ("+I", (1, "a"))), (0, ("+I", (1, "a"))), (1, ("+I", (1, "b")))]
    assert len(run(give, operator(JoinKind.INNER, retracts=False), changes)) == 2


def test_a_row_replaces_the_row_with_its_upsert_key(give: Give) -> None:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)]

    sides = (JoinSide(LEFT, keys, has_retractions=True, upsert_key=(0,)), JoinSide(RIGHT, keys, has_retractions=False))
    join = Join(BOTH, JoinKind.INNER, sides, [pa.int64()], [False])
    changes = [(0, ("+I", (1, "a"))), (0, ("+U", (1, "z"))), (1, ("+I", (1, "b"))), (0, ("-D", (1, "z"))), (1, ("+I", (1, "c")))]
    assert run(give, join, changes) == [("+I", (1, "z", 1, "b")), ("-D", (1, "z", 1, "b"))]
    assert run(give, join, changes, 1) == run(give, join, changes)


def test_a_row_that_moves_to_another_key_by_its_upsert_key_leaves_the_old_one(give: Give) -> None:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(1)]

    sides = (JoinSide(LEFT, keys, has_retractions=True, upsert_key=(0,)), JoinSide(RIGHT, keys, has_retractions=False))
    join = Join(BOTH, JoinKind.INNER, sides, [pa.string()], [False])
    changes = [(0, ("+I", (1, "a"))), (0, ("+U", (1, "z"))), (1, ("+I", (1, "a"))), (1, ("+I", (1, "z")))]
    assert run(give, join, changes, 1) == [("+I", (1, "z", 1, "z"))]


def test_a_batch_of_retractions_of_rows_that_are_not_there_gives_nothing(give: Give) -> None:
    join = operator(JoinKind.INNER)
    assert run(give, join, [(0, ("-D", (1, "a"))), (1, ("-D", (1, "b"))), (0, ("+I", (1, "a")))], 1) == []


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL, JoinKind.SEMI])
def test_the_many_pairs_of_one_row_are_emitted_in_pieces(
    kind: JoinKind, monkeypatch: pytest.MonkeyPatch, context: ExecutionContext, change_batch: Callable[..., ChangeBatch]
) -> None:
    monkeypatch.setattr(join_module, "MOST_PAIRS", 50)
    join, sizes = operator(kind), list[int]()
    state = join.create_state(context)
    join.process(change_batch([("+I", (1, str(number))) for number in range(120)], LEFT), 0, state, lambda _: None)
    join.process(change_batch([("+I", (1, "b"))], RIGHT), 1, state, lambda batch: sizes.append(batch.num_rows))
    assert max(sizes) <= 50
    assert sum(sizes) == (240 if kind in (JoinKind.LEFT, JoinKind.FULL) else 120)
