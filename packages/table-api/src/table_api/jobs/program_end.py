"""The end of the program: waits for running INSERTs, reports unseen failures, and then sets the exit code to 1.

``threading`` calls this module before it joins threads: later, executors accept no more work and threads cannot be started. After
``os._exit`` or a signal this module is not called, so running INSERTs are lost.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from table_api.jobs.await_inserts import cancel, cancel_interrupted, names_of, tell, wait_for

if TYPE_CHECKING:
    from table_api.jobs.insert_job import InsertJob, JobOwner

FAILED, INTERRUPTED = 1, 130
"""Exit codes: an INSERT failed without being seen; Ctrl-C ended the wait."""


class _Program:
    """The INSERT jobs of this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # reentrant: the garbage collector may call this module while its thread holds the lock
        self.jobs: set[InsertJob] = set()
        """Jobs that run, and jobs whose failure has not been raised."""
        self.exit_code = 0
        self.is_hooked = False


_program = _Program()


def watch(job: InsertJob) -> None:
    """Registers a job before it starts."""
    with _program.lock:
        _program.jobs.add(job)
        if _program.is_hooked:
            return
        _program.is_hooked = True
    _hook_into_the_end()


def forget(job: InsertJob) -> None:
    """Forgets a job that ended well, or whose failure was raised."""
    with _program.lock:
        _program.jobs.discard(job)


def ended(job: InsertJob) -> None:
    """Records the end of a job, and reports a failure that the program can no longer see."""
    if job.failure is None or job.is_cancelled:
        forget(job)
    elif not job.is_awaited and not job.owner.is_completing and (job.is_abandoned or _is_interactive()):
        report([job])


def interrupted(job: InsertJob) -> None:
    """Cancels a job that a thread waited for when Ctrl-C was pressed."""
    cancel_interrupted([job])


def jobs_of(owner: JobOwner) -> list[InsertJob]:
    """Returns the jobs of a session that run or failed without being seen, oldest first."""
    with _program.lock:
        return sorted((job for job in list(_program.jobs) if job.owner is owner), key=lambda job: job.started)


def report(jobs: Iterable[InsertJob]) -> None:
    """Writes unseen failures to standard error, each once; the exit code becomes 1."""
    for job in jobs:
        with _program.lock:
            if job not in _program.jobs or job.is_running:
                continue
            if not job.owner.is_block:
                _program.jobs.discard(job)
                _program.exit_code = _program.exit_code or FAILED
            was_told, job.was_told = job.was_told, True
        if not was_told:
            tell(f"{job.name} failed, and the program did not see it (wait() of its result raises this error):\n{job.failure}")


def _running() -> list[InsertJob]:
    with _program.lock:
        return [job for job in list(_program.jobs) if job.is_running]


def _failed() -> list[InsertJob]:
    with _program.lock:
        return [job for job in list(_program.jobs) if not job.is_running]


def _is_interactive() -> bool:
    """Whether a person types the program, as in a Python prompt or a notebook: it has no exit code, and errors do not end it."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)


# --- hooks ---------------------------------------------------------------------------------------------------------------------------


def _hook_into_the_end() -> None:
    register = getattr(threading, "_register_atexit", None)
    try:
        # Imported first, because hooks run in reverse order of registration: executors must live while INSERTs run.
        import concurrent.futures.thread  # noqa: F401  # for its effect

        if register is None:
            raise RuntimeError("this Python has no hook before its threads end")
        register(_before_threads_end)
    except RuntimeError:  # also raised if the program is already ending and one of its threads started an INSERT
        atexit.register(_at_exit)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_start_anew)


def _start_anew() -> None:
    """A forked child has none of the threads that run its parent's jobs."""
    _program.lock = threading.RLock()
    _program.jobs.clear()
    _program.exit_code = 0


def _before_threads_end() -> None:
    _finish_jobs()
    atexit.register(_at_exit)  # registered last, so it runs before all others


def _finish_jobs() -> None:
    """Waits for all jobs; those of a program that ended with an error are cancelled, as by leaving a ``with`` block."""
    error = None if _is_interactive() else getattr(sys, "last_value", None)
    if isinstance(error, BaseException):
        cancelled = cancel(_running())
        if cancelled:
            tell(f"Cancelled because the program ended with {type(error).__name__}: {names_of(cancelled)}")
    else:
        try:
            wait_for(_running)
        except KeyboardInterrupt:
            _program.exit_code = INTERRUPTED
    report(_failed())


def _at_exit() -> None:
    _finish_jobs()  # jobs that the program's threads have started since
    if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt) and not _is_interactive():
        _remember_ctrl_c()
    code = _program.exit_code
    if code == 0 or _is_interactive() or getattr(sys, "last_value", None) is not None:  # the exit code already reports a failure
        return
    # Python has no other way to change the exit code of a program that has ended.
    atexit.unregister(_at_exit)
    with suppress(BaseException):
        atexit._run_exitfuncs()
    _flush_files()
    os._exit(code)


def _remember_ctrl_c() -> None:
    """Makes the interpreter end by SIGINT, as after each uncaught KeyboardInterrupt.

    It decides that when code is run from text, so text that a job's thread has run since (many imports do) made it end with status 1.
    """
    with suppress(KeyboardInterrupt):
        exec("raise KeyboardInterrupt")


def _flush_files() -> None:
    """Flushes the program's open files, as the end of the interpreter would."""
    for stream in (sys.stdout, sys.stderr, *gc.get_objects()):
        if isinstance(stream, io.TextIOWrapper | io.BufferedWriter | io.BufferedRandom):
            with suppress(Exception):
                stream.flush()
