"""What a process table function keeps that is called with many rows at once: states and timers as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_common.annotation import override
from table_common.exceptions import TableInternalError
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.process_table_spec import ProcessSpec
from table_runtime.streaming.operators.process_table_state import ProcessState, maker_of
from table_runtime.streaming.state.column_timers import ColumnTimers
from table_runtime.streaming.state.struct_column import StructColumn, StructFields


class ProcessColumns(ProcessState):
    """The states and timers of each partition as arrays, and the rows of a table with ORDER BY that wait for the watermark."""

    columns: list[StructColumn]  # type: ignore[assignment]  # in place of columns of objects

    def __init__(self, context: ExecutionContext, spec: ProcessSpec) -> None:
        super().__init__(context, spec)
        self.columns = [StructColumn(spec.function.name, entry, maker_of(entry, spec)()) for entry in spec.signature.states]
        self.column_timers = ColumnTimers()
        self.timers = self.column_timers  # type: ignore[assignment]  # in place of timers of Python
        self.reached: np.ndarray[Any, np.dtype[np.int64]] = np.full(1024, NO_WATERMARK)
        """Up to which time the timers of each key have fired at its last row."""
        self.floor: int | None = None
        """The watermark before the first call, also after the state was restored: up to it, timers have fired for all keys."""
        self.prepare(1024)

    def reached_by(self, slots: Slots) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns up to which time the timers of some keys have fired at their last rows."""
        reached: np.ndarray[Any, np.dtype[np.int64]] = np.maximum(self.reached[slots], NO_WATERMARK if self.floor is None else self.floor)
        return reached

    def of(self, slots: Slots) -> list[StructFields]:
        """Returns the states of some keys; those that have expired have the defaults."""
        if self._expires:
            unused = self.processing_time - self.called[slots]
            for column, ttl in zip(self.columns, self._spec.ttls, strict=True):
                if ttl and (unused >= ttl).any():
                    column.clear(slots[unused >= ttl])
            self.called[slots] = self.processing_time
        return [column.of(slots) for column in self.columns]

    @override
    def objects_of(self, slot: int) -> list[Any]:
        raise TableInternalError("States of a function that is called with many rows are arrays.")
