from __future__ import annotations

import _imp
import importlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.cancellation import CancellationToken, Interrupted, calling, current_check
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.parallel import map_ordered
from table_runtime.run.prefetch import prefetch


def ended_by_cancelling(work: Callable[[], object], token: CancellationToken, started: threading.Event) -> type[BaseException] | None:
    """Runs the work on a thread, cancels once it has started, and returns what ended it; None if it continues."""
    ends: list[type[BaseException]] = []

    def run() -> None:
        try:
            token.run(work)
        except BaseException as error:
            ends.append(type(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    token.cancel()
    thread.join(10)
    return ends[0] if ends else None


def test_cancelling_ends_a_loop_of_python_that_asks_for_nothing() -> None:
    started = threading.Event()

    def work() -> None:
        started.set()
        while True:
            try:
                time.sleep(0)
            except Exception:
                continue

    assert ended_by_cancelling(work, CancellationToken(), started) is JobCancelledException


def test_a_thread_that_has_left_the_run_is_not_interrupted() -> None:
    token = CancellationToken()
    token.run(lambda: None)
    token.cancel()
    assert sum(range(100_000)) == 4_999_950_000
    with pytest.raises(JobCancelledException):
        token.run(lambda: None)


def test_a_token_names_the_functions_that_are_being_called() -> None:
    token = CancellationToken()

    def work() -> list[str]:
        with calling("the function F"):
            return token.called_functions

    assert token.run(work) == ["the function F"]
    assert token.called_functions == []


def test_outside_of_a_run_nothing_is_cancelled() -> None:
    current_check()()


def test_a_stuck_function_holds_up_neither_the_reader_nor_the_end_of_the_run() -> None:
    context = ExecutionContext(parallelism=2)
    release = threading.Event()
    stuck = threading.Event()

    reader = threading.current_thread()

    def function(number: int) -> int:
        if threading.current_thread() is not reader:  # the thread that waits runs tasks, too
            stuck.set()
            release.wait()
        else:
            stuck.wait(10)
        return number

    def cancel() -> None:
        stuck.wait(10)
        context.token.cancel()

    threading.Thread(target=cancel).start()
    try:
        with pytest.raises(JobCancelledException):
            list(map_ordered(function, range(4), context))
        context.close()
        assert not release.is_set()
    finally:
        release.set()


def test_a_stuck_source_holds_up_no_reader() -> None:
    context = ExecutionContext(parallelism=2)
    release = threading.Event()
    stuck = threading.Event()

    def stream() -> Iterator[pa.RecordBatch]:
        stuck.set()
        release.wait()
        yield pa.record_batch({"a": [1]})

    def cancel() -> None:
        stuck.wait(10)
        context.token.cancel()

    threading.Thread(target=cancel).start()
    try:
        with pytest.raises(JobCancelledException):
            list(prefetch([stream, stream], context))
    finally:
        release.set()


def test_a_thread_that_imports_a_module_is_interrupted_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = ModuleType("hold_of_test")
    hold.began, hold.go_on = threading.Event(), threading.Event()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hold_of_test", hold)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slow_of_test.py").write_text("import hold_of_test\nhold_of_test.began.set()\nhold_of_test.go_on.wait()\ndone = True\n")
    token, outcome = CancellationToken(), []

    def import_and_go_on() -> None:
        importlib.import_module("slow_of_test")
        while True:
            pass

    def work() -> None:
        try:
            token.run(import_and_go_on)
        except JobCancelledException as error:
            outcome.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert hold.began.wait(30)  # type: ignore[attr-defined]
    assert not token.is_importing
    token.cancel()
    assert thread.is_alive()
    assert token.is_importing
    hold.go_on.set()  # type: ignore[attr-defined]
    thread.join(30)
    assert len(outcome) == 1
    assert sys.modules.pop("slow_of_test").done


def test_an_interrupted_thread_does_not_keep_the_lock_of_all_imports() -> None:
    def interrupted_in_an_import() -> None:
        _imp.acquire_lock()
        raise Interrupted

    with pytest.raises(JobCancelledException):
        CancellationToken().run(interrupted_in_an_import)
    assert not _imp.lock_held()


def test_a_thread_that_starts_another_is_interrupted_when_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    token = CancellationToken()
    starting, go_on, is_new_thread_fine = threading.Event(), threading.Event(), threading.Event()
    name = "_start_new_thread" if hasattr(threading, "_start_new_thread") else "_start_joinable_thread"  # the latter since Python 3.13
    start_new_thread = getattr(threading, name)

    def slow_start(*args: Any, **options: Any) -> Any:
        """Stands for the moment in which the new thread exists and does not run yet."""
        if creator and threading.get_ident() == creator[0]:
            starting.set()
            go_on.wait()
        return start_new_thread(*args, **options)

    monkeypatch.setattr(threading, name, slow_start)
    creator: list[int] = []

    def work() -> None:
        creator.append(threading.get_ident())
        threading.Thread(target=is_new_thread_fine.set).start()
        while True:
            pass

    def run() -> None:
        with pytest.raises(JobCancelledException):
            token.run(work)

    thread = threading.Thread(target=run)
    thread.start()
    starting.wait()
    token.cancel()
    go_on.set()
    assert is_new_thread_fine.wait(10)
    thread.join(10)
    assert not thread.is_alive()


def test_an_interruption_that_a_callback_swallows_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    token = CancellationToken()
    inside = threading.Event()

    class Held:
        """Its finalizer runs until it is interrupted; Python ignores what is raised there."""

        def __del__(self) -> None:
            inside.set()
            while True:
                pass

    def work() -> None:
        held = Held()
        del held
        while True:
            pass

    def run() -> None:
        with pytest.raises(JobCancelledException):
            token.run(work)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    inside.wait()
    token.cancel()
    thread.join(10)
    assert not thread.is_alive()


_PROFILED_AFTER_A_CANCELLED_RUN = """
import cProfile
from table_runtime.cancellation import CancellationToken

token = CancellationToken()
token.run(token.cancel)
print(cProfile.Profile().runcall(lambda: sum(number for number in range(10))))
"""


def test_a_function_can_be_profiled_after_a_cancelled_run() -> None:
    program = [sys.executable, "-c", _PROFILED_AFTER_A_CANCELLED_RUN]
    assert subprocess.run(program, capture_output=True, text=True, timeout=60).stdout == "45\n"
