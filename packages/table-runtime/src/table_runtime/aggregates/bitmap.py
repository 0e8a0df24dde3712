"""Aggregates that build bitmaps from numbers or combine bitmaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.functions.builtin import bitmap as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec
from table_runtime.aggregates.collect import Collecting
from table_runtime.roaring import decode, encode

_Set = set[int]


def _built(values: Iterable[int]) -> _Set:
    return {value & 0xFFFFFFFF for value in values}


def _combined(combine: Callable[[_Set, _Set], _Set]) -> Callable[[Iterable[Any]], _Set]:
    return lambda values: reduce(combine, map(decode, values))


_WAYS: dict[str, Callable[[Iterable[Any]], _Set]] = {
    "BUILD": _built,
    "AND": _combined(lambda left, right: left & right),
    "OR": _combined(lambda left, right: left | right),
    "XOR": _combined(lambda left, right: left ^ right),
}


def bitmap(way: str, *, cardinality: bool = False) -> Callable[[AggregateSpec], Accumulator]:
    """Returns a factory of aggregates that build or combine bitmaps; with ``cardinality``, the result is the bitmap's size."""
    return lambda spec: BitmapAgg(spec, way, cardinality=cardinality)


class BitmapAgg(Collecting):
    """One bitmap of all values; NULL over no values."""

    def __init__(self, spec: AggregateSpec, way: str, *, cardinality: bool) -> None:
        super().__init__(spec)
        self.way = way
        self.cardinality = cardinality
        self._make = _WAYS[way]

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        results: list[Any] = []
        for values in lists[0].to_pylist():
            if not values:
                results.append(None)
                continue
            combined = self._make(values)
            results.append(len(combined) if self.cardinality else encode(combined))
        return pa.array(results, type=self.spec.arrow_type)


ACCUMULATORS: AccumulatorTable = {
    fn.BITMAP_BUILD_AGG: bitmap(way="BUILD"),
    fn.BITMAP_AND_AGG: bitmap(way="AND"),
    fn.BITMAP_OR_AGG: bitmap(way="OR"),
    fn.BITMAP_XOR_AGG: bitmap(way="XOR"),
    fn.BITMAP_BUILD_CARDINALITY_AGG: bitmap(way="BUILD", cardinality=True),
    fn.BITMAP_AND_CARDINALITY_AGG: bitmap(way="AND", cardinality=True),
    fn.BITMAP_OR_CARDINALITY_AGG: bitmap(way="OR", cardinality=True),
    fn.BITMAP_XOR_CARDINALITY_AGG: bitmap(way="XOR", cardinality=True),
}
