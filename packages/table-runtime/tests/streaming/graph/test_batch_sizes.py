"""Batches of no rows, of one and of a million."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.rank import Rank, RankWay
from table_runtime.streaming.operators.set_operation import SetOperation

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
MANY = 1_000_000


def total() -> AnyOperator:
    column = AggregateColumn(make_accumulator(fn.SUM, AggregateSpec("SUM", (BigIntType(),), BigIntType(), ())), (1,))
    return GroupAggregate(SCHEMA, SCHEMA, (0,), [column], retracted=[True], gives_before=True)


def join(kind: JoinKind) -> AnyOperator:
    side = JoinSide(SCHEMA, lambda rows: [rows.column(0)], has_retractions=True)
    both = pa.schema([field.with_name(f"{field.name}{number}") for number in range(2) for field in SCHEMA])
    return Join(SCHEMA if kind is JoinKind.ANTI else both, kind, (side, side), [pa.int64()], [False])


def top() -> AnyOperator:
    return Rank(SCHEMA, SCHEMA, (0,), (SortKey(1, False, False),), way=RankWay.RETRACT, end=2, has_rank=False)


OPERATORS: dict[str, Callable[[], AnyOperator]] = {
    "total": total,
    "inner": lambda: join(JoinKind.INNER),
    "full": lambda: join(JoinKind.FULL),
    "anti": lambda: join(JoinKind.ANTI),
    "top": top,
    "distinct": lambda: SetOperation(SCHEMA, 1, "Union", keeps_duplicates=False),
}


def rows(keys: np.ndarray, values: np.ndarray) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(keys), pa.array(values)], schema=SCHEMA)


@pytest.mark.parametrize("name", OPERATORS)
def test_a_batch_of_no_rows_changes_nothing(name: str, context: ExecutionContext) -> None:
    operator, found = OPERATORS[name](), list[ChangeBatch]()
    state = operator.create_state(context)
    none = ChangeBatch(rows(np.zeros(0, np.int64), np.zeros(0, np.int64)), np.zeros(0, np.int8))
    operator.process(none, 0, state, found.append)
    operator.process(ChangeBatch(rows(np.ones(1, np.int64), np.ones(1, np.int64))), 0, state, lambda batch: None)
    operator.process(none, 0, state, found.append)
    assert sum(batch.num_rows for batch in found) == 0


@pytest.mark.parametrize("name", ["total", "inner"])
def test_a_million_rows_at_once_give_the_changes_of_pieces(name: str, context: ExecutionContext) -> None:
    chance = np.random.default_rng(5)
    keys, values = chance.integers(0, MANY // 2, MANY), chance.integers(0, 9, MANY)
    results = []
    for size in (MANY, 1 << 16):
        operator, found = OPERATORS[name](), list[ChangeBatch]()
        state = operator.create_state(context)
        operator.process(ChangeBatch(rows(np.arange(9), np.arange(9))), operator.schema.names.count("k1"), state, lambda batch: None)
        for start in range(0, MANY, size):
            part = slice(start, start + size)
            operator.process(ChangeBatch(rows(keys[part], values[part])), 0, state, found.append)
        results.append(pa.Table.from_batches([batch.with_kind_column() for batch in found]).combine_chunks())
    assert results[0].num_rows > 0
    assert results[0].equals(results[1])
