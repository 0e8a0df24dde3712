"""Assigns rows to session windows: rows of a partition, in the order of time, of which each follows the previous one within the gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.over.sorted_rows import changes, positions
from table_runtime.columns.batches import concat_arrays, make_batch, split_table, take_arrays
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.materialized_input import materialize
from table_runtime.run.operator import Operator
from table_runtime.steps.window_table_function.operator import TimeColumn


class SessionWindowTableFunction(Operator):
    """Yields the rows in the order of the input, followed by start, end and time of their session. Holds all rows in memory.

    A session starts at its first row and ends ``gap`` milliseconds after its last. Rows with equal partition keys form a partition; NULL
    equals NULL. Rows with a NULL time are dropped.
    """

    def __init__(self, child: Operator, schema: pa.Schema, time: TimeColumn, partition_by: Sequence[int], gap: int, text: str = "") -> None:
        super().__init__(schema, (child,))
        self._time = time
        self._partition_by = tuple(partition_by)
        self._gap = gap
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        position = self._time.position

        def with_time(batch: pa.RecordBatch) -> pa.RecordBatch:
            times = batch.column(position)
            return batch.filter(pc.is_valid(times)) if times.null_count else batch

        columns, rows = materialize(child, context, with_time)
        if rows == 0:
            return
        times = [self._time.milliseconds(chunk) for chunk in columns[position].chunks]
        starts, ends = self._sessions(columns, concat_arrays(times, pa.int64()), context)
        start = 0
        for batch in split_table(columns, child.schema, rows, None):
            context.check()
            count = batch.num_rows
            window = self._time.window_columns(starts.slice(start, count), ends.slice(start, count))
            yield make_batch([*batch.columns, *window], self.schema, count)
            start += count

    def _sessions(self, columns: Sequence[pa.ChunkedArray], times: pa.Array, context: ExecutionContext) -> tuple[pa.Array, pa.Array]:
        """Returns start and end of each row's session, in the order of the input."""
        keys = [concat_arrays(columns[i].chunks, columns[i].type) for i in self._partition_by]
        keys = KeyCodec([key.type for key in keys]).encode(keys)
        rows, width = len(times), len(keys)
        order = pc.cast(sort_indices([*keys, times], [SortKey(i) for i in range(width + 1)]), pa.int64())
        context.check()
        *keys, times = take_arrays([*keys, times], order)
        is_first = pc.or_(changes(keys, rows), _after_gap(times, self._gap))
        firsts = pc.array_filter(positions(rows), is_first)
        lasts = pc.subtract(concat_arrays([firsts.slice(1), pa.array([rows], type=pa.int64())], pa.int64()), pa.scalar(1, pa.int64()))
        session = pc.subtract(pc.cumulative_sum(pc.cast(is_first, pa.int64())), pa.scalar(1, pa.int64()))
        starts = pc.take(times, firsts)
        ends = pc.add(pc.take(times, lasts), pa.scalar(self._gap, pa.int64()))
        session = pc.take(session, pc.inverse_permutation(order))
        return pc.take(starts, session), pc.take(ends, session)


def _after_gap(times: pa.Array, gap: int) -> pa.Array:
    """Returns for each row whether it is more than the gap after the previous row."""
    passed = pc.subtract(times.slice(1), times.slice(0, len(times) - 1))
    return concat_arrays([pa.array([True]), pc.greater(passed, pa.scalar(gap, pa.int64()))], pa.bool_())
