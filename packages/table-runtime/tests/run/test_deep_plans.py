"""Plans of many operators in a row: how they are shown and how they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.batch.set_operations.union import UnionAll
from table_runtime.run.deep_plan_threads import ThreadBoundary
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator, depth_of, describe

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
    assert depth_of(plan, {}) == 41


def test_a_relay_yields_what_its_input_yields(harness: Any) -> None:
    assert harness.rows(ThreadBoundary(harness.source(FIELDS, [(number,) for number in range(10)]))) == [(number,) for number in range(10)]


def test_a_failure_passes_through_a_relay(harness: Any) -> None:
    class Failing(Operator):
        def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
            raise TableRuntimeException("no more rows")

    with pytest.raises(TableRuntimeException, match="no more rows"):
        harness.rows(ThreadBoundary(Failing(pa.schema(FIELDS))))


def test_a_relay_that_is_closed_early_closes_its_input(harness: Any, endless: Any) -> None:
    batches = ThreadBoundary(endless).batches(harness.context)
    next(batches)
    batches.close()
    assert endless.is_closed


def test_plans_do_not_show_relays(harness: Any) -> None:
    source = harness.source(FIELDS, [(1,)])
    assert describe(UnionAll((ThreadBoundary(source), source), pa.schema(FIELDS))).count("ThreadBoundary") == 0


def test_the_depth_of_a_plan_begins_anew_at_a_relay(harness: Any) -> None:
    assert depth_of(UnionAll((ThreadBoundary(harness.source(FIELDS, [(1,)])),), pa.schema(FIELDS)), {}) == 1
