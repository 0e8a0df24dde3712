"""The aggregates of groups: the number of rows of each group, and the state of each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates.group_failures import failure_in_group
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import cast_array, concat_arrays
from table_runtime.streaming.aggregates.distinct import DistinctValues, ValueNumbers
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.aggregates.mergeable import MergeableState, Unions
from table_runtime.streaming.aggregates.registry import create_function_state
from table_runtime.streaming.changes.net_counts import net_counts
from table_runtime.streaming.changes.running_counts import RunningCounts, running_counts
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import SlotCounts, StateTable

DISTINCT = "distinct"
"""The prefix of the names of state tables of DISTINCT values."""

_Truths = np.ndarray[Any, np.dtype[np.bool_]]


class AggregateCalls(NamedTuple):
    """The calls of an aggregate over rows of ``input_schema``; ``retracted`` says for each whether retractions matter to it.

    ``grouping`` are the columns of the input that identify a group, for error messages, and ``names`` their names, if they are not those of the input;
    ``kind`` is what messages call the rows of one key.
    """

    input_schema: pa.Schema
    grouping: tuple[int, ...]
    aggregates: tuple[AggregateColumn, ...]
    retracted: tuple[bool, ...]
    names: tuple[str, ...] | None = None
    kind: str = "group"

    @property
    def can_merge(self) -> bool:
        """Whether the state of several groups can be merged."""
        return not any(self.retracted) and all(
            not column.distinct and isinstance(self.state_of(column, has_retractions=False), MergeableState) for column in self.aggregates
        )

    def state_of(self, column: AggregateColumn, *, has_retractions: bool) -> FunctionState:
        """Returns the empty state of a call."""
        types = [self.input_schema.field(position).type for position in column.args]
        return create_function_state(column.accumulator, types, has_retractions=has_retractions)


class Applied(NamedTuple):
    """Rows by group, the counts of rows before and after each of them, and results: of the groups before, then after each sorted row."""

    groups: SlotGroups
    counts: RunningCounts
    results: list[pa.Array]


class NetApplied(NamedTuple):
    """The first row of each group, the counts of its rows before and after a batch, and results: of all groups before, then after it."""

    first_rows: Integers
    before: Integers
    after: Integers
    results: list[pa.Array]


class AggregateGroups:
    """The aggregates by the slots of ``keys``."""

    def __init__(self, calls: AggregateCalls, keys: KeySlots) -> None:
        self._calls = calls
        self._keys = keys
        self.values_of: Callable[[Slots], Sequence[pa.Array]] = keys.keys
        """Returns the values of the grouping columns of some slots, for error messages."""
        self.counts: Integers = np.zeros(1024, np.int64)
        """The number of rows of each group."""
        self.functions: list[FunctionState] = []
        self.ignored_retractions = 0
        """Retractions of rows or values that are not there."""
        self._values: dict[tuple[int, ...], ValueNumbers] = {}
        self._distinct: dict[tuple[tuple[int, ...], int | None], DistinctValues] = {}
        for column, has_retractions in zip(calls.aggregates, calls.retracted, strict=True):
            self.functions.append(calls.state_of(column, has_retractions=has_retractions))
            if column.distinct:
                types = [calls.input_schema.field(position).type for position in column.args]
                args = tuple(column.args)
                if args not in self._values:
                    self._values[args] = ValueNumbers(types)
                if (args, column.filter) not in self._distinct:
                    self._distinct[args, column.filter] = DistinctValues(self._values[args])

    def tables(self) -> Mapping[str, StateTable]:
        """Returns the tables of the state, with room for all groups."""
        size = max(self._keys.size, 1)
        self.counts = grown(self.counts, size)
        for function in self.functions:
            function.reserve(size)
        return {
            "counts": SlotCounts(self),
            **{f"function{number}": function for number, function in enumerate(self.functions)},
            **{f"{DISTINCT}{number}": values for number, values in enumerate(self._distinct.values())},
        }

    def apply(self, rows: pa.RecordBatch, slots: Slots, signs: Integers, wanted: _Truths | None = None) -> Applied:
        """Adds (sign 1) and retracts (-1) rows of the groups with these slots; only the results after the rows ``wanted`` are valid, None: all.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        groups = SlotGroups(slots)
        return self._apply(rows, groups, signs, None if wanted is None else wanted[groups.order])

    def _apply(self, rows: pa.RecordBatch, groups: SlotGroups, signs: Integers, wanted: _Truths | None) -> Applied:
        """Does the same for rows by group; ``wanted`` are sorted rows."""
        size = max(self._keys.size, 1)
        self.counts = grown(self.counts, size)
        counts = running_counts(signs[groups.order], np.repeat(self.counts[groups.slots], groups.sizes), groups)
        self.counts[groups.slots] = counts.after[groups.ends - 1]
        self.ignored_retractions += counts.ignored
        segments = Segments(groups, counts.before, counts.after, wanted)
        return Applied(groups, counts, self._advance(rows, segments, groups, size))

    def insert(self, rows: pa.RecordBatch, slots: Slots) -> None:
        """Adds rows of the groups with these slots, without results. All functions can be merged, and slots without rows were not used before.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        given = [self._given(rows, column, slots) for column in self._calls.aggregates]
        functions = [function for function in self.functions if isinstance(function, MergeableState)]
        if not all(function.can_insert(args) for function, (args, *_) in zip(functions, given, strict=True)):
            self.apply(rows, slots, np.ones(len(slots), np.int64), np.zeros(len(slots), np.bool_))
            return
        size = max(self._keys.size, 1)
        self.counts = grown(self.counts, size)
        np.add.at(self.counts, slots, 1)
        for function, (args, of_rows, _) in zip(functions, given, strict=True):
            function.reserve(size)
            function.insert(args, of_rows)

    def net(self, rows: pa.RecordBatch, slots: Slots, signs: Integers) -> NetApplied:
        """Adds (sign 1) and retracts (-1) rows of the groups with these slots; returns their results before and after all rows.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        if (added := self._added(rows, slots, signs)) is not None:
            return added
        groups = SlotGroups(slots)
        last, wanted = groups.ends - 1, np.zeros(len(slots), np.bool_)
        wanted[last] = True
        _, counts, results = self._apply(rows, groups, signs, wanted)
        places = pa.array(np.concatenate([np.arange(len(last)), last + len(last)]))
        return NetApplied(
            groups.order[groups.starts], counts.before[groups.starts], counts.after[last], [result.take(places) for result in results]
        )

    def _added(self, rows: pa.RecordBatch, slots: Slots, signs: Integers) -> NetApplied | None:
        """Returns what ``net`` does if all functions are sums of a kind, to which rows are added in any groups at once."""
        functions = [function for function in self.functions if isinstance(function, MergeableState)]
        if self._distinct or len(functions) < len(self.functions):
            return None
        has_retractions = bool(signs.min() < 0)
        if has_retractions and not all(function.adds_retractions for function in functions):
            return None
        size = max(self._keys.size, 1)
        self.counts = grown(self.counts, size)
        counts = net_counts(slots, signs, self.counts[:size])
        if counts is None:
            return None
        if counts.kept is not None:
            rows, slots, signs = rows.filter(pa.array(counts.kept)), slots[counts.kept], signs[counts.kept]
        given = [self._given(rows, column, slots, signs if has_retractions else None) for column in self._calls.aggregates]
        if not all(function.can_insert(args) for function, (args, *_) in zip(functions, given, strict=True)):
            return None
        fresh = counts.slots[counts.is_fresh]
        results = []
        for column, function, (args, of_rows, own_signs) in zip(self._calls.aggregates, functions, given, strict=True):
            function.reserve(size)
            before = function.current(counts.slots)
            function.clear(fresh)
            function.insert(args, of_rows, own_signs)
            after = self._current(column, function, counts.slots, lambda: counts.slots)
            results.append(concat_arrays([before, after], before.type))
        self.counts[counts.slots] = counts.after
        return NetApplied(counts.first_rows, counts.before, counts.after, results)

    def _given(
        self, rows: pa.RecordBatch, column: AggregateColumn, slots: Slots, signs: Integers | None = None
    ) -> tuple[list[pa.Array], Slots, Integers | None]:
        """Returns the arguments of a call in the rows that its filter keeps, and the slots and signs of these rows."""
        args = [rows.column(position) for position in column.args]
        if column.filter is None:
            return args, slots, signs
        kept = pc.fill_null(rows.column(column.filter), False)
        is_kept = kept.to_numpy(zero_copy_only=False)
        return [arg.filter(kept) for arg in args], slots[is_kept], None if signs is None else signs[is_kept]

    def merge(self, slots: Slots, into: Slots) -> None:
        """Adds groups to others, and removes them. All functions can be merged.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        np.add.at(self.counts, into, self.counts[slots])
        self.counts[slots] = 0
        for column, function in zip(self._calls.aggregates, self.functions, strict=True):
            self._merge(column, function, function, slots, into)

    def merged(self, slots: Slots, into: Slots, count: int) -> list[pa.Array]:
        """Returns the results of ``count`` unions of groups; ``into`` is the number of each group's union.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        results = []
        for column, function in zip(self._calls.aggregates, self.functions, strict=True):
            union = self._calls.state_of(column, has_retractions=False)
            union.reserve(count)
            self._merge(column, union, function, slots, into)
            results.append(self._current(column, union, np.arange(count), lambda: _named(slots, into, count)))
        return results

    def united(self, unions: Unions, numbers: Slots) -> list[pa.Array]:
        """Returns the results of the unions with some numbers.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        results = []
        for column, function in zip(self._calls.aggregates, self.functions, strict=True):
            union = self._calls.state_of(column, has_retractions=False)
            assert isinstance(union, MergeableState)
            assert isinstance(function, MergeableState)
            union.reserve(unions.size)
            if not union.unite(function, unions):
                self._merge(column, union, function, *unions.pairs())
            results.append(self._current(column, union, numbers, lambda: _named(*unions.pairs(), unions.size)[numbers]))
        return results

    def current(self, slots: Slots) -> list[pa.Array]:
        """Returns the results of some groups.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the group.
        """
        return [
            self._current(column, function, slots, lambda: slots)
            for column, function in zip(self._calls.aggregates, self.functions, strict=True)
        ]

    def _current(self, column: AggregateColumn, function: FunctionState, slots: Slots, named: Callable[[], Slots]) -> pa.Array:
        try:
            return function.current(slots)
        except TableRuntimeException as error:
            raise self._failure(error, column, function, named()) from error

    def _merge(self, column: AggregateColumn, target: FunctionState, function: FunctionState, slots: Slots, into: Slots) -> None:
        assert isinstance(target, MergeableState)
        assert isinstance(function, MergeableState)
        try:
            target.merge(function, slots, into)
        except TableRuntimeException as error:
            raise self._failure(error, column, target, slots) from error

    def _advance(self, rows: pa.RecordBatch, segments: Segments, groups: SlotGroups, size: int) -> list[pa.Array]:
        order = pa.array(groups.order)
        used = sorted({i for column in self._calls.aggregates for i in (*column.args, column.filter) if i is not None})
        columns = {position: rows.column(position).take(order) for position in used}
        filters = {column.filter for column in self._calls.aggregates}
        signs = {filter_: _filtered(segments.signs, columns, filter_) for filter_ in filters}
        distinct = self._distinct_signs(columns, signs, segments)
        ignored = {row for values in self._distinct.values() for row in values.ignored}
        results = []
        for column, function in zip(self._calls.aggregates, self.functions, strict=True):
            function.reserve(size)
            args = [columns[position] for position in column.args]
            own = distinct[tuple(column.args), column.filter] if column.distinct else signs[column.filter]
            before = function.current(groups.slots)
            try:
                after = function.advance(args, own, segments)
            except TableRuntimeException as error:
                raise self._failure(error, column, function, segments.slots[segments.of_row]) from error
            ignored.update(function.ignored)
            results.append(concat_arrays([before, cast_array(after, before.type)], before.type))
        self.ignored_retractions += len(ignored)
        return results

    def _distinct_signs(
        self, columns: Mapping[int, pa.Array], signs: Mapping[int | None, Integers], segments: Segments
    ) -> dict[tuple[tuple[int, ...], int | None], Integers]:
        """Returns the signs of the rows for each DISTINCT argument and filter. A value is looked up once for all filters."""
        result = {}
        for args, numbers in self._values.items():
            keys = [key for key in self._distinct if key[0] == args]
            rows = np.flatnonzero(np.any([signs[key[1]] != 0 for key in keys], axis=0))
            found = numbers.find([columns[position] for position in args], rows, segments)
            for key in keys:
                result[key] = self._distinct[key].signs(found, rows, signs[key[1]], segments)
        return result

    def _failure(
        self, error: TableRuntimeException, column: AggregateColumn, function: FunctionState, slots: Slots
    ) -> TableRuntimeException:
        """Returns the error with the call and the group; ``slots`` are those of the rows for which the function may fail."""
        if function.failed_row is None:
            return error
        schema = self._calls.input_schema
        names = self._calls.names or column.shown_columns(schema, self._calls.grouping)
        keys = self.values_of(slots[[function.failed_row]])
        return failure_in_group(error, column.accumulator, column.shown_arguments(schema), names, keys[: len(names)], self._calls.kind)


def _named(slots: Slots, into: Slots, count: int) -> Slots:
    """Returns one of the slots of each of ``count`` unions."""
    result = np.zeros(count, np.int64)
    result[into] = slots
    return result


def _filtered(signs: Integers, columns: Mapping[int, pa.Array], condition: int | None) -> Integers:
    """Returns the signs of rows, and 0 for those for which a column is not TRUE; None: no column."""
    if condition is None:
        return signs
    filtered: Integers = signs * pc.fill_null(columns[condition], False).to_numpy(zero_copy_only=False)
    return filtered
