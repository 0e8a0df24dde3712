"""Rows by key with their event time, which are kept until the watermark has passed them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.time.watermarks import END_OF_TIME

_Truths = np.ndarray[Any, np.dtype[np.bool_]]


class TimedRows(StateTable):
    """Rows with the slot of their key, their time and the watermark in force when they came, in the order in which they came.

    An operator that does not need that watermark may keep another number in its place.
    Rows are numbered from 0; ``remove`` may renumber them.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._next_number = 0
        self._is_restored = False
        self._reset()

    def _reset(self) -> None:
        self._values = RowValues(self._schema)
        self._slots: Slots = np.zeros(1024, np.int64)
        self._times: Times = np.zeros(1024, np.int64)
        self._before: Times = np.zeros(1024, np.int64)
        self._numbers: Times = np.zeros(1024, np.int64)
        self._is_there: _Truths = np.zeros(1024, np.bool_)
        self._live = 0

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return self._schema

    def __len__(self) -> int:
        return self._live

    def numbered(self, count: int) -> Times:
        """Returns numbers for the next rows that come, which say in which order rows came also if they are added in another one."""
        self._next_number += count
        return np.arange(self._next_number - count, self._next_number)

    def append(self, rows: pa.RecordBatch, slots: Slots, times: Times, before: Times | int, numbers: Times | None = None) -> None:
        """Adds rows at the end; ``numbers`` are those of ``numbered``."""
        start = self._values.size
        self._values.append(rows)
        size = self._values.size
        self._slots, self._times, self._before = grown(self._slots, size), grown(self._times, size), grown(self._before, size)
        self._numbers, self._is_there = grown(self._numbers, size), grown(self._is_there, size, False)
        self._slots[start:size], self._times[start:size], self._before[start:size] = slots, times, before
        self._numbers[start:size] = self.numbered(size - start) if numbers is None else numbers
        self._is_there[start:size] = True
        self._live += size - start

    def rows(self) -> Rows:
        """Returns all rows, in the order in which they were added."""
        self._sort()
        return np.flatnonzero(self._is_there[: self._values.size])

    def until(self, time: int) -> Rows:
        """Returns the rows whose time is ``time`` or earlier, in the order in which they were added."""
        self._sort()
        size = self._values.size
        return np.flatnonzero(self._is_there[:size] & (self._times[:size] <= time))

    @property
    def first_time(self) -> int:
        """The least time of a row; ``END_OF_TIME`` without rows."""
        size = self._values.size
        return int(self._times[:size].min(initial=END_OF_TIME, where=self._is_there[:size]))

    def of_slots(self, slots: Slots) -> Rows:
        """Returns the rows of some keys, in the order in which they were added."""
        rows = self.rows()
        if not len(rows) or not len(slots):
            return rows[:0]
        wanted = np.zeros(int(max(self._slots[rows].max(), slots.max())) + 1, np.bool_)
        wanted[slots] = True
        return rows[wanted[self._slots[rows]]]

    def slots_of(self, rows: Rows) -> Slots:
        """Returns the slots of the keys of some rows."""
        return self._slots[rows]

    def times_of(self, rows: Rows) -> Times:
        """Returns the times of some rows."""
        return self._times[rows]

    def before_of(self, rows: Rows) -> Times:
        """Returns the watermark in force when each of some rows came."""
        return self._before[rows]

    def note(self, rows: Rows, value: int) -> None:
        """Keeps a number with some rows, in place of the watermark."""
        self._before[rows] = value

    def notes_of(self, rows: Rows) -> Times:
        """Returns the numbers that are kept with some rows."""
        return self._before[rows]

    def numbers_of(self, rows: Rows) -> Times:
        """Returns the numbers of some rows in the order in which they came."""
        return self._numbers[rows]

    def take(self, rows: Rows, columns: Container[int] | None = None) -> list[pa.Array]:
        """Returns the columns of some rows; NULL for -1, and in columns that are not in ``columns``, if given."""
        return self._values.take(rows, columns)

    def remove(self, rows: Rows) -> None:
        """Removes rows; the others may get new numbers, in the same order."""
        self._is_there[rows] = False
        self._live -= len(rows)
        if not self._live:
            self._reset()
        elif self._values.has_many_gone(self._live):
            self._keep(np.flatnonzero(self._is_there[: self._values.size]))

    def _keep(self, rows: Rows) -> None:
        """Numbers these rows from 0, and removes all others."""
        self._values.keep(rows)
        count = len(rows)
        for values in (self._slots, self._times, self._before, self._numbers):
            values[:count] = values[rows]
        self._is_there[:count], self._is_there[count:] = True, False

    def _sort(self) -> None:
        """Sorts rows that were restored, bucket by bucket, as they came."""
        if not self._is_restored:
            return
        self._is_restored = False
        rows = np.flatnonzero(self._is_there[: self._values.size])
        if len(rows):
            self._keep(rows[np.argsort(self._numbers[rows], kind="stable")])

    def has_rows(self, slots: Slots) -> _Truths:
        """Returns which keys have rows."""
        owners = self._slots[self.rows()]
        result = np.zeros(int(max(slots.max(initial=0), owners.max(initial=0))) + 1, np.bool_)
        result[owners] = True
        return result[slots]

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        rows = self.rows()
        owners = self._slots[rows]
        places = np.full(int(max(slots.max(initial=0), owners.max(initial=0))) + 1, -1, np.int64)
        places[slots] = np.arange(len(slots))
        at = places[owners]
        order = np.argsort(at, kind="stable")[int((at < 0).sum()) :]
        rows = rows[order]
        columns = [pa.array(values[rows]) for values in (self._times, self._before, self._numbers)]
        return content_of(pa.array(at[order]), [*columns, *self.take(rows)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at, times, before, numbers = (column.to_numpy() for column in content.columns[:4])
        self.append(make_batch(content.columns[4:], self._schema, content.num_rows), slots[at], times, before, numbers)
        self._next_number = max(self._next_number, int(numbers.max(initial=-1)) + 1)
        self._is_restored = True
