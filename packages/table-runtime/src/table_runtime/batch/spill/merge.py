"""Merges sorted runs in files to one sorted stream; rows with equal keys stay in the order of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import rechunk, take_batch
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.columns.sorted_search import search_sorted
from table_runtime.run.execution import ExecutionContext

if TYPE_CHECKING:
    from table_runtime.run.spill_files.file import SpillFile, StoredRows

MERGED_AT_ONCE = 64
"""Maximum runs that are merged at once; more are merged in several passes."""
RUN_BATCH_ROWS = 1 << 14
"""Maximum rows per batch of a run: a merge holds one batch of each run."""


def merge_runs(
    runs: Sequence[StoredRows], keys: Sequence[SortKey], schema: pa.Schema, file: SpillFile, context: ExecutionContext
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of all runs in sort order. Intermediate results of several passes are written to ``file``."""
    runs = list(runs)
    while len(runs) > MERGED_AT_ONCE:
        groups = [runs[start : start + MERGED_AT_ONCE] for start in range(0, len(runs), MERGED_AT_ONCE)]
        runs = [file.write(_merged(group, keys, schema, context), schema) for group in groups]
    yield from _merged(runs, keys, schema, context)


def _merged(runs: Sequence[StoredRows], keys: Sequence[SortKey], schema: pa.Schema, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    heads = [head for run in runs if (head := _Head(run)).advance()]
    while heads:
        context.check()
        if len(heads) == 1:
            yield heads[0].batch
            heads = [head for head in heads if head.advance()]
            continue
        lasts = rechunk([head.batch.slice(head.batch.num_rows - 1) for head in heads], schema)
        least = sort_indices(lasts.columns, keys)[0].as_py()
        # Rows after the end of this batch may have to wait for rows of its run that are not read yet; all others before it have been read.
        firsts = rechunk([head.batch.slice(0, 1) for head in heads] + [lasts.slice(least, 1)], schema)
        places = pc.inverse_permutation(pc.cast(sort_indices(firsts.columns, keys), pa.int64())).to_pylist()
        taking = [i for i in range(len(heads)) if i == least or places[i] < places[-1]]
        if len(taking) == 1:
            yield heads[least].batch
            heads[least].skip(heads[least].batch.num_rows)
        else:
            yield _until_end_of([heads[i] for i in taking], taking.index(least), keys, schema)
        heads = [head for head in heads if head.batch.num_rows or head.advance()]


def _until_end_of(heads: Sequence[_Head], least: int, keys: Sequence[SortKey], schema: pa.Schema) -> pa.RecordBatch:
    """Removes from the heads the rows that are not after the last row of head ``least``, and returns them in order."""
    whole = rechunk([head.batch for head in heads], schema)
    order = pc.cast(sort_indices(whole.columns, keys), pa.int64())
    ends = []
    end = 0
    for head in heads:
        end += head.batch.num_rows
        ends.append(end)
    count = pc.index(order, pa.scalar(ends[least] - 1, pa.int64())).as_py() + 1
    taken = order.slice(0, count)
    run_of = pc.value_counts(search_sorted(pa.array(ends, pa.int64()), taken, "right"))
    for run, rows in zip(run_of.field(0).to_pylist(), run_of.field(1).to_pylist(), strict=True):
        heads[run].skip(rows)
    return take_batch(whole, taken)


class _Head:
    """The rows of a run that are read and not merged yet."""

    def __init__(self, run: StoredRows) -> None:
        self._batches = run.read()
        self.batch: pa.RecordBatch

    def advance(self) -> bool:
        """Reads the next batch; returns False at the end of the run."""
        batch = next(self._batches, None)
        if batch is None:
            return False
        self.batch = batch
        return True

    def skip(self, rows: int) -> None:
        self.batch = self.batch.slice(rows)
