"""Event time of the rows of a table: the watermark before each row, and the watermark after each batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import Watermarks, milliseconds_of
from table_runtime.steps.time_check import null_time
from table_runtime.streaming.changes.batch import ChangeBatch, Times
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.time.input_watermarks import InputWatermarks
from table_runtime.streaming.time.watermarks import END_OF_TIME


class WatermarkState(OperatorState):
    """The progress of event time in each split of the source; ``split`` is the one whose rows come next.

    ``before_all`` is the watermark in force before all rows, if these have no order; None: each row counts for those after it.
    """

    def __init__(self, context: ExecutionContext, interval: int) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([])
        self.rows = 0
        self.split = ""
        self.before_all: int | None = None
        self.progress: dict[str, Watermarks] = {}
        self.splits: InputWatermarks[str] = InputWatermarks()
        self._interval = interval

    def advance(self, values: Times) -> Times:
        """Takes the values of the next rows of ``split``; returns the watermark in force before each, the least of the splits that are not idle."""
        own = self.progress_of(self.split)
        before = own.advance(values)
        reached = self.splits.least
        if others := self.splits.others(self.split):
            before = np.maximum(np.minimum(before, self.splits.least_of(others)), reached)
        self.splits.advance(self.split, own.current)
        return before if self.before_all is None else np.full(len(values), self.before_all, np.int64)

    def progress_of(self, split: str) -> Watermarks:
        """Returns the progress of a split, known or new."""
        if split not in self.progress:
            self.progress[split] = Watermarks(self._interval)
        return self.progress[split]

    def add_split(self, split: str) -> None:
        """Waits for the watermark of a split, which has no rows yet, unless it is known."""
        self.progress_of(split)
        self.splits.add(split)

    def end_split(self, split: str) -> None:
        """Forgets a split that has ended."""
        self.progress.pop(split, None)
        self.splits.remove(split)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"watermarks": _Progress(self)}


class _Progress(StateTable):
    """For each split the greatest value and the last watermark so far; before these the number of rows, and the watermark of the source."""

    def __init__(self, state: WatermarkState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        state = self._state
        rows = [(None, state.rows, state.splits.least), *((name, each.greatest, each.emitted) for name, each in state.progress.items())]
        columns = [
            pa.array(values, type_) for values, type_ in zip(zip(*rows, strict=True), (pa.string(), pa.int64(), pa.int64()), strict=True)
        ]
        return content_of(pa.array(np.zeros(len(rows), np.int64)), columns)

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return  # a newer snapshot was restored already
        state = self._state
        (_, state.rows, least), *splits = zip(*(column.to_pylist() for column in content.columns[1:]), strict=True)
        for name, greatest, emitted in splits:
            progress = state.progress_of(name)
            progress.greatest, progress.emitted = greatest, emitted
        state.splits.restore(least, {name: progress.current for name, progress in state.progress.items()})


class WatermarkAssigner(ChangelogOperator[WatermarkState]):
    """Forwards the rows with the watermark before each; ``evaluate`` returns the WATERMARK expression, whose NULLs do not move event time.

    Raises:
        TableRuntimeException: the time of a row is NULL.
    """

    assigns_watermarks = True

    def __init__(
        self, schema: pa.Schema, rowtime: int, evaluate: Callable[[pa.RecordBatch], pa.Array], *, interval: int, table: str, text: str = ""
    ) -> None:
        super().__init__(schema)
        self._rowtime = rowtime
        self._evaluate = evaluate
        self._interval = interval
        self._table = table
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    def times_of(self, rows: pa.RecordBatch) -> Times:
        """Returns the event times of some rows."""
        return milliseconds_of(rows.column(self._rowtime))

    @override
    def create_state(self, context: ExecutionContext) -> WatermarkState:
        return WatermarkState(context, self._interval)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: WatermarkState, out: Output) -> None:
        times = batch.rows.column(self._rowtime)
        if times.null_count:
            row = state.rows + pc.index(pc.is_null(times), True).as_py() + 1
            raise null_time(self.schema.field(self._rowtime).name, self._table, row)
        state.rows += batch.num_rows
        before = state.advance(milliseconds_of(self._evaluate(batch.rows)))
        out(ChangeBatch(batch.rows, batch.kinds, before))

    @override
    def output_watermark(self, state: WatermarkState) -> int:
        return END_OF_TIME if state.watermark == END_OF_TIME else state.splits.least
