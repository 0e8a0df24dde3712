"""Joins whose build side exceeds the memory, with one key that has most of the rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins import join
from table_runtime.batch.joins.hash_join import HashJoin
from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.run.memory import account

LEFT = [("k", pa.int64()), ("a", pa.int64())]
RIGHT = [("k", pa.int64()), ("b", pa.int64())]
LEFT_ROWS = [(7 if i % 3 else i, i) for i in range(60)] + [(None, 100)]
RIGHT_ROWS = [(7 if i % 10 else i, i) for i in range(90)] + [(None, 200)] * 3
CLOSE = PairFilter(lambda batch: pc.fill_null(pc.equal(pc.bit_wise_and(batch.column(1), 31), batch.column(3)), False), frozenset([1, 3]))


@pytest.mark.parametrize("has_condition", [True, False])
@pytest.mark.parametrize("kind", JoinKind)
def test_a_skewed_key_is_joined_block_by_block(harness: Any, kind: JoinKind, has_condition: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = harness.source(LEFT, LEFT_ROWS, batch_rows=7), harness.source(RIGHT, RIGHT_ROWS, batch_rows=5)
    schema = right.schema if kind.is_right_only else left.schema if kind.is_left_only else pa.schema([*left.schema, *right.schema])
    condition = CLOSE if has_condition else None
    operator = HashJoin(
        left, right, kind, schema, lambda b: [b.column(0)], lambda b: [b.column(0)], [pa.int64()], condition=condition
    ).selecting([1, 0], pa.schema([schema.field(1), schema.field(0)]), "")
    expected = Counter(harness.rows(operator))
    blocks = []
    by_blocks = join._by_blocks
    monkeypatch.setattr(join, "_by_blocks", lambda *arguments: blocks.append(1) or by_blocks(*arguments))
    monkeypatch.setattr(account, "FIXED", 200)
    assert Counter(harness.rows(operator)) == expected
    assert blocks
