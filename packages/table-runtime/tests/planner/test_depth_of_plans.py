"""Plans that are too deep for what reads and runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import ValidationException
from table_runtime.planner import lowering
from table_runtime.planner import planner as planner_module
from table_runtime.run.operator import Operator, depth_of


def test_a_plan_that_is_too_deep_is_refused() -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        table = environment.sql_query("SELECT 1 AS x")
        for _ in range(2_001):
            table = table.limit(1).distinct()
        with pytest.raises(ValidationException, match="nested operations, but at most 2,000"):
            table.explain()


def test_no_thread_runs_so_many_operators_in_a_row_that_frames_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[Operator] = []

    def lower_all(operations: Sequence[Any], context: lowering.LoweringContext) -> list[Operator]:
        lowered.extend(lowering.lower_all(operations, context))
        return lowered

    monkeypatch.setattr(planner_module, "lower_all", lower_all)
    joins = "".join(f" JOIN (VALUES 1) AS t{i} (a) ON t{i}.a = t{i - 1}.a" for i in range(1, 200))
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        environment.explain_sql(f"SELECT COUNT(*) FROM (VALUES 1) AS t0 (a){joins}")
    starts = list(lowered)
    for operator in starts:
        assert depth_of(operator, {}) <= 50
        waiting = list(operator.inputs)
        while waiting:
            below = waiting.pop()
            (starts if below.has_own_thread and below not in starts else waiting).extend(below.inputs)
    assert len(starts) > 4
