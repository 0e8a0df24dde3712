"""OVER aggregation: adds columns that are computed over windows of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.batches import cast_array, concat_arrays, split_table, take_arrays
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.keys import KeyCodec
from table_runtime.operators.operator import Operator
from table_runtime.operators.over import Frame, Frames, SortedRows, WindowFunction, make_frames
from table_runtime.operators.spill.collected import collect
from table_runtime.ordering import SortKey, sort_indices

__all__ = ["OverAggregate", "OverColumn", "WindowGroup"]


@dataclass(frozen=True, eq=False)
class OverColumn:
    """One call: its function, its arguments (positions of columns, or constants), its frame and the position of its filter."""

    function: WindowFunction
    args: tuple[int | pa.Scalar, ...] = ()
    frame: Frame | None = None
    filter: int | None = None


@dataclass(frozen=True, eq=False)
class WindowGroup:
    """Calls over the same window. Column positions refer to the input's columns followed by the columns of earlier groups."""

    partition_by: tuple[int, ...]
    order_by: tuple[SortKey, ...]
    columns: tuple[OverColumn, ...]
    text: str = ""


class OverAggregate(Operator):
    """Yields the input's rows in their order, with one more column per call.

    Rows that exceed the memory are partitioned by key on disk; then the order is another.
    Rows with equal partition keys form a partition; NULL equals NULL. Rows with equal order keys stay in the order of the input.
    """

    def __init__(self, child: Operator, schema: pa.Schema, groups: Sequence[WindowGroup]) -> None:
        super().__init__(schema, (child,))
        self._groups = tuple(groups)

    @classmethod
    def over(cls, child: Operator, schema: pa.Schema, group: WindowGroup) -> OverAggregate:
        """Returns ``child`` with the columns of ``group``; an OverAggregate is extended, so that its rows are collected once."""
        if isinstance(child, OverAggregate):
            return cls(child.inputs[0], schema, (*child._groups, group))
        return cls(child, schema, (group,))

    @override
    def plan_lines(self) -> list[str]:
        return [f"{self.name}({group.text})" for group in reversed(self._groups)]

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        with context.account(self.name) as account:
            collected = collect(child.batches(context), context, account, working=2)
            if collected.is_whole:
                yield from self.in_memory(collected.batches, context)
                return
            from table_runtime.operators.spill.over import spilled_over  # few runs spill

            yield from spilled_over(self, collected, context, account)

    def parts(self) -> tuple[OverAggregate, tuple[WindowGroup, ...]]:
        """Returns the operator with the windows that have the same partition keys as the first one, and the other windows."""
        keys = set(self._groups[0].partition_by)
        count = next((i for i, group in enumerate(self._groups) if set(group.partition_by) != keys), len(self._groups))
        result = copy(self)
        result._groups = self._groups[:count]
        added = sum(len(group.columns) for group in result._groups)
        result.schema = pa.schema(list(self.schema)[: len(self.inputs[0].schema) + added])
        return result, self._groups[count:]

    @property
    def partition_by(self) -> tuple[int, ...]:
        """The partition keys of the first window."""
        return self._groups[0].partition_by

    def in_memory(self, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the result over the rows of the batches; removes the batches from the list."""
        rows = sum(batch.num_rows for batch in batches)
        if rows == 0:
            return
        columns = [pa.chunked_array([batch.column(i) for batch in batches]) for i in range(batches[0].num_columns)]
        batches.clear()
        for group in self._groups:
            columns += [pa.chunked_array([result]) for result in self._results(group, columns, rows, context)]
        for batch in split_table(columns, self.schema, rows, None):
            context.check()
            yield batch

    def _results(self, group: WindowGroup, columns: Sequence[pa.ChunkedArray], rows: int, context: ExecutionContext) -> list[pa.Array]:
        """Returns the new columns in the order of the input."""
        partition_keys = [concat_arrays(columns[i].chunks, columns[i].type) for i in group.partition_by]
        partition_keys = KeyCodec([key.type for key in partition_keys]).encode(partition_keys)
        width = len(partition_keys)
        sort_columns = [*partition_keys, *(columns[key.column] for key in group.order_by)]
        keys = [SortKey(i) for i in range(width)]
        keys += [SortKey(width + i, key.ascending, key.nulls_first) for i, key in enumerate(group.order_by)]
        order = pc.cast(sort_indices(sort_columns, keys), pa.int64()) if keys else pa.arange(0, rows)
        context.check()
        order_keys = take_arrays([columns[key.column] for key in group.order_by], order)
        sorted_rows = SortedRows(rows, take_arrays(partition_keys, order), order_keys, group.order_by)
        sorted_columns: dict[int, pa.Array] = {}

        def column(position: int) -> pa.Array:
            if position not in sorted_columns:
                sorted_columns[position] = take_arrays([columns[position]], order)[0]
            return sorted_columns[position]

        frames: dict[Frame, Frames] = {}
        input_order = pc.inverse_permutation(order)
        results = []
        for index, call in enumerate(group.columns):
            context.check()
            args = [arg if isinstance(arg, pa.Scalar) else column(arg) for arg in call.args]
            call_frames = None
            if call.frame is not None:
                if call.frame not in frames:
                    frames[call.frame] = make_frames(sorted_rows, call.frame)
                call_frames = frames[call.frame]
                if call.filter is not None:
                    arrays = [pa.repeat(arg, rows) if isinstance(arg, pa.Scalar) else arg for arg in args]
                    call_frames, args = call_frames.restricted(pc.fill_null(column(call.filter), False), arrays)
            result = call.function.compute(sorted_rows, call_frames, args, context.check)
            results.append(pc.take(cast_array(result, self.schema.field(len(columns) + index).type), input_order))
        return results
