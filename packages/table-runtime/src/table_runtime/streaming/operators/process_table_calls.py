"""Calls of ``eval_batch`` and ``on_timer_batch``, and the rows that they yield."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.functions import ProcessBatchContext
from table_runtime.columns.batches import make_batch
from table_runtime.sources.time_units import PER_MILLISECOND
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.operators.process_table_columns import ProcessColumns
from table_runtime.streaming.operators.process_table_spec import ProcessSpec
from table_runtime.udf.errors import RAISED, call_failed

Numbers = np.ndarray[Any, np.dtype[np.int64]]
_FIRINGS = 100_000
"""How often timers of one key fire up to one watermark at most."""


class _Context(ProcessBatchContext):
    def __init__(self, spec: ProcessSpec, state: ProcessColumns, slots: Slots, times: Numbers | None, timer: str | None) -> None:
        self._spec, self._state, self._slots = spec, state, slots
        self._times, self._timer = times, timer
        self.cleared: list[Slots] = []

    @property
    @override
    def times(self) -> Any:
        return self._times

    @property
    @override
    def timer(self) -> str | None:
        return self._timer

    @override
    def set_timers(self, name: str, times: Any, rows: Any = None) -> None:
        function = self._spec.function.name
        if not self._spec.has_timers:
            raise TableRuntimeException(
                f"Timers are not supported in the current PTF declaration: the function {function} cannot set one.",
                hint="define on_timer_batch, for a table with set semantics without PASS_COLUMNS_THROUGH",
            )
        slots = self._of(rows)
        given = np.asarray(times)
        if given.dtype.kind not in "iu" or given.shape not in ((), slots.shape):
            raise TableRuntimeException(
                f"The function {function} sets timers for {len(slots)} rows to {given.dtype} of the shape {given.shape}.",
                hint="an array of milliseconds since 1970, one for each of the rows",
            )
        self._state.column_timers.set(name, slots, np.broadcast_to(given.astype(np.int64), slots.shape))

    @override
    def clear_timers(self, name: str, rows: Any = None) -> None:
        self._state.column_timers.remove(name, self._of(rows))

    @override
    def clear(self, rows: Any = None) -> None:
        slots = self._of(rows)
        self._state.column_timers.remove_all(slots)
        self.cleared.append(slots)

    def _of(self, rows: Any) -> Slots:
        return self._slots if rows is None else self._slots[np.asarray(rows)]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Rows of one yield: ``places`` and ``ranks`` order them, ``columns`` are those of the function."""

    places: Numbers
    is_timer: bool
    slots: Slots
    times: Numbers | None
    befores: Numbers
    columns: list[pa.Array]


