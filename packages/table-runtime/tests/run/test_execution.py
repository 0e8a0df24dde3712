"""The state of one run."""

from __future__ import annotations

import pytest

from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_runtime.run.execution import ExecutionContext


def test_commits_run_in_order_and_are_not_aborted() -> None:
    calls: list[str] = []
    context = ExecutionContext()
    for name in "ab":
        context.at_commit(lambda name=name: calls.append(f"commit {name}"), lambda name=name: calls.append(f"abort {name}"))  # type: ignore[misc]  # bound
    context.commit()
    context.close()
    assert calls == ["commit a", "commit b"]


def test_after_a_failed_commit_the_later_writes_are_aborted() -> None:
    calls: list[str] = []

    def fail() -> None:
        raise OSError("disk")

    context = ExecutionContext()
    context.at_commit(lambda: calls.append("commit a"), lambda: calls.append("abort a"))
    context.at_commit(fail, lambda: calls.append("abort b"))
    context.at_commit(lambda: calls.append("commit c"), lambda: calls.append("abort c"))
    with pytest.raises(OSError, match="disk"):
        context.commit()
    context.close()
    assert calls == ["commit a", "abort c", "abort b"]


def test_a_cancelled_run_does_not_commit() -> None:
    calls: list[str] = []
    context = ExecutionContext()
    context.at_commit(lambda: calls.append("commit"), lambda: calls.append("abort"))
    context.token.cancel()
    with pytest.raises(JobCancelledException):
        context.commit()
    context.close()
    assert calls == ["abort"]


def test_an_abort_that_fails_does_not_prevent_the_others() -> None:
    calls: list[str] = []
    context = ExecutionContext()
    context.at_commit(lambda: None, lambda: calls.append("abort"))
    context.at_commit(lambda: None, lambda: 1 // 0)  # type: ignore[arg-type, return-value]  # it raises
    context.close()
    assert calls == ["abort"]


def test_names_of_writes_are_the_same_when_the_job_runs_again() -> None:
    names = [[context.new_write(), context.new_write()] for context in (ExecutionContext(job_id="j"), ExecutionContext(job_id="j"))]
    assert names == [["j-0", "j-1"]] * 2


def test_shared_state_is_made_once() -> None:
    context = ExecutionContext()
    assert context.shared(1, lambda: ["first"]) is context.shared(1, lambda: ["second"])
    assert context.shared(2, lambda: "other") == "other"


def test_a_task_runs_on_another_thread_with_its_item() -> None:
    context = ExecutionContext(parallelism=2)
    assert [context.submit(lambda n: n * n, n).result() for n in range(3)] == [0, 1, 4]
    context.close()


def test_progress_is_reported_to_the_listener() -> None:
    reports: list[tuple[str, float | None]] = []
    ExecutionContext(progress=lambda text, share: reports.append((text, share))).report("half", 0.5)
    ExecutionContext().report("nobody listens")
    assert reports == [("half", 0.5)]


def test_memory_beyond_the_budget_is_refused_and_buffers_are_smaller() -> None:
    context = ExecutionContext(memory=1 << 30)
    with pytest.raises(TableRuntimeException):
        context.require_memory(1 << 40)
    assert context.scaled(4000) == 1000
    assert ExecutionContext(memory=1 << 40).scaled(4000) == 4000
