"""Which rows are behind the last row of their partition."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.sort_keys import sort_keys
from table_runtime.streaming.state.rank_bounds import RankBounds

ASCENDING = SortKey(0, True, True)


def bounds(*partition: int | None, key: SortKey = ASCENDING, size: int = 2) -> RankBounds:
    """Returns the bounds of one partition, whose rows are given in order."""
    result = RankBounds(size)
    rows = pa.RecordBatch.from_arrays([pa.array(partition, pa.int64())], names=["a"])
    result.set(np.array([3]), [sort_keys(rows, [key])])
    return result


def before(result: RankBounds, *values: int | None, key: SortKey = ASCENDING, slot: int = 3) -> list[bool]:
    found: list[bool] = result.before(pa.array(values, pa.int64()), key, np.full(len(values), slot)).tolist()
    return found


def test_rows_behind_or_equal_to_the_last_row_are_told() -> None:
    assert before(bounds(1, 5), 4, 5, 6) == [True, False, False]


def test_descending_order_is_the_other_way_round() -> None:
    key = SortKey(0, False, True)
    assert before(bounds(5, 1, key=key), 0, 1, 2, key=key) == [False, False, True]


def test_partitions_that_are_not_full_and_other_ones_have_no_bound() -> None:
    assert before(bounds(1), 100) == [True]
    assert before(bounds(1, 5), 100, slot=5000) == [True]


@pytest.mark.parametrize(("nulls_first", "expected"), [(True, [False, False, True]), (False, [True, True, True])])
def test_a_null_as_last_row_stands_before_or_behind_all_values(nulls_first: bool, expected: list[bool]) -> None:
    key = SortKey(0, True, nulls_first)
    partition = (None, None) if nulls_first else (1, None)
    assert before(bounds(*partition, key=key), -(2**63), 2**63 - 1, None, key=key) == expected


def test_a_row_that_is_null_is_never_told() -> None:
    assert before(bounds(1, 5), None) == [True]


def test_a_bound_at_the_ends_of_the_type_tells_no_row_too_much() -> None:
    assert before(bounds(2**63 - 1, 2**63 - 1), 2**63 - 2) == [True]
    assert before(bounds(-(2**63), -(2**63)), -(2**63), 0) == [False, False]


def test_a_partition_that_grows_gets_a_bound() -> None:
    result = bounds(7)
    result.set(np.array([3, 5000]), [[7, 9], [1, 2]])
    assert before(result, 8, 9) == [True, False]
    assert before(result, 1, 2, slot=5000) == [True, False]
