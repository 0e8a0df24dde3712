"""Adds columns that are computed over windows of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.batches import concat_arrays, fit, make_batch, split_table, take_arrays
from table_runtime.operators.collected_input import collect_input
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.keys import KeyCodec
from table_runtime.operators.operator import Operator
from table_runtime.operators.windows import Frame, Frames, SortedRows, WindowFunction, make_frames
from table_runtime.ordering import SortKey, sort_indices

__all__ = ["Window", "WindowColumn"]


@dataclass(frozen=True, eq=False)
class WindowColumn:
    """One call: its function, its arguments (positions of columns, or constants), its frame and the position of its filter."""

    function: WindowFunction
    args: tuple[int | pa.Scalar, ...] = ()
    frame: Frame | None = None
    filter: int | None = None


class Window(Operator):
    """Yields the child's rows, in the order in which they came, with one more column per call. Holds all rows in memory.

    Rows with equal partition keys form a partition, NULL being equal to NULL. Rows that the order keys do not tell apart stay as they came.
    """

    def __init__(
        self,
        child: Operator,
        schema: pa.Schema,
        partition_by: Sequence[int],
        order_by: Sequence[SortKey],
        columns: Sequence[WindowColumn],
        text: str = "",
    ) -> None:
        super().__init__(schema, (child,))
        self._partition_by = tuple(partition_by)
        self._order_by = tuple(order_by)
        self._columns = tuple(columns)
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        columns, rows = collect_input(child, context)
        if rows == 0:
            return
        results = self._results(columns, rows, context)
        start = 0
        for batch in split_table(columns, child.schema, rows, None):
            context.check()
            added = [result.slice(start, batch.num_rows) for result in results]
            yield make_batch([*batch.columns, *added], self.schema, batch.num_rows)
            start += batch.num_rows

    def _results(self, columns: Sequence[pa.ChunkedArray], rows: int, context: ExecutionContext) -> list[pa.Array]:
        """Returns the new columns in the order of the input."""
        partition_keys = [concat_arrays(columns[i].chunks, columns[i].type) for i in self._partition_by]
        partition_keys = KeyCodec([key.type for key in partition_keys]).encode(partition_keys)
        width = len(partition_keys)
        sort_columns = [*partition_keys, *(columns[key.column] for key in self._order_by)]
        keys = [SortKey(i) for i in range(width)]
        keys += [SortKey(width + i, key.ascending, key.nulls_first) for i, key in enumerate(self._order_by)]
        order = pc.cast(sort_indices(sort_columns, keys), pa.int64()) if keys else pa.arange(0, rows)
        context.check()
        order_keys = take_arrays([columns[key.column] for key in self._order_by], order)
        sorted_rows = SortedRows(rows, take_arrays(partition_keys, order), order_keys, self._order_by)
        sorted_columns: dict[int, pa.Array] = {}

        def column(position: int) -> pa.Array:
            if position not in sorted_columns:
                sorted_columns[position] = take_arrays([columns[position]], order)[0]
            return sorted_columns[position]

        frames: dict[Frame, Frames] = {}
        back = pc.inverse_permutation(order)
        results = []
        for index, call in enumerate(self._columns):
            context.check()
            args = [arg if isinstance(arg, pa.Scalar) else column(arg) for arg in call.args]
            seen = None
            if call.frame is not None:
                if call.frame not in frames:
                    frames[call.frame] = make_frames(sorted_rows, call.frame)
                seen = frames[call.frame]
                if call.filter is not None:
                    arrays = [pa.repeat(arg, rows) if isinstance(arg, pa.Scalar) else arg for arg in args]
                    seen, args = seen.restricted(pc.fill_null(column(call.filter), False), arrays)
            result = call.function.compute(sorted_rows, seen, args, context.check)
            results.append(pc.take(fit(result, self.schema.field(len(columns) + index).type), back))
        return results
