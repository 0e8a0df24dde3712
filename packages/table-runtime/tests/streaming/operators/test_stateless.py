"""Tests for table_runtime.streaming.operators.stateless."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.stateless import BatchInput, StatelessChain

VISIBLE = pa.field("a", pa.int64())
CURRENT = pa.field("$watermark0", pa.timestamp("us"))
BEFORE = pa.field("$before", pa.int64())
KIND = pa.field("$row_kind", pa.int8())


class Odd(Operator):
    """The rows with an odd first column, twice."""

    def __init__(self, leaf: BatchInput) -> None:
        super().__init__(leaf.schema, [leaf])
        self.leaf = leaf

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for batch in self.leaf.batches(context):
            kept = batch.filter(pc.equal(pc.bit_wise_and(batch.column(0), 1), 1))
            yield from (kept, kept)

    @override
    def plan_lines(self) -> list[str]:
        return ["Odd"]


def rows(*fields: pa.Field, **options: Any) -> StatelessChain:
    leaf = BatchInput(pa.schema([VISIBLE, *fields]))
    settings = {"has_kinds": KIND in fields, "has_watermarks": BEFORE in fields, "watermark_columns": int(CURRENT in fields), **options}
    return StatelessChain(Odd(leaf), leaf, pa.schema([VISIBLE]), **settings)


def processed(operator: StatelessChain, context: ExecutionContext, batch: ChangeBatch, watermark: int = NO_WATERMARK) -> list[ChangeBatch]:
    state = operator.create_state(context)
    state.watermark = watermark
    given: list[ChangeBatch] = []
    operator.process(batch, 0, state, given.append)
    return given


def batch(*values: int, kinds: list[int] | None = None, before: list[int] | None = None) -> ChangeBatch:
    return ChangeBatch(
        pa.RecordBatch.from_arrays([pa.array(values, pa.int64())], schema=pa.schema([VISIBLE])),
        None if kinds is None else np.array(kinds, np.int8),
        None if before is None else np.array(before, np.int64),
    )


def test_insertions_without_watermarks_have_no_hidden_columns(context: ExecutionContext) -> None:
    one, two = processed(rows(), context, batch(1, 2, 3))
    assert one.rows.to_pydict() == two.rows.to_pydict() == {"a": [1, 3]}
    assert (one.kinds, one.before) == (None, None)


@pytest.mark.parametrize("fields", [(KIND,), (BEFORE,), (BEFORE, KIND), (CURRENT, BEFORE, KIND), (CURRENT,)])
def test_results_keep_the_kind_and_the_watermark_of_their_row(fields: tuple[pa.Field, ...], context: ExecutionContext) -> None:
    first, _ = processed(rows(*fields), context, batch(1, 2, 3, kinds=[0, 1, 2], before=[10, 20, 30]))
    assert first.rows.to_pydict() == {"a": [1, 3]}
    assert first.rows.schema.names == ["a"]
    assert (None if first.kinds is None else first.kinds.tolist()) == ([0, 2] if KIND in fields else None)
    assert (None if first.before is None else first.before.tolist()) == ([10, 30] if BEFORE in fields else None)


def test_rows_without_kinds_are_insertions_and_without_watermarks_have_that_of_the_state(context: ExecutionContext) -> None:
    first, _ = processed(rows(BEFORE, KIND), context, batch(1, 3), watermark=7)
    assert first.kinds is not None
    assert first.kinds.tolist() == [0, 0]
    assert first.before is not None
    assert first.before.tolist() == [7, 7]


def test_the_current_watermark_is_a_time_and_null_before_the_first(context: ExecutionContext) -> None:
    seen: list[pa.Array] = []

    class Seeing(Odd):
        @override
        def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
            for each in self.leaf.batches(context):
                seen.append(each.column(1))
                yield each

    leaf = BatchInput(pa.schema([VISIBLE, CURRENT]))
    operator = StatelessChain(Seeing(leaf), leaf, pa.schema([VISIBLE]), has_kinds=False, watermark_columns=1)
    processed(operator, context, batch(1, 2, before=[NO_WATERMARK, 1500]))
    assert seen[0].to_pylist() == [None, datetime(1970, 1, 1) + timedelta(milliseconds=1500)]
    assert seen[0].type == CURRENT.type


def test_nothing_is_emitted_when_no_row_remains(context: ExecutionContext) -> None:
    assert processed(rows(BEFORE, KIND), context, batch(2, 4, kinds=[0, 0], before=[1, 1])) == []


def test_the_plan_has_the_lines_of_the_operators() -> None:
    assert rows().plan_lines == ["Odd"]


def test_the_name_is_that_in_checkpoints() -> None:
    assert str(rows()) == "Rows()"
