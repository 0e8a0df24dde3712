"""Rows go to the share that has the bucket of their key, in their order, in cells of limited size."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import GLOBAL, CastKeys, KeyColumns, RowKeys, division_by
from table_runtime.streaming.shares.exchange import Exchange, share_of_bucket
from table_runtime.streaming.shares.wire import changes_of
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.snapshots import BUCKETS

SCHEMA = pa.schema([("k", pa.string()), ("n", pa.int64()), ("f", pa.float64())])


def batch(count: int, chance: random.Random) -> ChangeBatch:
    rows = [
        {"k": chance.choice(["a", "b", "c", None]), "n": number, "f": chance.choice([0.0, -0.0, None, float("nan")])}
        for number in range(count)
    ]
    return ChangeBatch(pa.RecordBatch.from_pylist(rows, schema=SCHEMA), np.array([number % 4 for number in range(count)], np.int8))


def divided(exchange: Exchange, *batches: ChangeBatch) -> dict[int, list[tuple[int, int]]]:
    result: dict[int, list[tuple[int, int]]] = {}
    for each in batches:
        exchange.add(each)
    for share, payload in exchange.finish():
        for changes in changes_of(payload, SCHEMA):
            assert changes.kinds is not None
            result.setdefault(share, []).extend(zip(changes.rows.column(1).to_pylist(), changes.kinds.tolist(), strict=True))
    return result


@pytest.mark.parametrize("shares", [1, 3, 64])
@pytest.mark.parametrize("columns", [[0], [2], [0, 2]])
def test_rows_are_in_the_share_of_the_bucket_of_their_state(shares: int, columns: list[int]) -> None:
    chance = random.Random(shares)
    changes = batch(200, chance)
    found = divided(Exchange(KeyColumns(tuple(columns)), shares, 0), changes.slice(0, 77), changes.slice(77, 123))
    slots = KeySlots([SCHEMA.field(column).type for column in columns])
    slots.find_or_insert([pa.array(["z"] * 3 if column == 0 else [9.0] * 3) for column in columns], 3)  # keys before them do not matter
    own = slots.find_or_insert(changes.columns(columns), 200)
    expected: dict[int, list[tuple[int, int]]] = {}
    for number, bucket in enumerate(slots.buckets(own, BUCKETS).tolist()):
        expected.setdefault(share_of_bucket(bucket, shares), []).append((number, number % 4))
    assert found == expected


def test_keys_are_divided_by_some_of_their_columns() -> None:
    changes = batch(50, random.Random(2))
    slots = KeySlots([pa.int64(), pa.string()])
    own = slots.find_or_insert([changes.rows.column(1), changes.rows.column(0)], 50)
    alone = KeySlots([pa.string()])
    of_text = alone.buckets(alone.find_or_insert([changes.rows.column(0)], 50), BUCKETS)
    assert slots.buckets(own, BUCKETS, [1]).tolist() == of_text.tolist()
    assert set(slots.buckets(own, BUCKETS, []).tolist()) == {0}


def test_rows_that_belong_together_go_to_the_first_share_and_others_stay_where_they_are() -> None:
    changes = batch(5, random.Random(1))
    assert list(divided(Exchange(GLOBAL, 8, 5), changes)) == [0]
    assert list(divided(Exchange(None, 8, 13), changes)) == [5]


def test_keys_in_other_types_are_in_the_share_of_the_type_of_the_state() -> None:
    rows = pa.record_batch({"k": pa.array([1, 2, 300], pa.int32())})
    cast = CastKeys(lambda batch: [batch.column(0)], (pa.int64(),))
    (column,) = cast(rows)
    assert column.type == pa.int64()
    (all_columns,) = RowKeys(pa.schema([("k", pa.int64())]))(rows)
    assert all_columns.equals(column)
    assert division_by(()) is GLOBAL


def test_large_rows_are_given_in_cells_of_limited_size() -> None:
    schema = pa.schema([("k", pa.string()), ("n", pa.int64())])
    rows = pa.record_batch([pa.array(["x" * 1000] * 50_000), pa.array(range(50_000))], schema=schema)
    exchange = Exchange(None, 1, 0)
    exchange.add(ChangeBatch(rows))
    full = list(exchange.take())
    assert len(full) == 6
    cells = [*full, *exchange.finish()]
    assert max(payload.size for _, payload in cells) < 10 << 20
    assert [n for _, payload in cells for each in changes_of(payload, schema) for n in each.rows.column(1).to_pylist()] == list(
        range(50_000)
    )


def test_rows_with_and_without_watermarks_are_in_different_cells() -> None:
    changes = batch(4, random.Random(1))
    exchange = Exchange(None, 1, 0)
    exchange.add(changes)
    exchange.add(ChangeBatch(changes.rows, changes.kinds, np.arange(4)))
    found = [next(changes_of(payload, SCHEMA)).before for _, payload in exchange.finish()]
    assert [before is None for before in found] == [True, False]
