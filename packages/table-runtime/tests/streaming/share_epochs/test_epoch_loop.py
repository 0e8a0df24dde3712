"""Epochs of a query: what each reads, and when the job is over."""

from __future__ import annotations

from typing import Any

import pytest
from in_process_engine import InProcessDriver

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation
from table_api.plan.optimizer import optimize_stream
from table_common.job_state import JobState
from table_runtime.planner.streaming import stream_root
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.job.job_requests import JobRequests


def driver_of(statement: str, rows: list[Any], **options: Any) -> InProcessDriver:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    session: Any = env.session
    plan = optimize_stream([CollectModifyOperation(session.parse(statement))], session, session.planner)
    assert plan is not None
    state = JobState()
    root = stream_root(plan, env.get_config(), nets_batches=True)
    emit = lambda _, batch: rows.extend(batch.to_pylist())  # noqa: E731
    return InProcessDriver(
        root, env.get_config(), "job", ExecutionContext(parallelism=1), state, JobRequests("job", state), emit, **options
    )


VALUES = "(VALUES (1, 1), (2, 2), (1, 3), (3, 4), (2, 5)) AS t(k, v)"


@pytest.mark.parametrize(("most_rows", "epochs"), [(1, 5), (2, 3), (100, 1)])
def test_a_source_is_read_in_epochs_of_so_many_rows(most_rows: int, epochs: int) -> None:
    rows: list[Any] = []
    driver = driver_of(f"SELECT k, SUM(v) AS s FROM {VALUES} GROUP BY k", rows, most_rows=most_rows)
    driver.run_query()
    assert driver.tasks.epochs == list(range(epochs))
    assert {row["k"]: row["s"] for row in rows} == {1: 4, 2: 7, 3: 4}


def test_a_limit_ends_the_job() -> None:
    rows: list[Any] = []
    driver = driver_of(f"SELECT k FROM {VALUES} LIMIT 1", rows, most_rows=1)
    driver.run_query()
    assert len(rows) == 1
    assert len(driver.tasks.epochs) < 5
