"""Plans of many operators in a row: how they are shown and how they run."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_runtime.operators.operator import depth_of, describe
from table_runtime.operators.union import UnionAll

FIELDS = [("x", pa.int32())]


def test_a_part_with_several_readers_is_shown_once(harness: Any) -> None:
    plan: Any = harness.source(FIELDS, [(1,)])
    for _ in range(40):
        plan = UnionAll((plan, plan), pa.schema(FIELDS))
    assert len(describe(plan).splitlines()) < 100


def test_the_depth_of_a_shared_part_counts_once(harness: Any) -> None:
    plan: Any = harness.source(FIELDS, [(1,)])
    for _ in range(40):
        plan = UnionAll((plan, plan), pa.schema(FIELDS))
    assert depth_of([plan]) == 41
