"""OVER aggregation: adds columns that are computed over windows of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.batch.over import Frame, Frames, SortedRows, WindowFunction, make_frames
from table_runtime.batch.over.framed_aggregate import FramedAggregate
from table_runtime.batch.parts import divided, is_divided
from table_runtime.batch.spill.collected import Collected, collect
from table_runtime.batch.spill.partitions import partition_rows
from table_runtime.batch.spill.rows import SpilledRows, StreamedRows, over_inputs
from table_runtime.columns.batches import cast_array, concat_arrays, split_table, take_arrays
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import DEEPEST, Account
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered

SKEWED = 0.9
"""A partition with more than this part of its parent's rows is not partitioned again."""


@dataclass(frozen=True, eq=False)
class OverColumn:
    """One call: its function, its arguments (positions of columns, or constants), its frame and the position of its filter.

    ``shown`` are the columns of the input as messages name them.
    """

    function: WindowFunction
    args: tuple[int | pa.Scalar, ...] = ()
    frame: Frame | None = None
    filter: int | None = None
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class WindowGroup:
    """Calls over the same window. Column positions refer to the input's columns followed by the columns of earlier groups."""

    partition_by: tuple[int, ...]
    order_by: tuple[SortKey, ...]
    columns: tuple[OverColumn, ...]
    text: str = ""
    shown_by: tuple[int, ...] | None = None
    """The columns that name a partition in messages; None: ``partition_by``."""


