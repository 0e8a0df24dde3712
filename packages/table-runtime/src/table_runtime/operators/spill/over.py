"""OVER windows over rows that exceed the memory: rows are partitioned by the hash of their partition keys."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.over_aggregate import OverAggregate
from table_runtime.operators.spill.account import DEEPEST, Account
from table_runtime.operators.spill.collected import Collected
from table_runtime.operators.spill.partitions import partition_rows
from table_runtime.operators.spill.rows import SpilledRows, StreamedRows, over_inputs

__all__ = ["spilled_over"]

SKEWED = 0.9
"""A partition with more than this part of its parent's rows is not partitioned again."""


def spilled_over(operator: OverAggregate, rows: Collected, context: ExecutionContext, account: Account) -> Iterator[pa.RecordBatch]:
    """Yields the rows of the operator with its calls; ``rows`` is its input. Windows with other partition keys follow one after the other."""
    first, others = operator.parts()
    source = _partitioned(first, rows, context, account)
    if others:
        following = OverAggregate(StreamedRows(first.schema, source), operator.schema, others)
        following.origin = operator.origin
        source = following.batches(context)
    yield from source


def _partitioned(operator: OverAggregate, rows: Collected, context: ExecutionContext, account: Account) -> Iterator[pa.RecordBatch]:
    (child,) = operator.inputs
    keys = operator.partition_by
    if not keys or operator.spill_level >= DEEPEST:
        yield from _together(operator, rows.stream(), context, account)
        return
    with context.spill_file(operator) as file:
        level = operator.spill_level
        parts = partition_rows(rows.stream(), child.schema, lambda batch: [batch.column(i) for i in keys], file, level, context)
        account.release()
        total = sum(part.nbytes for part in parts)
        for part in parts:
            if not part.stored:
                continue
            partition = over_inputs(operator, (SpilledRows(part),), level + 1)
            if part.nbytes > SKEWED * total:
                yield from _together(partition, part.read(), context, account)
                account.release()
            else:
                yield from partition.batches(context)


def _together(
    operator: OverAggregate, rows: Iterator[pa.RecordBatch], context: ExecutionContext, account: Account
) -> Iterator[pa.RecordBatch]:
    """Processes rows that cannot be separated, in memory as long as the budget allows."""
    batches = []
    size = 0
    for batch in rows:
        context.check()
        batches.append(batch)
        size += batch.nbytes
        account.require(size)
    yield from operator.in_memory(batches, context)
