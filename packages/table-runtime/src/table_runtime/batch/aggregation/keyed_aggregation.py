"""Aggregation by key: partial states of batches, their merging, and the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.batch.aggregation.grouping import reduce_groups
from table_runtime.batch.parts import divided_columns
from table_runtime.columns.batches import concat_arrays
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.value_size import check_made_values
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import DEEPEST, PARTITIONS, uncounted
from table_runtime.run.operator import Operator

if TYPE_CHECKING:
    from table_runtime.batch.spill.states import SpilledStates

GLOBAL_FUNCTIONS = frozenset({"sum", "count", "count_all", "min", "max", "mean", "variance"})
"""Functions that Arrow has without keys; the others are computed with one constant key."""
WORKING = 4
"""To merge states takes this many times the memory that other operators need for rows of the same size."""
MERGE_ROWS = 1 << 20
"""Minimum unmerged states before a merge, with ample memory."""


class States(NamedTuple):
    """Encoded keys and the state columns of each accumulator; one row per group."""

    keys: list[pa.Array]
    columns: list[list[pa.Array]]
    groups: int
    size: int | None = None
    """The approximate size of the columns in bytes, if it is known."""

    @property
    def nbytes(self) -> int:
        """The size of the columns."""
        if self.size is not None:
            return self.size
        return sum(column.nbytes for columns in (self.keys, *self.columns) for column in columns)

    def by_part(self, keys: Sequence[int], codec: KeyCodec) -> list[States]:
        """Returns the states of each part; the ``keys``, encoded by the codec, divide them."""
        columns = [*self.keys, *chain.from_iterable(self.columns)]
        result = []
        width = self.nbytes / max(1, self.groups)
        for part in divided_columns(columns, [codec.dividing(i, self.keys[i]) for i in keys]):
            rest = iter(part[len(self.keys) :])
            groups = len(part[0])
            result.append(
                States(part[: len(self.keys)], [list(islice(rest, len(own))) for own in self.columns], groups, int(width * groups))
            )
        return result


class AggregationPlan:
    """The keys and accumulators of an aggregation; its methods may run on several threads at once."""

    def __init__(self, codec: KeyCodec, accumulators: Sequence[Accumulator]) -> None:
        self.codec = codec
        self.accumulators = tuple(accumulators)

    def selected(self, positions: Sequence[int]) -> AggregationPlan:
        """Returns the plan whose keys are those at ``positions``."""
        return AggregationPlan(KeyCodec([self.codec.types[i] for i in positions]), self.accumulators)

    def partial(self, keys: Sequence[pa.Array], args: Sequence[Sequence[pa.Array]], rows: int) -> States:
        """Returns the partial states of some rows; ``keys`` are not encoded, ``args`` are the arguments of each accumulator."""
        return self.partial_encoded(self.codec.encode(keys), args, rows)

    def partial_encoded(self, keys: Sequence[pa.Array], args: Sequence[Sequence[pa.Array]], rows: int) -> States:
        """Returns the partial states of some rows with encoded keys."""
        reductions = [a.partial_reductions(columns, rows) for a, columns in zip(self.accumulators, args, strict=True)]
        distinct_keys, reduced, groups = _reduce(keys, reductions, rows)
        columns = [a.partial_state(part, arg) for a, part, arg in zip(self.accumulators, reduced, args, strict=True)]
        return States(distinct_keys, columns, groups)

    def merge(self, parts: list[States], key_positions: Sequence[int] | None = None) -> States:
        """Returns the merged states, by all keys or only by those at ``key_positions``.

        Empties ``parts``, so that the states are not in memory twice.
        """
        if len(parts) == 1 and key_positions is None:
            return parts[0]
        rows = sum(part.groups for part in parts)
        positions = range(len(self.codec.types)) if key_positions is None else key_positions
        keys = [concat_arrays([part.keys[i] for part in parts], parts[0].keys[i].type) for i in positions]
        states = [
            [concat_arrays([part.columns[a][c] for part in parts], column.type) for c, column in enumerate(parts[0].columns[a])]
            for a in range(len(self.accumulators))
        ]
        parts.clear()
        reductions = [a.merge_reductions(state) for a, state in zip(self.accumulators, states, strict=True)]
        merged_keys, reduced, groups = _reduce(keys, reductions, rows)
        columns = [a.merged(part, state) for a, part, state in zip(self.accumulators, reduced, states, strict=True)]
        return States(merged_keys, columns, groups)

    def finish(self, states: States) -> list[pa.Array]:
        """Returns the results of the accumulators."""
        results = [a.finish(state) for a, state in zip(self.accumulators, states.columns, strict=True)]
        for accumulator, result in zip(self.accumulators, results, strict=True):
            check_made_values(accumulator.spec.name, result)
        return results


def _reduce(
    keys: Sequence[pa.Array], reductions: Sequence[Sequence[Reduction]], rows: int
) -> tuple[list[pa.Array], list[list[pa.Array]], int]:
    # Calls often share reductions, such as SUM and AVG of a column.
    place: dict[tuple[int, str, int], int] = {}
    flat: list[Reduction] = []
    places: list[list[int]] = []
    for part in reductions:
        places.append([])
        for reduction in part:
            key = id(reduction.column), reduction.function, id(reduction.options)
            if key not in place:
                place[key] = len(flat)
                flat.append(reduction)
            places[-1].append(place[key])
    grouped = list(keys)
    if not keys and not all(reduction.function in GLOBAL_FUNCTIONS for reduction in flat):
        grouped = [pa.repeat(pa.scalar(0, pa.int8()), rows)]
    distinct_keys, reduced, groups = reduce_groups(grouped, flat, rows)
    return distinct_keys if keys else [], [[reduced[number] for number in part] for part in places], groups


class KeyedAggregation:
    """Collects partial states in the order of the input and merges them when there are many.

    States that exceed the share of the run's memory are written to a file, partitioned by key. ``operator`` is the one that aggregates, and
    ``parts`` the number of aggregations that have its groups, this one and others at the same time.
    """

    def __init__(self, plan: AggregationPlan, context: ExecutionContext, operator: Operator, level: int = 0, parts: int = 1) -> None:
        self.plan = plan
        self._context = context
        self._operator = operator
        self._level = level
        self._account = context.account(operator.name, parts)
        self._free = uncounted() // parts
        self._merge_rows = context.scaled(MERGE_ROWS) // parts
        self._parts_at_once = parts
        self._merged: States | None = None
        self._parts: list[States] = []
        self._waiting = 0
        self._size = 0
        self._spilled: SpilledStates | None = None
        self._spills_unmerged = False  # because most groups are new

    def add(self, states: States) -> None:
        """Adds the states of the next rows."""
        if states.groups == 0:
            return
        self._parts.append(states)
        self._waiting += states.groups
        self._size += states.nbytes
        merged = self._merged.groups if self._merged is not None else 0
        is_long = self._waiting >= max(MERGE_ROWS // 8 // self._parts_at_once, 2 * merged) and self._waiting >= self._merge_rows
        if is_long and not self._spills_unmerged:
            self._merge()
        if self._size > self._free and not self._account.hold(WORKING * self._size):
            self._reduce()

    @property
    def is_spilled(self) -> bool:
        """Whether states are in a file."""
        return self._spilled is not None

    def result(self) -> States | None:
        """Returns the states of all rows, or None if there were no rows; only if they are not spilled."""
        if self._parts:
            self._merge()
        return self._merged

    def partition(self, number: int) -> KeyedAggregation:
        """Returns the aggregation of one partition of the keys; ``spill`` has been called."""
        assert self._spilled is not None
        result = KeyedAggregation(self.plan, self._context, self._operator, self._level + 1, self._parts_at_once)
        for states in self._spilled.read(number):
            self._context.check()
            result.add(States(*states))
        return result

    def spill(self) -> None:
        """Writes all states to the file, so that every partition can be read."""
        if self._spilled is None:
            from table_runtime.batch.spill.states import SpilledStates  # few aggregations spill

            self._spilled = SpilledStates(self._context, self._operator, self._level)
        for states in ([] if self._merged is None else [self._merged]) + self._parts:
            self._spilled.add(states.keys, states.columns, states.groups)
        self._forget()

    def close(self) -> None:
        """Releases the memory and the file."""
        self._forget()
        if self._spilled is not None:
            self._spilled.close()

    def _forget(self) -> None:
        self._merged, self._parts, self._waiting, self._size = None, [], 0, 0
        self._account.release()

    def _reduce(self) -> None:
        """Merges the states, and spills them if they still need much of the share."""
        keys = len(self.plan.codec.types)
        if not keys or self._level >= DEEPEST:  # one group, or keys that are not separated by their hashes
            self._account.require(self._size)
            return
        if self._spills_unmerged:
            self.spill()
            return
        before = self._size
        self._merge()
        self._spills_unmerged = 2 * self._size > before
        if self._spills_unmerged or not self._account.hold(WORKING * self._size):
            self.spill()

    def _merge(self) -> None:
        parts = self._parts if self._merged is None else [self._merged, *self._parts]
        self._merged, self._parts, self._waiting = None, [], 0
        if len(parts) > 1:
            self._context.require_memory(sum(part.nbytes for part in parts))  # for one array of each column
        self._merged = self.plan.merge(parts)
        self._size = self._merged.nbytes


def aligned_states(aggregations: Sequence[KeyedAggregation]) -> Iterator[list[States | None]]:
    """Yields the states of aggregations with the same key columns: all groups at once, or one partition of the keys after the other.

    The states of a group are in the same list for all aggregations; None: an aggregation has no groups there.
    """
    if not any(aggregation.is_spilled for aggregation in aggregations):
        yield [aggregation.result() for aggregation in aggregations]
        return
    for aggregation in aggregations:
        aggregation.spill()
    for number in range(PARTITIONS):
        parts: list[KeyedAggregation] = []
        try:
            parts.extend(aggregation.partition(number) for aggregation in aggregations)
            yield from aligned_states(parts)
        finally:
            for part in parts:
                part.close()
