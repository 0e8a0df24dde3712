"""The lock of a job: one process runs it. A process that takes the lock over fences the one before off."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.files.owners import is_alive, this_process
from table_runtime.streaming.checkpoints.file_store import FileStore

HEARTBEAT_SECONDS = 1.0
"""How often an owner shows that it lives."""
STALE_SECONDS = 10.0
"""Without a heartbeat for so long, another process takes over."""
ENDING_SECONDS = 30.0
"""How long the next start waits for an owner that was cancelled or stopped, and is in a call of a sink."""
_FOLDER = "locks"


class LockLostException(TableException):
    """Another process runs the job now."""


class JobLock:
    """The file ``locks/<n>.json`` with the highest number says who owns the job; ``locks/<n>.heartbeat`` changes while it lives.

    A process takes the lock over by the creation of the next file, which only one can do. ``check`` is called before each decision.
    """

    def __init__(
        self, store: FileStore, number: int, owner: Mapping[str, Any], job: str, is_ending: Callable[[], bool] = lambda: False
    ) -> None:
        """``is_ending`` says whether the owner was asked to end: who wants the lock waits for it."""
        self._store = store
        self._number = number
        self._owner = owner
        self._job = job
        self._is_ending = is_ending
        self._ended = threading.Event()
        self._beats = 0
        self._thread = threading.Thread(target=self._beat, name=f"table-lock-{job}", daemon=True)
        self._thread.start()

    @classmethod
    def acquire(
        cls,
        store: FileStore,
        job: str,
        run: str,
        check: Callable[[], None] = lambda: None,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> JobLock:
        """Takes the lock; waits up to ``STALE_SECONDS`` for a sign of life of its owner, and up to ``ENDING_SECONDS`` for the end of one that was asked to end.

        ``check`` raises if the wait should end.

        Raises:
            TableException: another process runs the job.
        """
        while True:
            last = _last(store)
            if last is not None:
                number, owner = last
                if not owner.get("released") and owner.get("run") != run:  # this run may have failed after it had written its name
                    _await_death(store, number, owner, job, check)
            number = last[0] + 1 if last is not None else 0
            owner = {**this_process(), "run": run, "since": int(time.time() * 1000)}
            if store.create(_name(number), json.dumps(owner).encode()):
                with suppress(TableRuntimeException):  # the next owner deletes them
                    for old in store.names(_FOLDER):
                        if old.split(".")[0].isdigit() and int(old.split(".")[0]) < number - 1:
                            store.delete(f"{_FOLDER}/{old}")
                return cls(store, number, owner, job, is_ending)

    def check(self) -> None:
        """Raises an error if another process has taken the lock over.

        Raises:
            LockLostException: this process must not write any more.
        """
        last = _last(self._store)
        if last is None:
            raise LockLostException(
                f"The checkpoint folder '{self._store.url}' of the job '{self._job}' was emptied or removed while the job ran.",
                hint="Restore the folder before the job is started again; without it the job starts over.",
            )
        if last[0] > self._number:
            raise LockLostException(
                f"The job '{self._job}' is run by {describe_owner(last[1])} now: this process did not show that it lives for {STALE_SECONDS:g} s. It writes nothing more.",
                hint="Leave the job to that process; if this one is to run it, stop that one first.",
            )

    def release(self) -> None:
        """Gives the lock back, so that the next process need not wait."""
        self._ended.set()
        self._thread.join(HEARTBEAT_SECONDS)
        with suppress(TableRuntimeException, TableException):
            self.check()
            self._store.replace(_name(self._number), json.dumps({**self._owner, "released": True}).encode())

    def _beat(self) -> None:
        while True:
            self._beats += 1
            with suppress(TableRuntimeException):  # the next beat may succeed; otherwise another process takes over
                self._store.replace(
                    f"{_FOLDER}/{self._number}.heartbeat",
                    json.dumps(
                        {"beat": self._beats, "time": time.time(), "uptime": time.monotonic(), "ending": self._is_ending()}
                    ).encode(),
                )
            if self._ended.wait(HEARTBEAT_SECONDS):
                return


def owner_of(store: FileStore) -> tuple[Mapping[str, Any], bool] | None:
    """Returns the last owner of a job's lock, and whether it may still run; None if there was none."""
    last = _last(store)
    if last is None:
        return None
    number, owner = last
    beat = _heartbeat(store, number)
    lives = not owner.get("released") and is_alive(owner) and beat is not None and time.time() - beat.get("time", 0) < STALE_SECONDS
    return owner, lives


def _name(number: int) -> str:
    return f"{_FOLDER}/{number}.json"


def _last(store: FileStore) -> tuple[int, dict[str, Any]] | None:
    names = (name.removesuffix(".json") for name in store.names(_FOLDER) if name.endswith(".json"))
    numbers = [int(name) for name in names if name.isdigit()]
    if not numbers:
        return None
    number = max(numbers)
    try:
        owner = json.loads(store.read(_name(number)) or b"{}")
    except ValueError:
        owner = {}
    return number, owner


def _heartbeat(store: FileStore, number: int) -> dict[str, Any] | None:
    try:
        return json.loads(store.read(f"{_FOLDER}/{number}.heartbeat") or b"null")  # type: ignore[no-any-return]
    except ValueError:
        return None


def _await_death(store: FileStore, number: int, owner: Mapping[str, Any], job: str, check: Callable[[], None]) -> None:
    """Returns when the owner does not live; raises an error if it does. The heartbeat is compared with itself: clocks of machines differ."""
    if not is_alive(owner):
        return
    first = _heartbeat(store, number)
    is_here = owner.get("host") == this_process()["host"]
    # The machine's time since its start: unlike the clock it does not jump.
    if is_here and first is not None and time.monotonic() - first.get("uptime", time.monotonic()) >= STALE_SECONDS:
        return
    started = changed = time.monotonic()
    latest, beats = first, 0
    while time.monotonic() - changed < STALE_SECONDS:
        check()
        if not is_alive(owner):
            return
        beat = _heartbeat(store, number)
        last = _last(store)
        if last is not None and last[1].get("released"):
            return
        if last is not None and last[0] != number:
            raise _is_run(store, last[1], job)
        if beat != latest:
            latest, changed, beats = beat, time.monotonic(), beats + 1
            if beat is not None and beat.get("ending"):
                if changed - started > ENDING_SECONDS:
                    raise TableException(
                        f"The job '{job}' was asked to end in {describe_owner(owner)}, and has not ended for {ENDING_SECONDS:g} s: it is in a call of a sink or function.",
                        hint="Wait until the call returns, or end that process.",
                    )
            elif beats > 1:  # the first one may have been on its way when the owner was asked to end
                raise _is_run(store, owner, job)
        time.sleep(0.05)


def _is_run(store: FileStore, owner: Mapping[str, Any], job: str) -> TableException:
    return TableException(
        f"The job '{job}' is run by {describe_owner(owner)}, and a job runs once. Its checkpoint folder is '{store.url}'.",
        hint="Stop that process, or give this job another 'pipeline.name'.",
    )


def describe_owner(owner: Mapping[str, Any]) -> str:
    """Returns the owner of a lock in words."""
    return f"the process {owner.get('pid', '?')} on {owner.get('host', 'another machine')} (run {owner.get('run', '?')})"
