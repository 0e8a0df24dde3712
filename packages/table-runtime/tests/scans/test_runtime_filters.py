from __future__ import annotations

import pyarrow as pa

from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.key_filter import KeyFilter
from table_runtime.scans.runtime_filters import AppliedFilter, FilterSlot, found_filters, keep_matching

BATCH = pa.RecordBatch.from_pydict({"a": pa.array([1, 2, 3, None], pa.int32()), "b": ["x", "y", "z", "x"]})


def test_rows_pass_all_filters() -> None:
    filters = [(0, KeyFilter(pa.array([1, 3], pa.int64()))), (1, KeyFilter(pa.array(["z", "x"])))]
    assert keep_matching(BATCH, filters).to_pylist() == [{"a": 1, "b": "x"}, {"a": 3, "b": "z"}]
    assert (filters[0][1].rows_in, filters[1][1].rows_in) == (4, 2)


def test_the_filter_that_keeps_the_smallest_share_is_the_first() -> None:
    batch = pa.RecordBatch.from_pydict({"a": list(range(10_000)), "b": [number % 100 for number in range(10_000)]})
    half = KeyFilter(pa.array(range(0, 10_000, 2)))  # more keys than are listed, so it is expected to keep much
    few = KeyFilter(pa.array([1, 2]))
    found = keep_matching(batch, [(0, half), (1, few)]).column("a").to_pylist()
    assert found == [number for number in range(10_000) if number % 100 == 2]
    assert (few.rows_in, half.rows_in) == (10_000, 200)
    # Few keys need not drop more: after one batch the shares are known.
    every, half = KeyFilter(pa.array(range(100))), KeyFilter(pa.array(range(0, 10_000, 2)))
    for _ in range(2):
        assert keep_matching(batch, [(0, half), (1, every)]).num_rows == 5_000
    assert (every.rows_in, half.rows_in) == (15_000, 20_000)


def test_without_filters_the_batch_is_the_same() -> None:
    assert keep_matching(BATCH, []) is BATCH


def test_each_run_has_its_own_keys_and_a_join_that_gave_none_filters_nothing() -> None:
    slot = FilterSlot(1, "k")
    one, other = ExecutionContext(), ExecutionContext()
    keys = KeyFilter(pa.array([1]))
    slot.put(one, keys)
    assert found_filters([AppliedFilter(slot, 0)], one) == [(0, keys)]
    assert found_filters([AppliedFilter(slot, 0)], other) == []
