"""Aggregates that keep all values: ARRAY_AGG, COLLECT, LISTAGG, PERCENTILE, and first or last values with ORDER BY."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction
from table_runtime.aggregates.lists import concat_lists, gather, positions
from table_runtime.columns.plain_types import from_plain, to_plain
from table_runtime.columns.value_size import check_value_size
from table_runtime.kernels.support.equality import equality_key

_MANY = 16
"""The average number of values per group from which on groups are sorted with numpy."""


class SizedItems(Protocol):
    """A sequence of numbers."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> float: ...


class Collecting(Accumulator):
    """Collects one list per argument and order key; the lists for ``finish_lists`` are in the order of ORDER BY, else of the input."""

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(positions(rows, pc.is_valid(args[0]) if self.ignores_nulls else None), "list")]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return [gather(reduced[0], arg) for arg in args]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(positions(len(state[0])), "list")]

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        return [concat_lists(reduced[0], lists) for lists in state]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        count = len(self.spec.orders)
        return self.finish_lists(self._in_order(state[:-count], state[-count:]) if count else state)

    def _in_order(self, lists: Sequence[pa.Array], keys: Sequence[pa.Array]) -> list[pa.Array]:
        from table_runtime.columns.ordering import SortKey, sort_indices

        parents = pc.list_parent_indices(lists[0])
        sort_keys = [SortKey(0, True, True), *(SortKey(i + 1, *order) for i, order in enumerate(self.spec.orders))]
        indices = sort_indices([parents, *(pc.list_flatten(key) for key in keys)], sort_keys)
        offsets = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(pc.list_value_length(lists[0]))])
        return [pa.ListArray.from_arrays(offsets, pc.take(pc.list_flatten(values), indices)) for values in lists]

    @abstractmethod
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        """Returns the results; ``lists`` has one list column per argument."""


class ArrayAgg(Collecting):
    """All values, NULLs included, as an array; NULL over no rows."""

    ignores_nulls = False

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        return pc.cast(lists[0], self.spec.arrow_type)


class ListAgg(Collecting):
    """The texts joined by a separator (default: a comma); NULL over no values."""

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        separator = self.spec.constants[0] if self.spec.constants else ","
        texts = pc.cast(lists[0], pa.list_(pa.string()))
        if separator is None:
            return pa.nulls(len(texts), pa.string())
        if texts.values.nbytes > MAX_VALUE_SIZE:  # otherwise no result can exceed the limit, apart from separators
            for values in texts:
                check_value_size("LISTAGG", values.values.nbytes if values.is_valid else 0)
        joined = pc.binary_join(texts, pa.scalar(separator, pa.string()))
        return pc.if_else(pc.equal(pc.list_value_length(texts), pa.scalar(0, pa.int32())), pa.scalar(None, pa.string()), joined)


class Collect(Collecting):
    """The values as a multiset: distinct values with their counts."""

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        counted = []
        for values in to_plain(lists[0]).to_pylist():
            if values and isinstance(values[0], float | dict | list):
                counted.append(_count_by_key(values))
            else:
                counted.append(list(Counter(values).items()))
        return from_plain(counted, self.spec.arrow_type)

    @override
    def over_nothing(self) -> Any:
        return []


def _count_by_key(values: Sequence[Any]) -> list[tuple[Any, int]]:
    """Returns the distinct values with their counts; NaN equals NaN, and the order of map entries is ignored."""
    counts: dict[Hashable, list[Any]] = {}
    for value in values:
        counts.setdefault(equality_key(value), [value, 0])[1] += 1
    return [(value, count) for value, count in counts.values()]


class OrderedFirst(Collecting):
    """The first value that is not NULL, in the order of the call's ORDER BY."""

    position = 0

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        lengths = pc.list_value_length(lists[0])
        ends = pc.cumulative_sum(pc.cast(lengths, pa.int64()))
        indices = pc.subtract(ends, pa.scalar(1)) if self.position else pc.subtract(ends, lengths)
        indices = pc.if_else(pc.equal(lengths, pa.scalar(0, pa.int32())), pa.scalar(None, pa.int64()), indices)
        return pc.take(pc.list_flatten(lists[0]), indices)


class OrderedLast(OrderedFirst):
    """The last value that is not NULL, in the order of the call's ORDER BY."""

    position = -1


class Percentile(Collecting):
    """The percentile of the values, interpolated linearly; for an array of fractions an array.

    The third argument is the weight of a row. NULL over no values.
    """

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._many = pa.types.is_list(spec.arrow_type)
        columns = len(spec.argument_types) - 1
        constants = list(spec.constants)
        self.has_share_column = columns > 0
        self.has_weight_column = columns > 1
        self.share: Any = None if self.has_share_column or not constants else constants.pop(0)
        """The share or shares, if they are constant."""
        self.weight: int | None = constants.pop(0) if constants else 1
        """How often each value counts, if that is constant."""

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        numbers_of_groups = pc.cast(lists[0], pa.list_(pa.float64()))
        further_args = [column.to_pylist() for column in lists[1:]]
        results: list[Any] = []
        numbers_of_all = pc.list_flatten(numbers_of_groups)
        if self.weight == 1 and not self.has_weight_column and len(numbers_of_all) >= _MANY * len(lists[0]):
            import numpy as np  # queries over few values do without

            ends = np.asarray(pc.cumulative_sum(pc.list_value_length(numbers_of_groups)))
            for row, part in enumerate(np.split(numbers_of_all.to_numpy(), ends[:-1])):
                share = further_args[0][row][0] if self.has_share_column and len(part) else self.share
                results.append(self.at_shares(np.sort(part), share))
            return pa.array(results, type=self.spec.arrow_type)
        values = numbers_of_groups.to_pylist()
        for row, numbers in enumerate(values):
            share = further_args[0][row][0] if self.has_share_column and numbers else self.share
            weights = further_args[1][row] if self.has_weight_column else [self.weight] * len(numbers)
            ordered = [number for number, weight in zip(numbers, weights, strict=True) for _ in range(weight or 0)]
            ordered.sort(key=_order)
            results.append(self.at_shares(ordered, share))
        return pa.array(results, type=self.spec.arrow_type)

    def at_shares(self, ordered: SizedItems, share: Any) -> Any:
        """Returns the result for values in ascending order, NaN last.

        Raises:
            TableRuntimeException: a share is not between 0 and 1.
        """
        if not len(ordered) or share is None:
            return None
        return [_interpolate(ordered, fraction) for fraction in share] if self._many else _interpolate(ordered, share)


def _order(number: float) -> tuple[bool, float]:
    return number != number, number


def _interpolate(ordered: SizedItems, argument: Any) -> float | None:
    if argument is None:
        return None
    fraction = float(argument)
    if not 0 <= fraction <= 1:
        raise TableRuntimeException(f"PERCENTILE takes shares from 0 to 1, but got {argument}.")
    position = fraction * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    least, greatest = float(ordered[low]), float(ordered[high])
    return least + (position - low) * (greatest - least)


ACCUMULATORS: AccumulatorTable = {
    fn.LISTAGG: ListAgg,
    fn.COLLECT: Collect,
    fn.ARRAY_AGG: ArrayAgg,
    fn.PERCENTILE: Percentile,
}
