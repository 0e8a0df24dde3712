"""Tests for table_runtime.streaming.operators.top_row."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.rank import Rank, RankWay
from table_runtime.streaming.operators.top_row import TopRow
from table_runtime.streaming.state import row_values
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("p", pa.string()), ("v", pa.int64()), ("f", pa.float64()), ("id", pa.int32())])
VALUES = [None, -(2**63), -1, 0, 0, 1, 2**63 - 1]
FLOATS = [None, float("-inf"), -0.0, 0.0, 1.5, float("nan")]
ORDERS = [(SortKey(1, True, True),), (SortKey(1, False, False), SortKey(2, True, False)), (SortKey(2, False, True), SortKey(1, True, True))]


def rank(partition: tuple[int, ...], orders: tuple[SortKey, ...], *, gives_before: bool = True) -> Rank:
    return Rank(ROW, ROW, partition, orders, way=RankWay.APPEND, end=1, has_rank=False, gives_before=gives_before)


def random_rows(seed: int, count: int = 120) -> list[Change]:
    chance = random.Random(seed)
    return [("+I", (chance.choice(["a", "b", "c", None]), chance.choice(VALUES), chance.choice(FLOATS), n)) for n in range(count)]


@pytest.mark.parametrize("gives_before", [True, False])
@pytest.mark.parametrize("partition", [(), (0,)])
@pytest.mark.parametrize("orders", ORDERS, ids=str)
def test_gives_what_a_rank_gives_wherever_batches_are_cut(
    orders: tuple[SortKey, ...], partition: tuple[int, ...], gives_before: bool, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in rounds(2):
        changes = random_rows(seed)
        expected = list(map(repr, give(rank(partition, orders, gives_before=gives_before), ROW, changes)))  # NaN is not equal to itself
        with monkeypatch.context() as patch:
            patch.setattr(row_values, "_FEW", 0)
            for size in (1, 7, None):
                one = TopRow(ROW, partition, orders, gives_before=gives_before)
                given = give(one, ROW, changes, size) if size else give(one, ROW, changes)
                assert list(map(repr, given)) == expected, f"seed {seed}, batches of {size}"


def test_restores_the_rows_of_a_rank(context: Any) -> None:
    changes = random_rows(5)
    batches = [
        ChangeBatch(pa.RecordBatch.from_pylist([dict(zip(ROW.names, row, strict=True)) for _, row in part], ROW))
        for part in (changes[:8], changes[8:])
    ]
    old, new = rank((0,), ORDERS[1]), TopRow(ROW, (0,), ORDERS[1])
    old_state, new_state = old.create_state(context), new.create_state(context)
    expected: list[ChangeBatch] = []
    given: list[ChangeBatch] = []
    old.process(batches[0], 0, old_state, lambda _: None)
    new_state.restore([old_state.snapshot()])
    old.process(batches[1], 0, old_state, expected.append)
    new.process(batches[1], 0, new_state, given.append)
    assert expected
    assert [repr(one.with_kind_column().to_pylist()) for one in given] == [repr(one.with_kind_column().to_pylist()) for one in expected]


def test_supports_order_keys_that_are_numbers() -> None:
    assert TopRow.supports(ROW, ORDERS[1])
    assert not TopRow.supports(ROW, ())
    assert not TopRow.supports(ROW, (*ORDERS[1], SortKey(0, True, True)))
