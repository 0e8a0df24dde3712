"""Event time of the rows of a table: the watermark before each row, and the watermark behind each batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.changelog.batch import ChangeBatch, Times
from table_runtime.changelog.operator import ChangelogOperator, OperatorState, Output
from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.state.key_slots import KeySlots
from table_runtime.changelog.state.state_table import StateTable, slot_rows
from table_runtime.changelog.watermarks import END_OF_TIME, NO_WATERMARK, Watermarks
from table_runtime.operators.execution import ExecutionContext
from table_runtime.sources.event_time import PER_MILLISECOND

__all__ = ["WatermarkAssigner", "WatermarkState", "milliseconds_of"]


def milliseconds_of(times: pa.Array) -> Times:
    """Returns the values of a time column in milliseconds, rounded down; NULL is ``NO_WATERMARK``."""
    ticks = pc.cast(times, pa.int64())
    values = np.asarray(pc.fill_null(ticks, NO_WATERMARK) if ticks.null_count else ticks)
    per_millisecond = PER_MILLISECOND[times.type.unit]
    return np.where(values == NO_WATERMARK, NO_WATERMARK, values // per_millisecond) if ticks.null_count else values // per_millisecond


class WatermarkState(OperatorState):
    """The progress of event time."""

    def __init__(self, context: ExecutionContext, interval: int) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([])
        self.rows = 0
        self.watermarks = Watermarks(interval)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"watermarks": _Progress(self)}


class _Progress(StateTable):
    """The greatest value and the last watermark so far, and the number of rows."""

    def __init__(self, state: WatermarkState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        watermarks = self._state.watermarks
        return slot_rows([pa.array([value]) for value in (watermarks.greatest, watermarks.emitted, self._state.rows)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return  # a newer snapshot was restored already
        greatest, emitted, rows = (column[0].as_py() for column in content.columns[1:])
        self._state.watermarks.greatest, self._state.watermarks.emitted, self._state.rows = greatest, emitted, rows


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
    def process(self, batch: ChangeBatch, input_index: int, state: WatermarkState, out: Output) -> None:
        times = batch.rows.column(self._rowtime)
        if times.null_count:
            row = state.rows + pc.index(pc.is_null(times), True).as_py() + 1
            raise TableRuntimeException(
                f"The time attribute '{self.schema.field(self._rowtime).name}' of table {self._table} is NULL in row {row}, "
                "but every row needs an event time.",
                hint="Filter such rows out before the WATERMARK, in a view or in the source, or give them a time with COALESCE in a computed column.",
            )
        state.rows += batch.num_rows
        before = state.watermarks.advance(milliseconds_of(self._evaluate(batch.rows)))
        out(ChangeBatch(batch.rows, batch.kinds, before))

    @override
    def output_watermark(self, state: WatermarkState) -> int:
        return END_OF_TIME if state.watermark == END_OF_TIME else state.watermarks.current
