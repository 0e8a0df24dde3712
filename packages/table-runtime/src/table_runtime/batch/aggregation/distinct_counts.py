"""COUNT(DISTINCT …) by a table of all pairs of a key and a value: a pair is a place in it, so no pair is hashed.

Texts and numbers get codes by dictionaries: each run of rows is encoded by Arrow, and only the values of its dictionary are looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array
from table_common.arrow import compute as pc
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, KeyedAggregation, States
from table_runtime.columns.batches import concat_arrays
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator

FEWEST_ROWS = 1 << 16
"""Rows of a first run that are worth a table."""

MOST_CELLS = 1 << 27
"""Places of a table, one byte each. With more pairs, the distinct rows are aggregated by key."""
MOST_VALUES = 1 << 21
"""Distinct values of one column, which are looked up again for each run."""


def can_count(type_: pa.DataType) -> bool:
    """Returns whether values of a type have codes."""
    types = pa.types
    return bool(types.is_integer(type_) or types.is_string(type_) or types.is_date32(type_) or types.is_timestamp(type_))


class DistinctCounts(KeyedAggregation):
    """The distinct pairs of a key and a value, as an aggregation by both; their counts by key, as long as the table of all pairs is small.

    The keys of added states are dictionary arrays, and rows may be equal, or they are distinct as those of any aggregation.
    """

    def __init__(self, plan: AggregationPlan, context: ExecutionContext, operator: Operator) -> None:
        super().__init__(plan, context, operator)
        self.takes_dictionaries = True
        """Whether states with equal rows are still welcome."""
        self._codes = [_Codes(type_) for type_ in plan.codec.types]
        self._table: Any = None

    @override
    def add(self, states: States) -> None:
        if self.takes_dictionaries:
            self.takes_dictionaries = self._mark(states)
            if self.takes_dictionaries:
                return
            for pairs in self._pairs():
                super().add(pairs)
            self._table = None
        if any(pa.types.is_dictionary(key.type) for key in states.keys):  # made when they were still welcome
            states = self.plan.partial_encoded([_decoded(key) for key in states.keys], [], states.groups)
        super().add(states)

    def counts(self) -> States | None:
        """Returns the keys and how many values that are not NULL each has; None if the pairs are not counted."""
        if not self.takes_dictionaries or self._table is None:
            return None
        keys = self._table.any(axis=1).nonzero()[0]
        counts = self._table[keys, 1:].sum(axis=1, dtype="int64")
        return States([self._codes[0].values_of(keys)], [[arrow_array(counts, pa.int64())]], len(keys))

    @override
    def close(self) -> None:
        self._table = None
        super().close()

    def _mark(self, states: States) -> bool:
        """Marks the pairs of some rows; returns whether the table is small enough."""
        if self._table is None and states.groups < FEWEST_ROWS:
            return False
        keys, values = (codes.of(column) for codes, column in zip(self._codes, states.keys, strict=True))
        if keys is None or values is None or not self._fit():
            return False
        cells = keys * self._table.shape[1]
        cells += values
        self._table.reshape(-1)[cells] = True
        return True

    def _fit(self) -> bool:
        """Makes the table large enough for all codes; returns whether it may be that large."""
        import numpy as np

        sizes = [codes.count for codes in self._codes]
        old = self._table if self._table is not None else np.zeros((0, 0), np.bool_)
        if all(size <= length for size, length in zip(sizes, old.shape, strict=True)):
            return True
        rows, columns = (length if size <= length else 2 * size for size, length in zip(sizes, old.shape, strict=True))
        if rows * columns > MOST_CELLS:
            rows, columns = (max(pair) for pair in zip(sizes, old.shape, strict=True))
        if rows * columns > MOST_CELLS or not self._account.hold(rows * columns + old.size):
            return False
        self._table = np.zeros((rows, columns), np.bool_)
        self._table[: old.shape[0], : old.shape[1]] = old
        return True

    def _pairs(self) -> Iterator[States]:
        """Yields the distinct pairs, key by key."""
        if self._table is None:
            return
        for key in self._table.any(axis=1).nonzero()[0]:
            values = self._table[key].nonzero()[0]
            one = self._codes[0].values_of(values * 0 + key)
            yield States([one, self._codes[1].values_of(values)], [], len(values))


class _Codes:
    """The codes of the values of one column: 0 for NULL, then by first occurrence."""

    def __init__(self, type_: pa.DataType) -> None:
        self._values = arrow_array([], type_)

    @property
    def count(self) -> int:
        """The number of codes, that of NULL included."""
        return len(self._values) + 1

    def of(self, column: pa.Array) -> Any:
        """Returns the code of each row as an array of numpy; None if there are too many values."""
        import numpy as np

        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        found = pc.index_in(encoded.dictionary, value_set=self._values)
        if found.null_count:
            missing = pc.unique(pc.drop_null(pc.filter(encoded.dictionary, pc.is_null(found))))
            if self.count + len(missing) > MOST_VALUES:
                return None
            self._values = concat_arrays([self._values, missing], self._values.type)
            found = pc.index_in(encoded.dictionary, value_set=self._values)
        codes = np.zeros(len(found) + 1, np.int64)  # the last one is for NULL
        codes[:-1] = pc.fill_null(found, -1).to_numpy()
        codes[:-1] += 1
        indices = pc.cast(encoded.indices, pa.int64())
        return codes.take((pc.fill_null(indices, len(found)) if indices.null_count else indices).to_numpy())

    def values_of(self, codes: Any) -> pa.Array:
        """Returns the values of some codes."""
        return pc.take(self._values, pa.array(codes - 1, pa.int64(), mask=codes == 0))


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
