"""What a process table function keeps: state entries and timers by partition, and rows that wait for the watermark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import StateEntry
from table_common.types import RowType, StructuredType
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.operators.process_table_checks import check_of
from table_runtime.streaming.operators.process_table_contexts import CallContext
from table_runtime.streaming.operators.process_table_spec import ProcessInvocation, ProcessSpec
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.object_column import ObjectColumn
from table_runtime.streaming.state.state_table import StateTable, slot_rows
from table_runtime.streaming.state.timed_rows import TimedRows
from table_runtime.streaming.state.timers import Timers
from table_runtime.udf.values import read_values, reader_for

_OF_PROCESS = ("_makers", "checks", "_expires", "call_context", "invocation", "_arguments")


class ProcessState(OperatorState):
    """The state entries and timers of each partition, and the rows of tables with ORDER BY that wait for the watermark."""

    def __init__(self, context: ExecutionContext, spec: ProcessSpec) -> None:
        super().__init__(context)
        self._spec = spec
        signature = spec.signature
        if spec.has_keys:
            self.keys = KeySlots(spec.key_types)
        self.columns = [ObjectColumn(spec.function.name, entry.extracted) for entry in signature.states]
        self.timers = Timers()
        self.waiting = {number: TimedRows(table.schema) for number, table in enumerate(spec.inputs) if table.order_by}
        self.passed: set[int] = set()
        """The watermarks before rows that wait, since the last one that came."""
        self.touched_by_timers: list[int] = []
        """The slots for which timers have fired since they were noted."""
        self.called: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(1024, np.int64)
        """When each key was called last, where state expires."""
        self._attach()

    def _attach(self) -> None:
        """Makes what is not part of the state, but of a process that runs it."""
        spec = self._spec
        self._makers = [maker_of(entry, spec) for entry in spec.signature.states]
        of_rows = [] if spec.signature.is_vectorized else list(zip(spec.signature.states, self.columns, strict=True))
        checks = [check_of(entry, column, spec.function.name) for entry, column in of_rows]
        self.checks = [
            (column, check) for (_, column), check in zip(of_rows, checks, strict=True) if check is not None and column.refusal is None
        ]
        self._expires = any(spec.ttls)
        self.call_context = CallContext(spec, self.columns, self.timers)
        self.invocation = ProcessInvocation(spec.function)
        self._arguments: list[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    @override
    def tables(self) -> Mapping[str, StateTable]:
        if not self._spec.has_keys:
            return {}
        states = {f"state {entry.name}": column for entry, column in zip(self._spec.signature.states, self.columns, strict=True)}
        found: dict[str, StateTable] = {**states, "timers": self.timers}
        found |= {f"rows {number}": rows for number, rows in self.waiting.items()}
        if any(self._spec.ttls):
            found["called"] = _Called(self)
        return found

    @override
    def is_live(self, slots: Slots) -> Truths:
        live = self.timers.has(slots)
        for column, ttl in zip(self.columns, self._spec.ttls, strict=True):
            there = column.has(slots)
            if ttl:
                self.called = grown(self.called, int(slots.max(initial=0)) + 1)
                there &= self.processing_time - self.called[slots] < ttl
            live |= there
        for rows in self.waiting.values():
            live |= rows.has_rows(slots)
        return live

    def prepare(self, size: int) -> None:
        """Makes room for slots below ``size``."""
        for column in self.columns:
            column.grow(size)
        if any(self._spec.ttls):
            self.called = grown(self.called, size)

    def objects_of(self, slot: int) -> list[Any]:
        """Returns the state entries of a key; new ones are made, and expired ones made anew."""
        if self._expires:
            unused = self.processing_time - int(self.called[slot])
            for column, ttl in zip(self.columns, self._spec.ttls, strict=True):
                if ttl and unused >= ttl:
                    column.values[slot] = None
            self.called[slot] = self.processing_time
        found = []
        for number, column in enumerate(self.columns):
            value = column.values[slot]
            if value is None:
                value = column.values[slot] = self._makers[number]()
            found.append(value)
        return found

    def key_columns(self, slots: Slots) -> list[pa.Array]:
        """Returns the columns of the partitions of some slots."""
        assert self.keys is not None
        return self.keys.keys(slots)

    def arguments(self) -> list[Any]:
        """Returns the arguments of a call, with None for tables."""
        if self._arguments is None:
            self._arguments = [None] * len(self._spec.signature.arguments)
            for position, value in constants_of(self._spec):
                self._arguments[position] = value
        return self._arguments


class _Called(StateTable):
    def __init__(self, state: ProcessState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        self._state.prepare(int(slots.max(initial=0)) + 1)
        return slot_rows([pa.array(self._state.called[slots])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        self._state.prepare(int(slots.max(initial=0)) + 1)
        self._state.called[slots[content.column(0).to_numpy()]] = content.column(1).to_numpy()


def maker_of(entry: StateEntry, spec: ProcessSpec) -> Any:
    """Returns a function that makes a new object of a state entry: by its class without arguments, or with None in all fields."""
    type_ = entry.extracted.type
    assert isinstance(type_, (RowType, StructuredType))
    class_ = entry.extracted.conversion
    if class_ is not None and class_ is not Row and isinstance(type_, StructuredType):
        try:
            class_()
        except TypeError:
            read = reader_for(type_, entry.extracted)
            assert read is not None
            return lambda: read([None] * len(type_.fields))
        except Exception as error:
            raise TableRuntimeException(
                f"The state '{entry.name}' of {spec.function.name} cannot be made by {class_.__qualname__}(): {error}"
            ) from error
        return class_
    return lambda: Row.of_names(type_.field_names, [None] * len(type_.fields))


def constants_of(spec: ProcessSpec) -> list[tuple[int, Any]]:
    """Returns the scalar arguments with their positions.

    Raises:
        TableRuntimeException: one is NULL that is declared without None.
    """
    columns = spec.constants.evaluate(make_batch([], pa.schema([]), 1))
    found = []
    for (position, type_), column in zip(spec.scalars, columns, strict=True):
        argument = spec.signature.arguments[position]
        where = f"argument '{argument.name}' of {spec.function.name}"
        (value,) = read_values(column, type_, reader_for(type_, argument.extracted), where)
        if value is None and argument.extracted.is_annotated and not argument.extracted.accepts_none and not argument.is_optional:
            raise TableRuntimeException(f"The {where} is NULL, but it is declared without None.", hint="annotate it with | None")
        found.append((position, value))
    return found
