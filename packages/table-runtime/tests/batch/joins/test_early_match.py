"""Semi and anti joins with a condition try few candidates of each row first."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from table_common.arrow import compute as pc
from table_runtime.batch.joins.early_match import with_few_candidates
from table_runtime.batch.joins.key_index import KeyIndex
from table_runtime.batch.joins.range_index import RangeMatches

PAIRS = 1000


@pytest.mark.parametrize("rows", [0, 1, 31, 32, 600, 20_000])
def test_rows_keep_their_partners_whatever_the_condition(rows: int) -> None:
    numbers = random.Random(rows)
    keys = pa.array([numbers.choice([0, 0, 0, 1, 2, None]) for _ in range(rows)], pa.int64())
    index = KeyIndex([keys], [False])
    probes = pa.array([0, 1, 2, None, 7, 0], pa.int64())
    spans = index.spans(index.groups([probes]))
    if spans is None:
        assert index.is_unique
        return
    matches = RangeMatches(*spans)
    for least in (0, rows // 2, rows - 1, rows):
        tried: list[int] = []

        def partners(places: pa.Array, candidates: pa.Array, least: int = least, tried: list[int] = tried) -> pa.Array:
            tried.append(len(candidates))
            return pc.unique(pc.filter(places, pc.greater_equal(candidates, least)))

        few = with_few_candidates(matches, partners, PAIRS)
        assert max(tried, default=0) <= 2048
        assert set(partners(*few.pairs()).to_pylist()) == set(partners(*matches.pairs()).to_pylist())


def test_rows_with_a_partner_among_the_first_have_few_candidates() -> None:
    index = KeyIndex([pa.repeat(pa.scalar(5, pa.int64()), 100_000)], [False])
    spans = index.spans(index.groups([pa.array([5, 6, 5], pa.int64())]))
    assert spans is not None
    few = with_few_candidates(RangeMatches(*spans), lambda places, _: pc.unique(places), PAIRS)
    assert few.counts.to_pylist() == [8, 0, 8]


def test_few_rows_of_a_key_are_not_tried() -> None:
    index = KeyIndex([pa.array([1, 1, 2], pa.int64())], [False])
    spans = index.spans(index.groups([pa.array([1, 2], pa.int64())]))
    assert spans is not None
    matches = RangeMatches(*spans)

    def never(*pairs: pa.Array) -> pa.Array:
        raise AssertionError(pairs)

    assert with_few_candidates(matches, never, PAIRS) is matches
