"""The base class of functions whose state is one Python object per group, which each row updates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates import Accumulator
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots

G = TypeVar("G")


class GroupObjects(FunctionState, Generic[G]):
    """Objects by slot. The object of an ended group is dropped.

    ``not_wanted`` stands for the results after rows whose results are not read.
    """

    not_wanted: Any = None

    def __init__(self, accumulator: Accumulator) -> None:
        self.accumulator = accumulator
        self.groups: dict[int, G] = {}

    @abstractmethod
    def create(self) -> G:
        """Returns the state over no rows."""

    @abstractmethod
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        """Returns the value of each row that is added to or removed from its group."""

    @abstractmethod
    def add(self, group: G, value: Any) -> None:
        """Adds a value to a group."""

    @abstractmethod
    def remove(self, group: G, value: Any) -> bool:
        """Removes a value from a group; returns whether the group had it."""

    @abstractmethod
    def result(self, group: G) -> Any:
        """Returns the result of a group; later changes of the group do not change it."""

    @abstractmethod
    def as_arrow(self, results: list[Any]) -> pa.Array:
        """Returns results as a column; None is NULL, and ``not_wanted`` may be anything."""

    @abstractmethod
    def entries(self, groups: Sequence[G]) -> tuple[Integers, list[pa.Array]]:
        """Returns how many rows the state of each group has in a snapshot, and the columns of these rows."""

    @abstractmethod
    def group_of(self, rows: Sequence[Any]) -> G:
        """Returns a group from the rows of a snapshot, as ``entry_values`` gives them."""

    @abstractmethod
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        """Returns a value for each row of a snapshot."""

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        places = [place for place, slot in enumerate(slots.tolist()) if slot in self.groups]
        sizes, columns = self.entries([self.groups[slot] for slot in slots[places].tolist()])
        arrays = [pa.array(np.repeat(np.array(places, np.int64), sizes)), *columns]
        return pa.RecordBatch.from_arrays(arrays, [f"c{number}" for number in range(len(arrays))])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        values = self.entry_values(content.columns[1:])
        groups = SlotGroups(slots[content.column(0).to_numpy()])
        for slot, start, end in zip(groups.slots.tolist(), groups.starts.tolist(), groups.ends.tolist(), strict=True):
            self.groups[slot] = self.group_of([values[row] for row in groups.order[start:end].tolist()])

    @override
    def reserve(self, size: int) -> None:
        pass

    @override
    def current(self, slots: Slots) -> pa.Array:
        groups = self.groups
        return self._columns([self.result(groups[slot] if slot in groups else self.create()) for slot in slots.tolist()])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        if self.accumulator.ignores_nulls and args and args[0].null_count:
            signs = signs * pc.is_valid(args[0]).to_numpy(zero_copy_only=False)
        values = self.inputs(args, segments.rows)
        added = signs.tolist()
        wanted = None if segments.wanted is None else segments.wanted.tolist()
        add, remove, result, groups = self.add, self.remove, self.result, self.groups
        results: list[Any] = []
        ignored = set()
        for slot, is_fresh, is_over, start, end in zip(
            segments.slots.tolist(),
            segments.is_fresh.tolist(),
            segments.is_over.tolist(),
            segments.starts.tolist(),
            segments.ends.tolist(),
            strict=True,
        ):
            group = None if is_fresh else groups.get(slot)
            if group is None:
                group = groups[slot] = self.create()
            try:
                for row in range(start, end):
                    if added[row] > 0:
                        add(group, values[row])
                    elif added[row] < 0 and not remove(group, values[row]):
                        ignored.add(row)
                    results.append(result(group) if wanted is None or wanted[row] else self.not_wanted)
            except TableRuntimeException:
                self.failed_row = row
                raise
            if is_over:
                del groups[slot]
        self.ignored = ignored
        return self._columns(results)

    def _columns(self, results: list[Any]) -> pa.Array:
        return self.finished(lambda start, end: self.as_arrow(results if end - start == len(results) else results[start:end]), len(results))


class GroupSums(GroupObjects[G]):
    """Objects whose state is integers: ``narrow`` are the attributes with less than 64 bits, ``wide`` those of any size."""

    narrow: ClassVar[Sequence[str]]
    wide: ClassVar[Sequence[str]]

    @override
    def entries(self, groups: Sequence[G]) -> tuple[Integers, list[pa.Array]]:
        columns = [pa.array([getattr(group, name) for group in groups], pa.int64()) for name in self.narrow]
        columns += [pa.array([_bytes(getattr(group, name)) for group in groups], pa.binary()) for name in self.wide]
        return np.ones(len(groups), np.int64), columns

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return list(zip(*(column.to_pylist() for column in columns), strict=True))

    @override
    def group_of(self, rows: Sequence[tuple[Any, ...]]) -> G:
        result = self.create()
        (values,) = rows
        for name, value in zip((*self.narrow, *self.wide), values, strict=True):
            setattr(result, name, int.from_bytes(value, "little", signed=True) if isinstance(value, bytes) else value)
        return result


def _bytes(number: int) -> bytes:
    return number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
