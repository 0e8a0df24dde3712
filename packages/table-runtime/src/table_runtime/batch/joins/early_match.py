"""Semi and anti joins with a condition: one partner decides a row, so few of its candidates are tried before all of them."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.batch.joins.range_index import RangeMatches
from table_runtime.columns.batches import concat_arrays

STEPS = (8, 128, 2048)
"""Numbers of candidates that are tried."""
WORTHWHILE = 4
"""Rows with at least this many times more candidates than a step are tried."""


def with_few_candidates(matches: RangeMatches, partners: Callable[[pa.Array, pa.Array], pa.Array], pairs_at_once: int) -> RangeMatches:
    """Returns the candidates without most of those of the rows that have a partner among their first ones.

    ``partners`` takes (probe position, row) of candidates and returns the positions that have a partner among them.
    """
    counts = matches.counts
    for most in STEPS:
        waiting = pc.cast(pc.indices_nonzero(pc.greater_equal(counts, pa.scalar(WORTHWHILE * most, pa.int64()))), pa.int64())
        if not len(waiting):
            break
        found = []
        rows_at_once = max(1, pairs_at_once // most)
        for start in range(0, len(waiting), rows_at_once):
            rows = waiting.slice(start, rows_at_once)
            first = RangeMatches(matches.rows, pc.take(matches.starts, rows), pa.repeat(pa.scalar(most, pa.int64()), len(rows)))
            places, candidates = first.pairs()
            found.append(partners(pc.take(rows, places), candidates))
        decided = concat_arrays(found, pa.int64())
        is_decided = pc.is_valid(pc.inverse_permutation(decided, max_index=len(counts) - 1, output_type=pa.int64()))
        counts = pc.if_else(is_decided, pa.scalar(most, pa.int64()), counts)
    return matches if counts is matches.counts else RangeMatches(matches.rows, matches.starts, counts)
