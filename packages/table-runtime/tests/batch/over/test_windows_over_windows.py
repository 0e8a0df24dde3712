"""Windows whose input are windows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_runtime.batch.over.over_aggregate import OverAggregate, OverColumn, WindowGroup
from table_runtime.batch.over.ranking import Ranking, row_number
from table_runtime.columns.ordering import SortKey


def test_windows_over_windows_are_one_operator_that_counts_their_columns(harness: Any) -> None:
    source = harness.source([("a", pa.int32())], [(3,), (1,), (2,)])
    fields = [("a", pa.int32()), ("n", pa.int64()), ("m", pa.int64())]
    first = WindowGroup((), (SortKey(0),), (OverColumn(Ranking(row_number)),), "first")
    second = WindowGroup((), (SortKey(1, ascending=False),), (OverColumn(Ranking(row_number)),), "second")
    plan = OverAggregate.over(OverAggregate.over(source, pa.schema(fields[:2]), first), pa.schema(fields), second)
    assert plan.plan_lines() == ["OverAggregate(second)", "OverAggregate(first)"]
    assert harness.rows(plan) == [(3, 3, 1), (1, 1, 3), (2, 2, 2)]
