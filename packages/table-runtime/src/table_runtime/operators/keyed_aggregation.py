"""Aggregation by key: partial states of batches, their merging, and the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.batches import concat_arrays
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.grouping import reduce_groups
from table_runtime.operators.keys import KeyCodec
from table_runtime.value_size import check_made_values

__all__ = ["AggregationPlan", "KeyedAggregation", "States"]

GLOBAL_FUNCTIONS = frozenset({"sum", "count", "count_all", "min", "max", "mean", "variance"})
"""Functions that Arrow has without keys; the others are computed with one constant key."""
MERGE_ROWS = 1 << 20
"""Minimum unmerged states before a merge, with ample memory."""


class States(NamedTuple):
    """Encoded keys and the state columns of each accumulator; one row per group."""

    keys: list[pa.Array]
    columns: list[list[pa.Array]]
    groups: int

    @property
    def nbytes(self) -> int:
        """The size of the columns."""
        return sum(column.nbytes for columns in (self.keys, *self.columns) for column in columns)


class AggregationPlan:
    """The keys and accumulators of an aggregation; its methods may run on several threads at once."""

    def __init__(self, codec: KeyCodec, accumulators: Sequence[Accumulator]) -> None:
        self.codec = codec
        self.accumulators = tuple(accumulators)

    def partial(self, keys: Sequence[pa.Array], args: Sequence[Sequence[pa.Array]], rows: int) -> States:
        """Returns the partial states of some rows; ``keys`` are not encoded, ``args`` are the arguments of each accumulator."""
        return self.partial_encoded(self.codec.encode(keys), args, rows)

    def partial_encoded(self, keys: Sequence[pa.Array], args: Sequence[Sequence[pa.Array]], rows: int) -> States:
        """Returns the partial states of some rows with encoded keys."""
        reductions = [a.reductions(columns, rows) for a, columns in zip(self.accumulators, args, strict=True)]
        distinct_keys, reduced, groups = _reduce(keys, reductions, rows)
        columns = [a.state(part, arg) for a, part, arg in zip(self.accumulators, reduced, args, strict=True)]
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
    flat = [reduction for part in reductions for reduction in part]
    grouped = list(keys)
    if not keys and not all(reduction.function in GLOBAL_FUNCTIONS for reduction in flat):
        grouped = [pa.repeat(pa.scalar(0, pa.int8()), rows)]
    distinct_keys, reduced, groups = reduce_groups(grouped, flat, rows)
    result: list[list[pa.Array]] = []
    for part in reductions:
        result.append(reduced[: len(part)])
        reduced = reduced[len(part) :]
    return distinct_keys if keys else [], result, groups


class KeyedAggregation:
    """Collects partial states in the order of the input and merges them when there are many."""

    def __init__(self, plan: AggregationPlan, context: ExecutionContext) -> None:
        self._plan = plan
        self._context = context
        self._merged: States | None = None
        self._parts: list[States] = []
        self._waiting = 0

    def add(self, states: States) -> None:
        """Adds the states of the next rows."""
        if states.groups == 0:
            return
        self._parts.append(states)
        self._waiting += states.groups
        merged = self._merged.groups if self._merged is not None else 0
        if self._waiting >= max(MERGE_ROWS // 8, 2 * merged) and self._waiting >= self._context.scaled(MERGE_ROWS):
            self._merge()

    def result(self) -> States | None:
        """Returns the states of all rows, or None if there were no rows."""
        if self._parts:
            self._merge()
        return self._merged

    def _merge(self) -> None:
        parts = self._parts if self._merged is None else [self._merged, *self._parts]
        self._merged, self._parts, self._waiting = None, [], 0
        if len(parts) > 1:
            self._context.require_memory(sum(part.nbytes for part in parts))  # for one array of each column
        self._merged = self._plan.merge(parts)
