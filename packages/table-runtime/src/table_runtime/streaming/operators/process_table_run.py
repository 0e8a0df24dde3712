"""Calls a process table function for rows and timers, and collects what it yields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import GeneratorType
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.connector import RowKind
from table_common.data import ArgumentRow, Row
from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.columns.batches import make_batch
from table_runtime.sources.time_units import PER_MILLISECOND
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.operators.process_table_contexts import CallContext
from table_runtime.streaming.operators.process_table_spec import ProcessInput, ProcessSpec
from table_runtime.streaming.operators.process_table_state import ProcessState
from table_runtime.udf.errors import RAISED, call_failed
from table_runtime.udf.values import read_values, reader_for, write_values

_MOST = 8192
"""The number of rows that are emitted at once."""
_FEW_FIRINGS = 100
"""How often a timer fires at one time before that is checked."""


def rows_of(batch: ChangeBatch, table: ProcessInput, function: str) -> list[Any]:
    """Returns the rows of a table as the function gets them."""
    where = f"the table '{table.name}' of {function}"
    columns = batch.rows.columns
    if table.conversion is not None:
        struct = pa.StructArray.from_arrays(columns, fields=list(batch.rows.schema))
        return read_values(struct, table.row_type, reader_for(table.row_type, table.conversion), where)
    if not columns:
        return [ArgumentRow() for _ in range(batch.num_rows)]
    values = [
        read_values(column, type_, reader_for(type_, None), f"the column '{name}' of {where}")
        for column, type_, name in zip(columns, table.types, batch.rows.schema.names, strict=True)
    ]
    kinds = None if batch.kinds is None else [RowKind(kind & 3) for kind in batch.kinds.tolist()]
    return list(ArgumentRow.of_columns(batch.rows.schema.names, values, kinds))


class ProcessRun:
    """The calls for one batch, or one watermark, and their rows. ``batch`` has the rows whose columns are passed through."""

    def __init__(self, spec: ProcessSpec, state: ProcessState, out: Output, *, has_before: bool) -> None:
        self._spec = spec
        self._state = state
        self._invocation = state.invocation
        self._out = out
        self._has_before = has_before
        self.context: CallContext = state.call_context
        self.before = self.context.watermark
        """The watermark before the rows that are emitted."""
        signature = spec.signature
        leading: list[Any] = [self.context] if signature.takes_context else []
        self._first_state = len(leading)
        self._states = len(signature.states)
        self._template = [*leading, *([None] * self._states), *state.arguments()]
        """The arguments of ``eval``, without state and tables."""
        self._function: Any = state.invocation.function()
        self._eval: Callable[..., Any] = self._function.eval
        self._on_timer: Callable[..., Any] = self._function.on_timer
        self._checks = state.checks
        self._width = len(spec.own_names)
        self._has_timers = spec.has_timers
        self._is_single = self._width == 1
        self._allowed = spec.mode.kinds
        self._values: list[Sequence[Any]] = []
        self._marks: list[tuple[int, int, int | None, int, int]] = []
        """For each value the slot, the place in the batch, the time, the kind and the watermark before it."""
        self.batch: ChangeBatch | None = None

    def advance(self, watermark: int) -> None:
        """Fires the timers that a watermark reaches; rows after them come behind it."""
        context = self.context
        context.watermark = watermark
        if self._has_timers and self._state.timers.first_time <= watermark:
            self.fire(watermark)
        self.before = watermark

    def fire(self, until: int) -> None:
        """Fires the timers that are not later than a time."""
        timers, context, spec = self._state.timers, self.context, self._spec
        signature = spec.signature
        assert signature.timer_states is not None
        context.is_timer = True
        again: Counter[tuple[int, str | None]] = Counter()
        now = -(1 << 63)
        while (fired := timers.pop(until)) is not None:
            if fired[0] > now:
                again.clear()
                now = fired[0]
            again[fired[1:]] += 1
            if again[fired[1:]] > _FEW_FIRINGS:
                self._check_firings(again[fired[1:]], fired[2] or fired[0])
            context.row_time, context.slot, context.timer = fired
            states = self._state.objects_of(context.slot)
            leading = [context] if signature.timer_takes_context else []
            arguments = [*leading, *(states[position] for position in signature.timer_states)]
            try:
                result = self._on_timer(*arguments)
                if result is not None:
                    self._emit(result, -1)
                self._check_state()
            except TableRuntimeException:
                raise
            except RAISED as error:
                name = f"{spec.function.name}.on_timer"
                raise call_failed(name, error, None, [f"timer {fired[2] or fired[0]}"], masked=self._invocation.masked) from error
            self._state.touched_by_timers.append(context.slot)
            context.timer = None
        context.is_timer = False

    def _check_firings(self, count: int, timer: str | int) -> None:
        """Raises an error if a timer fires again and again, because it is set again for a time that is not later."""
        self._state.context.check()
        if count > self._function.max_rows_per_call:
            raise TableRuntimeException(
                f"The timer {timer} of the function {self._spec.function.name} has fired {count - 1:,} times, each time for a time that is not later.",
                hint="on_timer must set a timer for a later time than its own; max_rows_per_call of the class sets the limit",
            )

    def call(self, table: ProcessInput, slot: int, row: Any, time: int | None, place: int) -> None:
        """Calls the function for a row of a table, which is at a place of the batch."""
        context, first, count = self.context, self._first_state, self._states
        context.slot, context.row_time = slot, time
        arguments = self._template.copy()
        if table.argument >= 0:
            arguments[first + count + table.argument] = row
        if count:
            arguments[first : first + count] = self._state.objects_of(slot)
        try:
            result = self._eval(*arguments)
            if result is not None:
                self._emit(result, place)
            if self._checks:
                self._check_state()
        except TableRuntimeException:
            raise
        except RAISED as error:
            shown = arguments[first + count :]
            raise call_failed(self._spec.function.name, error, place + 1, shown, masked=self._invocation.masked) from error

    def _check_state(self) -> None:
        """Raises an error if the call has left a value of another type than declared in the state of its key."""
        for column, check in self._checks:
            value = column.values[self.context.slot]
            if value is not None:
                check(value)

    def _emit(self, result: Any, place: int) -> None:
        if type(result) is not GeneratorType and (isinstance(result, (str, bytes, dict, Row)) or not hasattr(result, "__iter__")):
            raise TableRuntimeException(
                f"The function {self._spec.function.name} returned {_shown(result)}, which is no sequence of rows.",
                hint="yield each row",
            )
        count = 0
        for value in result:
            kind = 0
            if type(value) is not tuple:
                value, kind = self._fields(value)
                if kind and not self._accepts(kind):
                    continue
            if len(value) != self._width:
                raise self._wrong_shape(value)
            self._values.append(value)
            self._marks.append((self.context.slot, place, self.context.row_time, kind, self.before))
            count += 1
            if count >= _MOST and not count % _MOST:
                self._check_count(count)
                self.flush()
        if len(self._values) >= _MOST:
            self.flush()

    def _check_count(self, count: int) -> None:
        self._state.context.check()
        most = self._function.max_rows_per_call
        if count > most:
            raise TableRuntimeException(
                f"One call of the function {self._spec.function.name} has yielded more than {most:,} rows.",
                hint="end the call: a loop that never ends keeps all others waiting; max_rows_per_call of the class sets the limit",
            )

    def _fields(self, value: Any) -> tuple[Sequence[Any], int]:
        """Returns the values of the columns, and the kind of the row."""
        names = self._spec.own_names
        if isinstance(value, Row):
            kind = value.get_row_kind().value
            given = value.get_field_names()
            if given is not None and given != names and set(given) == set(names):
                return [value[name] for name in names], kind
            return tuple(value), kind
        if not self._spec.is_row or value is None:
            return (value,), 0
        if isinstance(value, dict) and set(value) == set(names):
            return [value[name] for name in names], 0
        if isinstance(value, list):
            return value, 0
        if not isinstance(value, (str, bytes, dict)) and all(hasattr(value, name) for name in names):
            return [getattr(value, name) for name in names], 0
        if self._is_single and not isinstance(value, dict):
            return (value,), 0
        raise self._wrong_shape(value)

    def _accepts(self, kind: int) -> bool:
        """Whether a row of a kind is emitted: UPDATE_BEFORE is left out where nobody needs it."""
        given = RowKind(kind)
        if given in self._allowed:
            return True
        if given is RowKind.UPDATE_BEFORE and RowKind.UPDATE_AFTER in self._allowed:
            return False
        expected = ", ".join(one.name for one in RowKind if one in self._allowed)
        raise TableRuntimeException(
            f"Invalid row kind received: {given.name}. Expected produced changelog mode: [{expected}]. The function {self._spec.function.name}"
            " yielded it.",
            hint="declare what it emits: def get_changelog_mode(self, changelog_context): return ChangelogMode.all().kinds",
        )

    def _wrong_shape(self, value: Any) -> TableRuntimeException:
        columns = ", ".join(f"{n} {t.summary()}" for n, t in zip(self._spec.own_names, self._spec.own_types, strict=True))
        return TableRuntimeException(
            f"The function {self._spec.function.name} yielded {_shown(value)}, but its rows have {self._width} "
            f"column{'s' if self._width != 1 else ''}: {columns}.",
            hint="yield a tuple or Row of these columns, or declare others: function_hint(output='ROW<…>')",
        )

    def flush(self) -> None:
        """Emits the rows so far."""
        if not self._values:
            return
        spec, values = self._spec, self._values
        slots, places, times, kinds, befores = zip(*self._marks, strict=True)
        columns = self._leading_columns(slots, places)
        for position, column in enumerate(zip(*values, strict=True)):
            columns.append(self._column(column, position))
        if spec.time_type is not None:
            field = spec.schema.field(len(spec.schema) - 1).type
            per = PER_MILLISECOND[field.unit]
            columns.append(pa.array([None if time is None else time * per for time in times], pa.int64()).cast(field))
        rows = make_batch(columns, spec.schema, len(values))
        of_rows = np.array(kinds, np.int8)
        before = np.array(befores, np.int64) if self._has_before else None
        self._values.clear()
        self._marks.clear()
        self._out(ChangeBatch(rows, of_rows if of_rows.any() else None, before))

    def _leading_columns(self, slots: Sequence[int], places: Sequence[int]) -> list[pa.Array]:
        """Returns the columns before those of the function: of the partition, or of the row."""
        spec = self._spec
        if spec.passes_through:
            assert self.batch is not None
            taken = pa.array(places, pa.int64())
            return [self.batch.rows.column(position).take(taken) for table in spec.inputs for position in table.through]
        if not spec.inputs[0].partition_by:
            return []
        keys = self._state.key_columns(np.array(slots, np.int64))
        return [keys[number] for table in spec.inputs for number in range(len(table.through))]

    def _column(self, values: Sequence[Any], position: int) -> pa.Array:
        spec = self._spec
        type_, name = spec.own_types[position], spec.own_names[position]
        try:
            return write_values(
                values, type_, f"the column '{name}' of {spec.function.name}", truncates_fractions=spec.function.truncates_fractions
            )
        except ValidationException as error:
            raise TableRuntimeException(
                f"The function {spec.function.name} yielded a wrong value: {error.message}",
                hint=error.hint or "Yield a value of the declared type, or declare another type.",
            ) from error


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