class OverAggregate(Operator):
    """Yields the input's rows in their order, with one more column per call.

    Many rows are divided into parts by their partition keys, and rows that exceed the memory are partitioned on disk; then the order is another,
    also for later windows with other keys. Rows with equal partition keys form a partition; NULL equals NULL. Rows with equal order keys stay in the
    order in which their window gets them.
    """

    _keeps_order = False

    def __init__(self, child: Operator, schema: pa.Schema, groups: Sequence[WindowGroup]) -> None:
        super().__init__(schema, (child,))
        self._groups = tuple(groups)

    @classmethod
    def over(cls, child: Operator, schema: pa.Schema, group: WindowGroup) -> OverAggregate:
        """Returns ``child`` with the columns of ``group``; an OverAggregate is extended, so that its rows are collected once."""
        if isinstance(child, OverAggregate):
            return cls(child.inputs[0], schema, (*child._groups, group))
        return cls(child, schema, (group,))

    def in_order(self) -> OverAggregate:
        """Returns the operator with its rows in the order of the input: they are neither divided into parts nor spilled."""
        result = copy(self)
        result._keeps_order = True
        return result

    @override
    def plan_lines(self) -> list[str]:
        return [f"{self.name}({group.text})" for group in reversed(self._groups)]

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        if self._keeps_order:
            yield from self.in_memory([batch for batch in child.batches(context) if batch.num_rows], context)
            return
        with context.account(self.name) as account:
            collected = collect(child.batches(context), context, account, working=2)
            if collected.is_whole:
                yield from _in_parts(self, collected.batches, context)
                return
            yield from _spilled_over(self, collected, context, account)

    @property
    def groups(self) -> tuple[WindowGroup, ...]:
        """The windows."""
        return self._groups

    def parts(self) -> tuple[OverAggregate, tuple[WindowGroup, ...]]:
        """Returns the operator with the windows that have the same partition keys as the first one, and the other windows."""
        keys = set(self._groups[0].partition_by)
        count = next((i for i, group in enumerate(self._groups) if set(group.partition_by) != keys), len(self._groups))
        result = copy(self)
        result._groups = self._groups[:count]
        added = sum(len(group.columns) for group in result._groups)
        result.schema = pa.schema(list(self.schema)[: len(self.inputs[0].schema) + added])
        return result, self._groups[count:]

    def following(self, first: OverAggregate, rows: Iterator[pa.RecordBatch]) -> OverAggregate:
        """Returns the operator with the windows that ``first`` lacks, over its rows."""
        result = OverAggregate(StreamedRows(first.schema, rows), self.schema, self._groups[len(first.groups) :])
        result.origin = self.origin
        return result

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
        """Returns the new columns in the order of the input.

        Raises:
            TableRuntimeException: an aggregate fails; the error names the call and the partition.
        """
        results = self._computed(group, columns, rows, context, self._failure)
        return [cast_array(result, self.schema.field(len(columns) + index).type) for index, result in enumerate(results)]

    def _computed(
        self,
        group: WindowGroup,
        columns: Sequence[pa.ChunkedArray],
        rows: int,
        context: ExecutionContext,
        failure: Callable[..., TableRuntimeException] | None = None,
    ) -> list[pa.Array]:
        """Returns the results in the order of the input; ``failure`` makes the error of an aggregate that fails."""
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
        for call in group.columns:
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
            try:
                result = call.function.compute(sorted_rows, call_frames, args, context.check)
            except TableRuntimeException as error:
                if failure is None or not isinstance(call.function, FramedAggregate):
                    raise
                raise failure(error, group, call, [column.take(order) for column in columns], sorted_rows, context) from error
            results.append(pc.take(result, input_order))
        return results

    def _failure(
        self,
        error: TableRuntimeException,
        group: WindowGroup,
        call: OverColumn,
        columns: Sequence[pa.ChunkedArray],
        rows: SortedRows,
        context: ExecutionContext,
    ) -> TableRuntimeException:
        """Returns the error with the call and the partition; ``columns`` are in the order of the partitions."""
        from table_runtime.aggregates.group_failures import failure_in_group, first_failing

        assert isinstance(call.function, FramedAggregate)
        starts = pc.unique(rows.partition_start).to_pylist()
        alone = WindowGroup(group.partition_by, group.order_by, (call,))

        def compute(start: int, end: int) -> None:
            first = starts[start]
            length = (starts[end] if end < len(starts) else rows.rows) - first
            self._computed(alone, [column.slice(first, length) for column in columns], length, context)

        row = starts[first_failing(compute, len(starts))]
        shown_by = group.partition_by if group.shown_by is None else group.shown_by
        names = [self._shown(call, position) for position in shown_by]
        keys = [concat_arrays(columns[i].slice(row, 1).chunks, columns[i].type) for i in shown_by]
        accumulator = call.function.accumulator
        arguments = accumulator.argument_text([str(arg) if isinstance(arg, pa.Scalar) else self._shown(call, arg) for arg in call.args])
        return failure_in_group(error, accumulator, f"{'DISTINCT ' * call.function.distinct}{arguments}", names, keys, "partition")

    def _shown(self, call: OverColumn, position: int) -> str:
        return call.shown[position] if position < len(call.shown) else self.schema.field(position).name


def _in_parts(operator: OverAggregate, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Yields the rows of the batches, with the calls; many rows are processed part by part. Removes the batches from the list."""
    if not operator.partition_by or not is_divided(batches):
        yield from operator.in_memory(batches, context)
        return
    first, others = operator.parts()
    codec = KeyCodec([first.inputs[0].schema.field(i).type for i in first.partition_by])

    def keys(batch: pa.RecordBatch) -> list[pa.Array]:
        return [codec.dividing(key, codec.encode_one(key, batch.column(i))) for key, i in enumerate(first.partition_by)]

    parts = divided(batches, first.inputs[0].schema, keys, context)
    results = map_ordered(lambda part: list(first.in_memory(part, context)), parts, context)
    try:
        if others:
            following = [batch for result in results for batch in result]
            yield from _in_parts(operator.following(first, iter(())), following, context)
        else:
            for result in results:
                yield from result
    finally:
        close_iterator(results)


def _spilled_over(operator: OverAggregate, rows: Collected, context: ExecutionContext, account: Account) -> Iterator[pa.RecordBatch]:
    """Yields the rows of the operator with its calls; ``rows`` is its input. Windows with other partition keys follow one after the other."""
    first, others = operator.parts()
    source = _partitioned(first, rows, context, account)
    if others:
        source = operator.following(first, source).batches(context)
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