class BatchCalls:
    """The calls for one batch, or one watermark, and their rows."""

    def __init__(self, spec: ProcessSpec, state: ProcessColumns, out: Output, watermark: int, *, has_before: bool) -> None:
        self.watermark = watermark
        self._spec, self._state, self._out, self._has_before = spec, state, out, has_before
        self._function: Any = state.invocation.function()
        self._parts: list[_Part] = []
        self._rows: pa.RecordBatch | None = None
        self._types = [spec.schema.field(position).type for position in self._own_positions()]

    def _own_positions(self) -> range:
        end = len(self._spec.schema) - (self._spec.time_type is not None)
        return range(end - len(self._spec.own_names), end)

    def rows(self, rows: pa.RecordBatch, places: Numbers, slots: Slots, times: Numbers | None, befores: Numbers) -> None:
        """Calls the function for rows of different keys, which are at ``places`` of the batch with the times and watermarks."""
        spec, signature = self._spec, self._spec.signature
        own_times = None if times is None else times[places]
        context = _Context(spec, self._state, slots, own_times, None)
        states = self._state.of(slots) if spec.has_keys else []
        arguments = [*([context] if signature.takes_context else []), *states, *self._state.arguments()]
        arguments[len(arguments) - len(signature.arguments) + spec.inputs[0].argument] = rows
        if spec.passes_through:
            self._through(rows, places)
        try:
            for yielded in self._function.eval_batch(*arguments) or ():
                chosen, columns = self._columns(yielded, len(slots))
                at = places[chosen]
                self._parts.append(_Part(at, False, slots[chosen], None if own_times is None else own_times[chosen], befores[at], columns))
        except TableRuntimeException:
            raise
        except RAISED as error:
            raise call_failed(spec.function.name, error, None, [f"{len(slots)} rows"], masked=self._state.invocation.masked) from error
        self._keep(slots, states, context)

    def _through(self, rows: pa.RecordBatch, places: Numbers) -> None:
        """Remembers the rows of a batch, whose columns are passed through; the rounds of a batch come after one another."""
        if self._rows is None:
            self._rows, self._of_place = rows, places
        else:
            self._rows = pa.Table.from_batches([self._rows, rows]).combine_chunks().to_batches()[0]
            self._of_place = np.concatenate([self._of_place, places])

    def timers(self, name: str, slots: Slots, times: Numbers, places: Numbers, befores: Numbers) -> None:
        """Calls the function for timers of one name; they fire before the rows at ``places``, whose watermarks are ``befores``."""
        spec, signature = self._spec, self._spec.signature
        assert signature.timer_states is not None
        order = np.lexsort((slots, times, places))
        slots, times, places = slots[order], times[order], places[order]
        context = _Context(spec, self._state, slots, times, name or None)
        states = self._state.of(slots)
        leading: list[Any] = [context] if signature.timer_takes_context else []
        befores = np.where(places > 0, befores[np.maximum(places, 1) - 1], self.watermark)
        try:
            for yielded in self._function.on_timer_batch(*leading, *(states[position] for position in signature.timer_states)) or ():
                chosen, columns = self._columns(yielded, len(slots))
                self._parts.append(_Part(places[chosen], True, slots[chosen], times[chosen], befores[chosen], columns))
        except TableRuntimeException:
            raise
        except RAISED as error:
            shown = [f"{len(slots)} timers '{name}'"]
            raise call_failed(f"{spec.function.name}.on_timer_batch", error, None, shown, masked=self._state.invocation.masked) from error
        self._keep(slots, states, context)

    def check_firings(self, count: int, times: Numbers) -> None:
        """Raises an error if timers fire again and again."""
        self._state.context.check()
        if count > _FIRINGS:
            raise TableRuntimeException(
                f"Timers of the function {self._spec.function.name} have fired {count:,} times for one key up to one watermark, now at {times[0]}.",
                hint="on_timer_batch must set a timer for a later time than its own",
            )

    def _keep(self, slots: Slots, states: Sequence[Any], context: _Context) -> None:
        for column, fields in zip(self._state.columns, states, strict=True):
            column.set(slots, fields)
        for cleared in context.cleared:
            for column in self._state.columns:
                column.clear(cleared)

    def _columns(self, yielded: Any, count: int) -> tuple[Numbers, list[pa.Array]]:
        """Returns the positions of the rows of a yield, and its columns."""
        name, names = self._spec.function.name, self._spec.own_names
        if not isinstance(yielded, tuple) or len(yielded) != 2:
            raise TableRuntimeException(f"The function {name} yielded {type(yielded).__name__}.", hint="yield rows, (column, …)")
        rows, columns = yielded
        chosen = np.arange(count) if rows is None else np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        elif chosen.dtype.kind not in "iu" or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < count):
            raise TableRuntimeException(f"The function {name} yielded rows that are no positions from 0 to {count - 1}, and no booleans.")
        if isinstance(columns, pa.RecordBatch):
            columns = columns.columns
        elif isinstance(columns, dict):
            if set(columns) != set(names):
                raise self._wrong_columns(", ".join(columns))
            columns = [columns[one] for one in names]
        elif not isinstance(columns, (tuple, list)):
            columns = [columns]
        if len(columns) != len(names):
            raise self._wrong_columns(f"{len(columns)} columns")
        return chosen, [self._column(column, position, len(chosen)) for position, column in enumerate(columns)]

    def _column(self, column: Any, position: int, count: int) -> pa.Array:
        target, name = self._types[position], self._spec.own_names[position]
        try:
            if isinstance(column, pa.ChunkedArray):
                column = column.combine_chunks()
            if not isinstance(column, pa.Array):
                if np.ndim(column) == 0:
                    column = pa.repeat(pa.scalar(column.item() if isinstance(column, np.generic) else column, target), count)
                else:
                    column = pa.array(column, from_pandas=False)
            found = column if column.type == target else column.cast(target)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise TableRuntimeException(
                f"The function {self._spec.function.name} yielded a wrong value: the column '{name}' is declared as "
                f"{self._spec.own_types[position].summary()}: {error}",
                hint="Yield values of the declared type, or declare another type.",
            ) from error
        if len(found) != count:
            raise TableRuntimeException(
                f"The function {self._spec.function.name} yielded {len(found)} values in the column '{name}' for {count} rows."
            )
        return found

    def _wrong_columns(self, given: str) -> TableRuntimeException:
        columns = ", ".join(f"{n} {t.summary()}" for n, t in zip(self._spec.own_names, self._spec.own_types, strict=True))
        return TableRuntimeException(f"The function {self._spec.function.name} yielded {given}, but its rows have {columns}.")

    def flush(self) -> None:
        """Emits the rows so far, in the order of the rows and watermarks that caused them."""
        parts = [part for part in self._parts if len(part.slots)]
        self._parts = []
        if not parts:
            self._rows = None
            return
        spec = self._spec
        places, slots, befores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("places", "slots", "befores"))
        is_row = np.concatenate([np.full(len(part.slots), not part.is_timer) for part in parts])
        times = np.concatenate([np.full(len(part.slots), NO_WATERMARK) if part.times is None else part.times for part in parts])
        order = np.lexsort((np.where(is_row, 0, times), is_row, places))
        taken = pa.array(order)
        columns: list[Any] = []
        if spec.passes_through:
            assert self._rows is not None
            at = np.empty(len(self._of_place), np.int64)
            at[self._of_place] = np.arange(len(self._of_place))
            through = pa.array(at[places[order]])
            columns = [self._rows.column(position).take(through) for position in spec.inputs[0].through]
        elif spec.inputs[0].partition_by:
            columns = self._state.key_columns(slots[order])
        for position in range(len(spec.own_names)):
            columns.append(pa.concat_arrays([part.columns[position] for part in parts]).take(taken))
        if spec.time_type is not None:
            field = spec.schema.field(len(spec.schema) - 1).type
            ordered = times[order]
            mask = ordered == NO_WATERMARK
            columns.append(pa.array(np.where(mask, 0, ordered) * PER_MILLISECOND[field.unit], pa.int64(), mask=mask).cast(field))
        rows = make_batch(columns, spec.schema, len(order))
        self._rows = None
        self._out(ChangeBatch(rows, None, np.maximum.accumulate(befores[order]) if self._has_before else None))
