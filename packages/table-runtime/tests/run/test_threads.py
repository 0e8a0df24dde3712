"""Tasks on the worker threads of a run."""

from __future__ import annotations

import threading

import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.cancellation import CancellationToken
from table_runtime.run.threads import Task, WorkerThreads


def test_tasks_return_their_results_and_raise_their_errors() -> None:
    threads, token = WorkerThreads(2, "test"), CancellationToken()
    tasks = [threads.start(Task(lambda n=n: 12 // n, token)) for n in (1, 2, 0, 4)]  # type: ignore[misc]  # the loop variable is bound
    assert [tasks[i].result() for i in (0, 1, 3)] == [12, 6, 3]
    with pytest.raises(ZeroDivisionError):
        tasks[2].result()
    threads.close()


def test_there_are_no_more_threads_than_asked_for() -> None:
    threads, token = WorkerThreads(2, "few"), CancellationToken()
    names = {threads.start(Task(lambda: threading.current_thread().name, token)).result() for _ in range(20)}
    assert names <= {"few-0", "few-1", threading.current_thread().name}  # the thread that waits computes too
    threads.close()


def test_a_thread_that_waits_runs_the_tasks_behind_the_one_that_another_thread_runs() -> None:
    threads, token = WorkerThreads(1, "one"), CancellationToken()
    begun, go_on = threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        go_on.wait(10)
        return threading.current_thread().name

    def second() -> str:
        go_on.set()
        return threading.current_thread().name

    tasks = [threads.start(Task(function, token, threads.run_next)) for function in (first, second)]
    assert begun.wait(10)
    assert [task.result() for task in tasks] == ["one-0", threading.current_thread().name]
    threads.close()


def test_a_cancelled_task_is_not_run() -> None:
    calls: list[int] = []
    task = Task(lambda: calls.append(1), CancellationToken())
    task.cancel()
    task.run()
    assert (task.result(), calls) == (None, [])


def test_waiting_for_a_result_ends_when_the_run_is_cancelled() -> None:
    token = CancellationToken()
    task = Task(lambda: None, token)  # never run
    token.cancel()
    with pytest.raises(JobCancelledException):
        task.result()


def test_closing_does_not_wait_for_a_stuck_task() -> None:
    threads, release = WorkerThreads(1, "stuck"), threading.Event()
    task = threads.start(Task(release.wait, CancellationToken()))
    threads.close()
    release.set()
    assert task.result() is True
