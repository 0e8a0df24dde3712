"""User aggregates: one accumulator per group, which ``accumulate`` and ``retract`` change row by row."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates.accumulator_columns import AccumulatorColumns
from table_runtime.aggregates.user import UserAggregate
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.streaming.aggregates.group_objects import GroupObjects
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.udf.errors import RAISED, call_failed
from table_runtime.udf.rowwise import results_column

_NOT_WANTED = object()
_NOT_MADE = object()

_UNCHANGING = frozenset({type(None), bool, int, float, str, bytes, Decimal, date, time, timedelta})
"""Immutable result types: a later change of the accumulator cannot change the result."""

_FEW_ROWS = 1024
"""The number of rows that are applied at once if results may be large."""


class Kept:
    """An accumulator, and its cached result, which a change of the accumulator invalidates."""

    __slots__ = ("accumulator", "result")

    def __init__(self, accumulator: Any) -> None:
        self.accumulator = accumulator
        self.result: Any = _NOT_MADE

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, (self.accumulator,)


class UserAccumulatorState(GroupObjects[Kept]):
    """Calls the function for each row in input order, under the function's lock."""

    keeps = "the accumulator"
    cost = "that of the user's methods"

    not_wanted = _NOT_WANTED

    def __init__(self, accumulator: UserAggregate) -> None:
        super().__init__(accumulator)
        self._user = accumulator
        self._invocation = accumulator.invocation
        self._written = AccumulatorColumns(self._invocation.name, self._invocation.signature.accumulator)
        self._is_small = not pa.types.is_nested(accumulator.spec.arrow_type)

    @property
    @override
    def refusal(self) -> str | None:
        if self._written.refusal is None:
            return None
        return f"the accumulator of the function {self._invocation.name} is kept, and {self._written.refusal}"

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        return BATCH_ROWS if self._is_small else _FEW_ROWS

    @override
    def current(self, slots: Slots) -> pa.Array:
        with self._invocation.lock, self._invocation.in_use():
            return super().current(slots)

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        with self._invocation.lock, self._invocation.in_use():
            return super().advance(args, signs, segments)

    @override
    def create(self) -> Kept:
        try:
            return Kept(self._invocation.function().create_accumulator())
        except TableRuntimeException:
            raise
        except RAISED as error:
            raise self._failed(".create_accumulator", error, None) from error

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[tuple[Any, ...] | None]:
        if not self._invocation.argument_types:
            return [()] * rows
        values = list(zip(*self._user.arguments(args), strict=True))
        skipping = self._invocation.skipping  # the function is not called for rows with NULL in one of these arguments
        if not any(args[i].null_count for i in skipping):
            return values
        return [None if any(row[i] is None for i in skipping) else row for row in values]

    @override
    def add(self, group: Kept, value: tuple[Any, ...] | None) -> None:
        if value is None:
            return
        group.result = _NOT_MADE
        try:
            self._invocation.function().accumulate(group.accumulator, *value)
        except TableRuntimeException:
            raise
        except RAISED as error:
            raise self._failed("", error, value) from error

    @override
    def remove(self, group: Kept, value: tuple[Any, ...] | None) -> bool:
        if value is None:
            return True
        group.result = _NOT_MADE
        try:
            self._invocation.function().retract(group.accumulator, *value)
        except TableRuntimeException:
            raise
        except RAISED as error:
            raise self._failed(".retract", error, value) from error
        return True

    @override
    def entries(self, groups: Sequence[Kept]) -> tuple[Integers, list[pa.Array]]:
        return np.ones(len(groups), np.int64), [self._written.write([group.accumulator for group in groups])]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return self._written.read(columns[0])

    @override
    def group_of(self, rows: Sequence[Any]) -> Kept:
        return Kept(rows[0])

    @override
    def result(self, group: Kept) -> Any:
        if group.result is _NOT_MADE:
            result = self._user.result(group.accumulator)
            group.result = result if type(result) in _UNCHANGING else copy.deepcopy(result)
        return group.result

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        made = [result for result in results if result is not _NOT_WANTED]
        column = results_column(self._invocation, made, [])
        if len(made) == len(results):
            return column
        is_wanted = np.array([result is not _NOT_WANTED for result in results], np.bool_)
        return column.take(pa.array(np.cumsum(is_wanted) - 1, mask=~is_wanted))

    def _failed(self, method: str, error: BaseException, arguments: Sequence[Any] | None) -> TableRuntimeException:
        name = self._invocation.name + method
        return call_failed(name, error, None, arguments, masked=self._invocation.masked)
