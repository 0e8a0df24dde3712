"""States of groups are merged while they come, within the memory that the run may use."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import BigIntType, DoubleType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.counting import Count
from table_runtime.aggregates.sums import Average, Sum
from table_runtime.batch.aggregation import keyed_aggregation
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, KeyedAggregation
from table_runtime.batch.values import Values
from table_runtime.columns.batches import coalesce_batches
from table_runtime.columns.keys import KeyCodec
from table_runtime.run.execution import ExecutionContext

ROWS = 1 << 19


def _plan() -> AggregationPlan:
    return AggregationPlan(KeyCodec([pa.int64()]), [Sum(AggregateSpec("SUM", (BigIntType(),), BigIntType()))])


def test_states_of_many_groups_ask_for_memory_before_they_are_merged() -> None:
    plan = _plan()
    running = KeyedAggregation(plan, ExecutionContext(memory=1), Values(pa.schema([]), list, 0))
    running.add(plan.partial([pa.arange(0, 1000)], [[pa.arange(0, 1000)]], 1000))
    with pytest.raises(TableRuntimeException, match="needs more memory than it may use"):
        running.add(plan.partial([pa.arange(0, 2 * ROWS)], [[pa.arange(0, 2 * ROWS)]], 2 * ROWS))


def test_states_that_are_merged_are_not_kept_twice() -> None:
    plan = _plan()
    parts = [plan.partial([pa.arange(0, 10)], [[pa.arange(0, 10)]], 10) for _ in range(3)]
    assert plan.merge(parts).groups == 10
    assert parts == []


def test_runs_are_shorter_where_there_is_little_memory() -> None:
    batch = pa.record_batch({"a": pa.arange(0, 40_000)})
    sizes = {
        memory: [sum(part.num_rows for part in run) for run in coalesce_batches([batch] * 8, ROWS, ExecutionContext(memory=memory).scaled)]
        for memory in (1 << 28, 1 << 33)
    }
    assert sum(sizes[1 << 28]) == 320_000
    assert max(sizes[1 << 28]) <= 40_000
    assert sizes[1 << 33] == [320_000]


def test_calls_share_the_sums_and_counts_of_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[str] = []
    reduce_groups = keyed_aggregation.reduce_groups

    def noted(keys: Any, reductions: Any, rows: int) -> Any:
        computed.extend(reduction.function for reduction in reductions)
        return reduce_groups(keys, reductions, rows)

    monkeypatch.setattr(keyed_aggregation, "reduce_groups", noted)
    double, bigint = DoubleType(), BigIntType()
    calls = [
        Sum(AggregateSpec("SUM", (double,), double)),
        Average(AggregateSpec("AVG", (double,), double)),
        Count(AggregateSpec("COUNT", (double,), bigint)),
        Count(AggregateSpec("COUNT", (), bigint)),
        Count(AggregateSpec("COUNT", (double,), bigint)),
        Average(AggregateSpec("AVG", (double,), double)),
    ]
    plan = AggregationPlan(KeyCodec([pa.int64()]), calls)
    v, w = pa.array([1.0, 2.0, 4.0]), pa.array([1.0, None, None])
    states = plan.partial([pa.array([1, 2, 1])], [[v], [v], [v], [], [w], [w]], 3)
    found = set(zip(states.keys[0].to_pylist(), *(column.to_pylist() for column in plan.finish(states)), strict=True))
    assert found == {(1, 5.0, 2.5, 2, 2, 1, 1.0), (2, 2.0, 2.0, 1, 1, 0, None)}
    assert sorted(computed) == ["count", "count_all", "sum", "sum"]
