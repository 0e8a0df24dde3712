"""Sorts rows that exceed the memory: sorted runs, which are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from table_runtime.batch.spill.collected import Collected, collect
from table_runtime.batch.spill.merge import MERGED_AT_ONCE, RUN_BATCH_ROWS, merge_runs
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import Account
from table_runtime.run.operator import Operator

if TYPE_CHECKING:
    from table_runtime.run.spill_files.file import StoredRows

SortRun = Callable[[list[pa.RecordBatch], ExecutionContext], Iterator[pa.RecordBatch]]
"""Yields the rows of some batches in order, and removes the batches from the list."""
WORKING = 4
"""To sort rows takes this many times the memory that other operators need for them: Arrow joins the chunks of a text column for each piece."""
RUN_BATCH_BYTES = 1 << 20
"""Approximate bytes of a batch of a run."""
LEAST_BATCH_BYTES = 1 << 16
"""Smaller batches take longer to write and to merge than their rows."""


def spilled_sort(
    operator: Operator, keys: Sequence[SortKey], first: Collected, sort_run: SortRun, context: ExecutionContext, account: Account
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of the operator's input in order; ``first`` has the first of them."""
    schema = operator.inputs[0].schema
    with context.spill_file(operator) as file:
        runs: list[StoredRows] = []
        part = first
        while part.batches:
            # A merge holds a batch of each run, and a copy of them: together not more than this run.
            most = max(LEAST_BATCH_BYTES, sum(batch.nbytes for batch in part.batches) // MERGED_AT_ONCE)
            runs.append(file.write(_slices(sort_run(part.batches, context), most, context), schema))
            account.release()
            part = collect(part.rest, context, account, working=WORKING)
        yield from merge_runs(runs, keys, schema, file, context)


def _slices(batches: Iterator[pa.RecordBatch], most: int, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    most = min(most, context.scaled(RUN_BATCH_BYTES * 16) + 1)
    for batch in batches:
        rows = max(1, min(RUN_BATCH_ROWS, batch.num_rows * most // max(1, batch.nbytes)))
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)
