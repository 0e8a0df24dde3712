from __future__ import annotations

import pyarrow as pa

from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.key_filter import KeyFilter
from table_runtime.operators.runtime_filters import AppliedFilter, FilterSlot, found_filters, keep_matching

BATCH = pa.RecordBatch.from_pydict({"a": pa.array([1, 2, 3, None], pa.int32()), "b": ["x", "y", "z", "x"]})


def test_rows_pass_all_filters() -> None:
    filters = [(0, KeyFilter(pa.array([1, 3], pa.int64()))), (1, KeyFilter(pa.array(["z", "x"])))]
    assert keep_matching(BATCH, filters).to_pylist() == [{"a": 1, "b": "x"}, {"a": 3, "b": "z"}]
    assert (filters[0][1].rows_in, filters[1][1].rows_in) == (4, 2)


def test_without_filters_the_batch_is_the_same() -> None:
    assert keep_matching(BATCH, []) is BATCH


def test_each_run_has_its_own_keys_and_a_join_that_gave_none_filters_nothing() -> None:
    slot = FilterSlot(1, "k")
    one, other = ExecutionContext(), ExecutionContext()
    keys = KeyFilter(pa.array([1]))
    slot.put(one, keys)
    assert found_filters([AppliedFilter(slot, 0)], one) == [(0, keys)]
    assert found_filters([AppliedFilter(slot, 0)], other) == []
