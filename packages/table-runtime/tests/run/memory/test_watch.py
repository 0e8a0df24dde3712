"""A thread looks at the memory in use, and stops the run that exceeds its budget."""

from __future__ import annotations

import threading

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory import watch as memory_watch
from table_runtime.run.memory.budget import MemoryBudget
from table_runtime.run.memory.watch import MemoryWatch

LIMIT = 1 << 30


class _Budget(MemoryBudget):
    """Says one after the other how many bytes are in use; the last ones from then on."""

    def __init__(self, *used: int) -> None:
        super().__init__(LIMIT)
        self._sizes = list(used)
        self.all_seen = threading.Event()

    @property
    def used(self) -> int:
        if len(self._sizes) > 1:
            return self._sizes.pop(0)
        self.all_seen.set()
        return self._sizes[0]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "LOOK_SECONDS", 0.001)


def _stopped_by(budget: _Budget, at_start: int = LIMIT // 2) -> list[TableRuntimeException]:
    """Returns the errors with which a watch stops, once all sizes have been seen."""
    errors: list[TableRuntimeException] = []
    watch = MemoryWatch(budget, at_start, errors.append)
    try:
        assert budget.all_seen.wait(10)
    finally:
        watch.end()
        watch._thread.join(10)
    return errors


def test_a_job_that_grows_beyond_its_budget_is_stopped() -> None:
    (error,) = _stopped_by(_Budget(LIMIT // 2, LIMIT + 1))
    assert "needs more memory than it may use: 1.0 GB are in use, of 1.0 GB" in str(error)


def test_a_job_within_its_budget_goes_on() -> None:
    assert _stopped_by(_Budget(LIMIT - 1, LIMIT)) == []


def test_a_short_job_runs_in_a_process_that_had_used_up_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 3600.0)
    assert _stopped_by(_Budget(2 * LIMIT, 2 * LIMIT + 1), 2 * LIMIT) == []


def test_a_short_job_that_adds_much_is_stopped_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 3600.0)
    assert len(_stopped_by(_Budget(2 * LIMIT, 2 * LIMIT + memory_watch.LARGE_GROWTH), 2 * LIMIT)) == 1


def test_a_job_that_had_exceeded_its_budget_at_the_first_look_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 3600.0)
    assert len(_stopped_by(_Budget(LIMIT + 1))) == 1


def test_memory_that_is_free_again_at_the_second_look_stops_nothing() -> None:
    assert _stopped_by(_Budget(LIMIT + 1, LIMIT // 2)) == []


def test_a_run_that_exceeds_its_memory_fails_with_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 0.0)
    failed = threading.Event()
    context = ExecutionContext(memory=1, fail=lambda _: failed.set())
    context.watch_memory()
    assert failed.wait(10)
    with pytest.raises(TableRuntimeException, match="needs more memory"):
        context.check()
    assert context.token.is_cancelled
    context.close()


def test_a_run_that_commits_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 0.0)
    context = ExecutionContext(memory=1)
    context.commit()
    context.watch_memory()
    assert context._watch is None


@pytest.mark.parametrize(("used", "seconds"), [(0, 0.1), (LIMIT - (256 << 20), 0.03125), (LIMIT - 1, 0.001), (LIMIT + 1, 0.001)])
def test_memory_is_checked_more_often_near_the_limit(used: int, seconds: float) -> None:
    watch = MemoryWatch(_Budget(used), 0, lambda error: None)
    watch.end()
    watch._thread.join(10)
    watch._ended.clear()
    watch._next_look = 0.0
    watch.look()
    assert watch._seconds == seconds
