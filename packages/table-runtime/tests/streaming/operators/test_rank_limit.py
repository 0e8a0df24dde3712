"""Tests for table_runtime.streaming.operators.rank_limit: which rows are left is compared with a model that sorts."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.batch.values import Values
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.operators import rank_limit
from table_runtime.streaming.operators.rank_limit import RankLimit
from table_testing.rounds import rounds

FIELDS = [("k", pa.string()), ("v", pa.float64()), ("w", pa.int32()), ("n", pa.int32())]


@pytest.fixture(autouse=True, params=[(8, 1 << 16), (2, 1 << 16), (8, 0)], ids=["", "small pieces", "many slots"])
def small_batches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    piece, few_slots = request.param
    monkeypatch.setattr(rank_limit, "BATCH_ROWS", 8)
    monkeypatch.setattr(rank_limit, "_PIECE", piece)
    monkeypatch.setattr(rank_limit, "_FEW_SLOTS", few_slots)
    monkeypatch.setattr(rank_limit, "_TRIAL", 16)


def source(rows: list[tuple[Any, ...]]) -> Values:
    """Returns an operator that yields the rows in batches of three."""
    schema = pa.schema(FIELDS)

    def make() -> list[pa.RecordBatch]:
        parts = [rows[start : start + 3] for start in range(0, len(rows), 3)]
        return [
            pa.RecordBatch.from_arrays([pa.array([row[i] for row in part], f.type) for i, f in enumerate(schema)], schema=schema)
            for part in parts
        ]

    return Values(schema, make, len(rows))


def numbers_of(operator: RankLimit) -> list[int]:
    """Returns the numbers of the rows that are left."""
    return [number for batch in operator.batches(ExecutionContext()) for number in batch.column("n").to_pylist()]


def random_rows(seed: int, keys: int, count: int = 300) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    values = [None, math.nan, -math.inf, 0.0, -0.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    return [(rng.choice([None, *map(str, range(keys))]), rng.choice(values), rng.randrange(3), n) for n in range(count)]


def needed(rows: list[tuple[Any, ...]], orders: list[SortKey], count: int, *, keeps_ties: bool) -> list[int]:
    """Returns the numbers of the rows that are among the first of their partitions."""
    partitions = defaultdict(list)
    for row in rows:
        partitions[row[0]].append(row)
    result = []
    for members in partitions.values():
        columns = [pa.array([row[i] for row in members], type_) for i, (_, type_) in enumerate(FIELDS)]
        ordered = [members[i] for i in sort_indices(columns, orders).to_pylist()]
        result += [row[3] for row in ordered[:count]]
        if keeps_ties and len(ordered) > count:
            keys = [repr(tuple(row[order.column] for order in orders)).replace("-0.0", "0.0") for row in ordered]
            result += [row[3] for row, key in zip(ordered[count:], keys[count:], strict=True) if key == keys[count - 1]]
    return sorted(result)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", rounds(6))
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "orders",
    [[SortKey(1)], [SortKey(1, False, False)], [SortKey(1, False, True)], [SortKey(2), SortKey(1)]],
    ids=["ascending", "descending", "nulls first", "two keys"],
)
def test_no_row_that_is_among_the_first_is_dropped_and_many_others_are(seed: int, count: int, orders: list[SortKey]) -> None:
    rows = random_rows(seed, keys=2)
    for keeps_ties in (False, True):
        numbers = numbers_of(RankLimit(source(rows), [0], orders, count, keeps_ties=keeps_ties))
        assert numbers == sorted(numbers)
        assert set(needed(rows, orders, count, keeps_ties=keeps_ties)) <= set(numbers)
        if not keeps_ties and len(orders) == 1:
            assert len(numbers) < len(rows) // 2


def test_without_partition_the_limit_is_of_all_rows() -> None:
    rows = [("a", float(n % 50), 0, n) for n in range(200)]
    left = numbers_of(RankLimit(source(rows), [], [SortKey(1)], 2, keeps_ties=False))
    assert {0, 50} <= set(left)
    assert len(left) < 50


@pytest.mark.parametrize("seed", rounds(4))
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("keeps_ties", [True, False])
def test_decimals_are_compared_as_far_as_64_bits_go(seed: int, ascending: bool, keeps_ties: bool) -> None:
    rng = random.Random(seed)
    choices = [None, *(Decimal(n) for n in (0, 1, -1, "0.01", "-0.01", 2**40, -(2**40), 2**63, 2**64, -(2**63), -(2**70), 2**90))]
    values = [rng.choice(choices) for _ in range(300)]
    type_, numbers = pa.decimal128(38, 2), pa.int64()
    schema = pa.schema([("v", type_), ("n", numbers)])

    def make() -> list[pa.RecordBatch]:
        pieces = [pa.array(values[start : start + 3], type_).slice(1) for start in range(0, 300, 3)]
        return [pa.RecordBatch.from_arrays([p, pa.array([i * 3 + 1, i * 3 + 2], numbers)], schema=schema) for i, p in enumerate(pieces)]

    order = SortKey(0, ascending, nulls_first=False)
    left = numbers_of(RankLimit(Values(schema, make, 200), [], [order], 3, keeps_ties=keeps_ties))
    rows = [(value, n) for n, value in enumerate(values) if n % 3 and value is not None]
    rows.sort(key=lambda row: row[0] if ascending else -row[0])
    assert {n for _, n in rows[:3]} <= set(left)
    if keeps_ties:
        assert {n for value, n in rows if value == rows[2][0]} <= set(left)
    assert len(left) < 200


def test_a_few_rows_pass_as_they_are() -> None:
    rows = random_rows(1, keys=1, count=7)
    assert numbers_of(RankLimit(source(rows), [0], [SortKey(1)], 1, keeps_ties=False)) == list(range(7))


def test_rows_of_small_partitions_are_not_looked_at_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    remaining = RankLimit._remaining

    def count(self: RankLimit, batch: pa.RecordBatch, partitions: Any) -> pa.RecordBatch:
        seen.append(batch.num_rows)
        return remaining(self, batch, partitions)

    monkeypatch.setattr(RankLimit, "_remaining", count)
    rows = [(str(n), 1.0, 0, n) for n in range(100)]
    limit = RankLimit(source(rows), [0], [SortKey(1)], 1, keeps_ties=False)
    assert len(numbers_of(limit)) == 100
    assert sum(seen) < 40


def test_it_can_be_cancelled() -> None:
    context = ExecutionContext()
    batches = RankLimit(source(random_rows(1, keys=1)), [0], [SortKey(1)], 1, keeps_ties=False).batches(context)
    next(batches)
    context.token.cancel()
    with pytest.raises(JobCancelledException):
        list(batches)
