"""COVAR_POP and COVAR_SAMP."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction

_Doubles = np.ndarray[Any, np.dtype[np.float64]]


class Covariance(Accumulator):
    """The covariance of two columns: the state is the count of the pairs, both means, and the sum of the products of the distances from them.

    A pair with a NULL is ignored. NULL over no pairs, for samples also over one.
    """

    def __init__(self, spec: AggregateSpec, *, is_sample: bool) -> None:
        super().__init__(spec)
        self.fewest = 2 if is_sample else 1
        """How many pairs a result needs."""

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        is_pair = pc.and_(pc.is_valid(args[0]), pc.is_valid(args[1]))
        return [Reduction(pc.if_else(is_pair, arg, pa.scalar(None, pa.float64())), "list") for arg in args]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        groups, (x, y) = _flat(reduced)
        zeros = np.zeros(len(x))
        return _combined(groups, len(reduced[0]), zeros + 1, x, y, zeros)

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(pc.if_else(pc.greater(state[0], 0), column, pa.scalar(None, column.type)), "list") for column in state]

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        groups, (counts, x, y, products) = _flat(reduced)
        return _combined(groups, len(reduced[0]), counts, x, y, products)

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        count, _, _, products = state
        divisor = pc.if_else(pc.greater_equal(count, self.fewest), pc.subtract(count, self.fewest - 1), pa.scalar(None, pa.int64()))
        return pc.divide(products, pc.cast(divisor, pa.float64()))


def _flat(lists: Sequence[pa.Array]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[_Doubles]]:
    """Returns the values of the lists that are not NULL, list by list, and the position of the list of each."""
    positions = pc.list_parent_indices(lists[0]).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [pc.list_flatten(each) for each in lists]
    is_known = pc.is_valid(values[0])
    return positions[is_known.to_numpy(zero_copy_only=False)], [
        pc.cast(pc.filter(each, is_known), pa.float64()).to_numpy(zero_copy_only=False) for each in values
    ]


def _combined(groups: Any, size: int, counts: _Doubles, x: _Doubles, y: _Doubles, products: _Doubles) -> list[pa.Array]:
    """Returns the states of the groups over parts, each with its count, means and sum of products."""
    with np.errstate(all="ignore"):  # infinite values and groups without pairs
        total = np.bincount(groups, counts, size)
        mean_x, mean_y = (np.bincount(groups, counts * means, size) / total for means in (x, y))
        between = counts * (x - mean_x[groups]) * (y - mean_y[groups])
        result = np.bincount(groups, products + between, size).astype(np.float64)  # integers, if there are no parts
    return [pa.array(total.astype(np.int64)), pa.array(mean_x), pa.array(mean_y), pa.array(result)]


ACCUMULATORS: AccumulatorTable = {
    fn.COVAR_POP: partial(Covariance, is_sample=False),
    fn.COVAR_SAMP: partial(Covariance, is_sample=True),
}
