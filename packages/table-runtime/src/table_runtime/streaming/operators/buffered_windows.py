"""Operators over whole time windows: their rows are kept until the window is over, and then processed as in batch mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import make_batch, rechunk
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, Division, ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.stateless import BatchInput
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows


@dataclass(frozen=True, eq=False)
class WindowInput:
    """An input: the leaf that reads its rows, the position of the window's end, and the columns by which rows meet; ``GLOBAL``: all rows of a window do."""

    leaf: BatchInput
    end: int
    keys: Callable[[pa.RecordBatch], Sequence[pa.Array]] | Division = GLOBAL

    def keys_of(self, rows: pa.RecordBatch) -> Sequence[pa.Array]:
        """Returns the columns by which some rows meet those of other inputs, or each other."""
        return () if isinstance(self.keys, Division) else self.keys(rows)


class BufferedState(OperatorState):
    """The rows of each input by the columns by which they meet, and the last millisecond of their window."""

    def __init__(self, context: ExecutionContext, inputs: Sequence[WindowInput], key_types: Sequence[pa.DataType] = ()) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([*key_types, pa.int64()])
        self.bucket_columns = range(len(key_types))
        self.inputs = [TimedRows(each.leaf.schema) for each in inputs]

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {f"input{number}": rows for number, rows in enumerate(self.inputs)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        result = np.zeros(len(slots), np.bool_)
        for rows in self.inputs:
            result |= rows.has_rows(slots)
        return result


class BufferedWindows(ChangelogOperator[BufferedState]):
    """Keeps rows until the watermark reaches the last millisecond of their window, and then emits what ``root`` returns for the rows of all such windows.

    Results are in the order of the ends of their windows, which are in the columns ``ends`` of ``root`` (in the first one that is not NULL). With
    ``has_rank`` the last column of ``root``, which is not emitted, orders the results of each partition. A row whose window was over when it came is late: it
    is dropped and counted. The keys of the inputs have ``key_types``. ``root`` reads rows as they came, or with ``is_reversed`` the last one first.
    """

    emits_at_watermarks = True
    waits_for_watermarks = True

    def __init__(
        self,
        root: Operator,
        inputs: Sequence[WindowInput],
        ends: Sequence[int],
        last_millisecond: Callable[[pa.Array], Times],
        *,
        name: str,
        key_types: Sequence[pa.DataType] = (),
        partition_by: Sequence[int] = (),
        has_rank: bool = False,
        is_reversed: bool = False,
        text: str = "",
    ) -> None:
        super().__init__(pa.schema(list(root.schema)[: len(root.schema) - 1]) if has_rank else root.schema)
        self._key_types = tuple(key_types)
        self._partition_by = tuple(partition_by)
        self._has_rank = has_rank
        self._is_reversed = is_reversed
        self._root = root
        self._inputs = tuple(inputs)
        self._ends = tuple(ends)
        self._last_millisecond = last_millisecond
        self._name = name
        self._text = text

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> BufferedState:
        return BufferedState(context, self._inputs, self._key_types)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return self._inputs[input_index].keys

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: BufferedState, out: Output) -> None:
        batch, last = state.drop_late(batch, self._last_millisecond(batch.rows.column(self._inputs[input_index].end)))
        if batch.num_rows:
            keys = self._inputs[input_index].keys_of(batch.rows)
            slots = state.keys.find_or_insert([*keys, pa.array(last)], len(last))
            state.inputs[input_index].append(batch.rows, slots, last, 0)

    @override
    def next_due(self, state: BufferedState) -> int:
        return min(rows.first_time for rows in state.inputs)

    @override
    def on_watermark(self, watermark: int, state: BufferedState, out: Output) -> None:
        ready = [rows.until(watermark) for rows in state.inputs]
        if not any(map(len, ready)):
            return
        for each, rows, numbers in zip(self._inputs, state.inputs, ready, strict=True):
            state.keys.touch(np.unique(rows.slots_of(numbers)))
            batch = make_batch(rows.take(numbers[::-1] if self._is_reversed else numbers), each.leaf.schema, len(numbers))
            each.leaf.given(state.context)[:] = [batch] if len(numbers) else []
            rows.remove(numbers)
        results = [batch for batch in self._root.batches(state.context) if batch.num_rows]
        if not results:
            return
        result = rechunk(results, self._root.schema)
        ends = pc.coalesce(*(result.column(position) for position in self._ends))
        columns = result.columns
        order = [self._last_millisecond(ends)]
        if self._has_rank:
            partition = [result.column(position) for position in self._partition_by]
            of_partition = KeySlots([column.type for column in partition]).find_or_insert(partition, len(result))
            order = [columns.pop().to_numpy(), of_partition, *order]
        out(ChangeBatch(make_batch(columns, self.schema, len(result)).take(pa.array(np.lexsort(order)))))
