"""The worker processes of a job: how they start, answer and end."""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.workers.messages import Failed, Surroundings, raised
from table_runtime.streaming.workers.outboxes import Outboxes

_PROGRAM = """import sys
sys.path[:] = {path!r}
from table_runtime.streaming.workers.share_worker import main
main({descriptor}, {number}, {files!r})
"""
_LOOK_SECONDS = 0.05
"""How often a client that waits for workers looks whether the job was cancelled."""
_END_SECONDS = 5.0


class WorkerLost(ChildProcessError):
    """A worker process has ended: a job with checkpoints is restarted."""


class WorkerGroup:
    """Some processes that run jobs together, one after another; used by one thread at a time."""

    def __init__(self, count: int) -> None:
        """Starts ``count`` processes, which need some time until they answer.

        Raises:
            TableRuntimeException: the system starts no process.
        """
        self.count = count
        self.outboxes = Outboxes.create(count)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._connections: list[Connection] = []
        try:
            for number in range(count):
                self._start(number)
        except OSError as error:
            self.kill()
            raise TableRuntimeException(f"A worker process does not start: {error}") from error

    def _start(self, number: int) -> None:
        own, other = socket.socketpair()
        with own, other:
            files = self.outboxes.files
            inherited = [other.fileno(), *(file for pair in files for file in pair)]
            program = _PROGRAM.format(path=sys.path, descriptor=other.fileno(), number=number, files=[list(pair) for pair in files])
            self._processes.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.DEVNULL, pass_fds=inherited))
            self._connections.append(Connection(own.detach()))

    @property
    def pids(self) -> Sequence[int]:
        """The process ids."""
        return [process.pid for process in self._processes]

    def send(self, number: int, message: object) -> None:
        """Sends a message to a worker.

        Raises:
            TableRuntimeException: it has ended.
        """
        self.send_bytes(number, pickle.dumps(message, protocol=5))

    def send_bytes(self, number: int, content: bytes) -> None:
        """Sends a pickled message to a worker.

        Raises:
            TableRuntimeException: it has ended.
        """
        try:
            self._connections[number].send_bytes(content)
        except OSError as error:
            raise self._lost(number) from WorkerLost(str(error))

    def end_job(self) -> bool:
        """Tells the workers that their job has ended; returns whether all of them wait for another one."""
        try:
            for number in range(self.count):
                self.send(number, None)
        except TableRuntimeException:  # a worker has ended: the job needs it no more
            return False
        return True

    def answers(self, check: Callable[[], None]) -> list[Any]:
        """Returns the answers of all workers; calls ``check`` while it waits.

        Raises:
            TableError: a worker has failed or ended, or ``check`` has raised it.
        """
        waiting = set(range(self.count))
        found: list[tuple[int, Any]] = []
        while waiting:
            found += self._answered(waiting, check)
            waiting.difference_update(number for number, _ in found)
        return [answer for _, answer in sorted(found, key=lambda each: each[0])]

    def answers_until(self, next_message: Callable[[int], bytes | None], check: Callable[[], None]) -> list[Any]:
        """Sends each worker its next message whenever it has answered, until there is none; returns all answers.

        Raises:
            TableError: a worker has failed or ended, or ``check`` has raised it.
        """
        waiting: set[int] = set()
        found: list[Any] = []
        ready = list(range(self.count))
        while ready or waiting:
            for number in ready:
                waiting.discard(number)
                if (message := next_message(number)) is not None:
                    self.send_bytes(number, message)
                    waiting.add(number)
            answered = self._answered(waiting, check) if waiting else []
            ready = [number for number, _ in answered]
            found += [answer for _, answer in answered]
        return found

    def _answered(self, waiting: Collection[int], check: Callable[[], None]) -> list[tuple[int, Any]]:
        """Waits for at least one answer of some workers."""
        by_connection = {id(self._connections[number]): number for number in waiting}
        found: list[tuple[int, Any]] = []
        while not found:
            check()
            for ready in wait([self._connections[number] for number in waiting], _LOOK_SECONDS):
                number = by_connection[id(ready)]
                try:
                    answer = pickle.loads(self._connections[number].recv_bytes())
                except (EOFError, OSError) as error:
                    raise self._lost(number) from WorkerLost(str(error) or "the connection was closed")
                if isinstance(answer, Failed):
                    raise raised(answer)
                found.append((number, answer))
        return found

    def check(self) -> None:
        """Looks whether all workers are there.

        Raises:
            TableRuntimeException: one has ended.
        """
        for number, process in enumerate(self._processes):
            if process.poll() is not None:
                raise self._lost(number) from WorkerLost("the process has ended")

    def _lost(self, number: int) -> TableRuntimeException:
        process = self._processes[number]
        with suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        code = process.returncode
        reason = f"was killed by {_signal_name(-code)}" if code is not None and code < 0 else f"has ended with status {code}"
        hint = "The system kills processes when its memory is used up: fewer workers, or smaller state, need less." if code == -9 else None
        return TableRuntimeException(f"The worker process {number} of the job (pid {process.pid}) {reason}.", hint=hint)

    def kill(self) -> None:
        """Ends the processes at once."""
        for process in self._processes:
            with suppress(OSError):
                process.kill()
        for connection in self._connections:
            with suppress(OSError):
                connection.close()
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
        self.outboxes.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_lock = threading.Lock()
_idle: dict[int, WorkerGroup] = {}
_users: set[int] = set()


def take_group(count: int) -> WorkerGroup:
    """Returns a group of workers that nobody uses: the start of Python and its modules takes half a second.

    Raises:
        TableRuntimeException: the system starts no process.
    """
    with _lock:
        group = _idle.pop(count, None)
    if group is not None:
        try:
            for number in range(count):
                group.send(number, Surroundings.current())
        except TableRuntimeException:  # they were killed meanwhile
            group.kill()
        else:
            return group
    return WorkerGroup(count)


def keep_group(group: WorkerGroup) -> None:
    """Keeps a group whose job has ended for the next one."""
    group.outboxes.clear()
    with _lock:
        if group.count not in _idle:
            _idle[group.count] = group
            return
    group.kill()


class GroupUser:
    """Somebody whose jobs may need workers again: the groups that no job uses end with the last one."""

    def __init__(self) -> None:
        with _lock:
            _users.add(id(self))

    def close(self) -> None:
        """Ends the use."""
        with _lock:
            _users.discard(id(self))
            is_used = bool(_users)
        if not is_used:
            end_idle_groups()


def end_idle_groups() -> None:
    """Ends the processes that no job uses."""
    with _lock:
        groups = list(_idle.values())
        _idle.clear()
    for group in groups:
        group.kill()


atexit.register(end_idle_groups)


def _forget_after_fork() -> None:
    """The processes are those of the parent."""
    _idle.clear()
    _users.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
