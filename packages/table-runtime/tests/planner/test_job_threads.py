import os
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import pytest

from table_runtime.planner import job_threads
from table_runtime.planner.job_threads import JobRun

_VARIABLE: ContextVar[int] = ContextVar("variable", default=0)


@pytest.fixture(autouse=True)
def no_waiting_threads() -> Iterator[None]:
    job_threads._waiting.clear()
    yield
    job_threads._waiting.clear()


def thread_of(work: Callable[[], object] = lambda: None, *, is_reusable: bool = True, name: str = "job") -> threading.Thread:
    """Runs a job to its end and returns its thread."""
    threads = []

    def run() -> bool:
        threads.append(threading.current_thread())
        work()
        return is_reusable

    job = JobRun(name, run)
    job.start()
    assert job.wait(10)
    return threads[0]


def test_the_thread_of_a_short_job_runs_the_next_one() -> None:
    assert thread_of() is thread_of()


def test_a_thread_has_the_name_of_its_job() -> None:
    names: list[str] = []
    for name in ("one", "other"):
        thread_of(lambda: names.append(threading.current_thread().name), name=name)
    assert names == ["one", "other"]


def test_a_job_that_was_interrupted_ends_its_thread() -> None:
    thread = thread_of(is_reusable=False)
    thread.join(10)
    assert not thread.is_alive()


def test_a_long_job_ends_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_threads, "SHORT_SECONDS", 0.0)
    thread = thread_of()
    thread.join(10)
    assert not thread.is_alive()


def test_a_thread_without_a_job_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_threads, "IDLE_SECONDS", 0.01)
    thread = thread_of()
    thread.join(10)
    assert not thread.is_alive()
    assert not job_threads._waiting


def test_a_thread_that_is_taken_when_it_gives_up_waiting_runs_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_threads, "IDLE_SECONDS", 0.05)
    thread = thread_of()
    assert job_threads._waiting_thread() is thread
    time.sleep(0.2)
    ran = threading.Event()
    assert isinstance(thread, job_threads.JobThread)
    thread.give(JobRun("late", lambda: ran.set() is None))
    assert ran.wait(10)


def test_jobs_at_the_same_time_have_threads_of_their_own() -> None:
    both = threading.Barrier(2)
    jobs = [JobRun("job", lambda: both.wait(10) >= 0) for _ in range(2)]
    for job in jobs:
        job.start()
    assert all(job.wait(10) for job in jobs)


def test_few_threads_wait() -> None:
    all_run = threading.Barrier(3 * job_threads.MOST_IDLE)
    jobs = [JobRun("job", lambda: all_run.wait(10) >= 0) for _ in range(all_run.parties)]
    for job in jobs:
        job.start()
    assert all(job.wait(10) for job in jobs)
    assert len(job_threads._waiting) <= job_threads.MOST_IDLE


def test_a_job_does_not_see_the_context_of_the_one_before() -> None:
    seen: list[int] = []

    def work() -> None:
        seen.append(_VARIABLE.get())
        _VARIABLE.set(7)

    assert thread_of(work) is thread_of(work)
    assert seen == [0, 0]


def test_a_run_that_goes_on_is_not_over() -> None:
    go_on = threading.Event()
    job = JobRun("job", lambda: go_on.wait(10))
    job.start()
    assert not job.wait(0.01)
    go_on.set()
    assert job.wait(10)


def test_a_debugger_sees_a_job_start_on_a_thread_of_its_own() -> None:
    thread = thread_of()
    threading.settrace(lambda *_: None)
    try:
        assert thread_of() is not thread
    finally:
        threading.settrace(None)  # type: ignore[arg-type]  # as the documentation says


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only systems with fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    thread_of()
    go_on = threading.Event()
    running = JobRun("job", lambda: go_on.wait(10))
    running.start()
    thread_of()  # waits in the parent only
    child = os.fork()
    if child == 0:
        job = JobRun("job", lambda: True)
        job.start()
        os._exit(0 if job.wait(5) and running.wait(0.01) else 1)
    go_on.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_run_has_ended_also_while_another_thread_waits_for_it() -> None:
    run = JobRun("job", lambda: True)
    run.start()
    assert run.wait(10)
    with run._running:  # as the other thread for a moment
        assert run.wait(0)
