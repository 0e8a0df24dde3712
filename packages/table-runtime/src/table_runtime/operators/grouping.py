"""Arrow's hash aggregation over one table in memory, without the modules that wrap it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from table_runtime.aggregates import Reduction
from table_runtime.batches import concat_arrays
from table_runtime.cancellation import current_check

__all__ = ["reduce_groups"]

ROWS_AT_ONCE = 1 << 17
"""Rows that Arrow is given at once: between two slices the run may be cancelled."""


def reduce_groups(keys: Sequence[pa.Array], reductions: Sequence[Reduction], rows: int) -> tuple[list[pa.Array], list[pa.Array], int]:
    """Returns the distinct keys, the reduced columns in the same order, and how many groups there are.

    Ordered functions (``first``, ``list``) see rows in order, but groups come in any order: Arrow gives those whose hashes collide their
    numbers later. No keys mean one group, also over no rows; then only functions that exist without groups may be asked for.
    """
    from pyarrow._acero import AggregateNodeOptions, Declaration, RecordBatchReaderSourceNodeOptions, TableSourceNodeOptions

    names: list[str] = []
    columns: list[pa.Array] = []
    for index, key in enumerate(keys):
        names.append(f"k{index}")
        columns.append(key)
    aggregates = []
    prefix = "hash_" if keys else ""
    for index, reduction in enumerate(reductions):
        target: list[str] = []
        if reduction.column is not None:
            target = [f"v{index}"]
            names.append(target[0])
            columns.append(reduction.column)
        aggregates.append((target, prefix + reduction.function, reduction.options, f"r{index}"))
    if not columns:
        names, columns = ["rows"], [pa.nulls(rows, pa.int8())]
    table = pa.Table.from_arrays(columns, names=names)
    if rows <= ROWS_AT_ONCE:
        source = Declaration("table_source", TableSourceNodeOptions(table))
    else:
        reader = pa.RecordBatchReader.from_batches(table.schema, _slices(table, current_check()))
        source = Declaration("record_batch_reader_source", RecordBatchReaderSourceNodeOptions(reader))
    plan = Declaration.from_sequence(
        [
            source,
            Declaration("aggregate", AggregateNodeOptions(aggregates, keys=[f"k{index}" for index in range(len(keys))])),
        ]
    )
    result = plan.to_table(use_threads=False)
    found = [concat_arrays(result.column(name).chunks, result.schema.field(name).type) for name in result.column_names]
    by_name = dict(zip(result.column_names, found, strict=True))
    return (
        [by_name[f"k{index}"] for index in range(len(keys))],
        [by_name[f"r{index}"] for index in range(len(reductions))],
        result.num_rows,
    )


def _slices(table: pa.Table, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        check()
        yield batch
