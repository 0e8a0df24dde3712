"""State shared by all operators of a run: cancellation, threads, progress listener, file snapshots, and pending commits."""

from __future__ import annotations

import threading
import time
import uuid
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from table_common.configuration import available_processors
from table_runtime.cancellation import CancellationToken
from table_runtime.run.job_metrics import JobMetrics
from table_runtime.run.memory.budget import MemoryBudget, memory_in_use

if TYPE_CHECKING:
    from table_common.exceptions import TableRuntimeException
    from table_runtime.files import FileChanges, Snapshots
    from table_runtime.run.memory.account import Account, MemoryShares
    from table_runtime.run.memory.watch import MemoryWatch
    from table_runtime.run.spill_files import SpillFile
    from table_runtime.run.spill_files.files import SpillFiles, Spilling
    from table_runtime.run.threads import Task, WorkerThreads

_WATCH_SECONDS = 0.05
"""Seconds after the start of a job at which memory monitoring begins."""
_SMALL = 16 << 20
"""Requests for fewer bytes are not checked individually."""

_AMPLE = 4 << 30
"""With a budget of this many bytes or more, operators use their fastest buffer sizes."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class Commit(NamedTuple):
    """The two possible ends of one sink's write."""

    commit: Callable[[], None]
    abort: Callable[[], None]


class SpillOptions(NamedTuple):
    """The folder of spill files (None: that of the system for temporary files), and whether they are compressed."""

    folder: str | None = None
    compress: bool = True


class ExecutionContext:
    """One run of operator trees. A run that writes calls ``commit`` when all its trees have ended; ``close`` discards uncommitted writes.

    ``parallelism`` is the number of threads that compute at once (1: only the caller's). ``memory`` is the number of bytes that the process
    may use (None: a share of the machine's memory). If the process exceeds it, the run is cancelled and another thread calls ``fail``.
    ``spill`` says where and how operators write rows that exceed their share of it.
    """

    def __init__(
        self,
        *,
        job_id: str | None = None,
        parallelism: int | None = None,
        token: CancellationToken | None = None,
        progress: Callable[[str, float | None], None] | None = None,
        memory: int | None = None,
        fail: Callable[[TableRuntimeException], None] | None = None,
        metrics: JobMetrics | None = None,
        spill: SpillOptions | None = None,
    ) -> None:
        self.job_id = job_id if job_id is not None else uuid.uuid4().hex
        self.parallelism = parallelism if parallelism is not None else available_processors()
        self.token = token if token is not None else CancellationToken()
        self.metrics = metrics if metrics is not None else JobMetrics()
        self._progress = progress
        self._reported: tuple[str, float | None, str] = ("", None, "")
        self._memory_limit = memory
        self._memory: MemoryBudget | None = None
        self._used_at_start = memory_in_use()
        self._watch: MemoryWatch | None = None
        self._watch_at = time.monotonic() + _WATCH_SECONDS
        self._spill_options = spill if spill is not None else SpillOptions()
        self._shares: MemoryShares | None = None
        self._spill: SpillFiles | None = None
        self._fail = fail
        self._failure: TableRuntimeException | None = None
        self._lock = threading.Lock()
        self._watch_ended = False
        self._pool: WorkerThreads | None = None
        self._shared: dict[int, Any] = {}
        self._snapshots: Snapshots | None = None
        self._file_changes: FileChanges | None = None
        self._writes = 0
        self._commits: list[Commit] = []

    def check(self) -> None:
        """Raises ``JobCancelledException`` if the job was cancelled, ``TableRuntimeException`` if it has exceeded its memory."""
        if self._watch is not None:
            self._watch.look()
        elif time.monotonic() >= self._watch_at:
            self.watch_memory()
        if self._failure is not None:
            raise self._failure
        self.token.check()

    def watch_memory(self) -> None:
        """Starts a thread that monitors the memory in use and cancels the run if the budget is exceeded."""
        with self._lock:
            if self._watch is not None or self._watch_ended:
                return
            from table_runtime.run.memory.watch import MemoryWatch

            reference = weakref.ref(self)

            def stop(error: TableRuntimeException) -> None:
                context = reference()
                if context is not None:
                    context._stop(error)

            self._watch = MemoryWatch(self._budget(), self._used_at_start, stop)
        weakref.finalize(self, self._watch.end)

    def _stop(self, error: TableRuntimeException) -> None:
        with self._lock:
            if self._watch_ended:
                return
            self._failure = error
        if self._fail is not None:
            self._fail(error)
        self.token.cancel()

    def _end_watch(self) -> None:
        with self._lock:
            self._watch_ended = True
            if self._watch is not None:
                self._watch.end()

    def require_memory(self, size: int) -> None:
        """Raises ``TableRuntimeException`` if ``size`` more bytes would exceed the memory budget."""
        if 0 < size < _SMALL:
            return
        self._budget().check(size)

    def account(self, name: str, parts: int = 1) -> Account:
        """Returns the account of an operator that holds rows: its share of the memory budget, or that of one of its ``parts``.

        ``name`` is used in messages.
        """
        from table_runtime.run.memory.account import Account, MemoryShares

        with self._lock:
            if self._shares is None:
                self._shares = MemoryShares(self._budget(), self._used_at_start)
        return Account(self._shares, name, parts)

    def spill_file(self, operator: Spilling) -> SpillFile:
        """Returns a new file for the rows of an operator; it is removed when it is closed, at the end of the run at the latest.

        The operator's metric in ``metrics`` counts the bytes that are written.

        Raises:
            TableRuntimeException: the file cannot be created.
        """
        with self._lock:
            if self._spill is None:
                from table_runtime.run.spill_files.files import SpillFiles

                self._spill = SpillFiles(self._spill_options.folder, self.metrics, compress=self._spill_options.compress)
            return self._spill.new(operator)

    def spilled_bytes(self, operator: Spilling | None = None) -> int:
        """Returns the bytes that an operator of the plan, or all of them, have written to files because they exceeded the memory."""
        return self._spill.spilled(operator) if self._spill is not None else 0

    @property
    def is_ample(self) -> bool:
        """Whether the memory budget is so large that operators use their fastest buffer sizes."""
        return self._budget().limit >= _AMPLE

    def scaled(self, size: int) -> int:
        """Returns the buffer size (rows or bytes) for this run's memory budget: ``size`` with ample memory, less with a smaller budget."""
        return size * min(self._budget().limit, _AMPLE) // _AMPLE

    def _budget(self) -> MemoryBudget:
        if self._memory is None:
            from table_common.configuration import available_memory, memory_budget

            self._memory = MemoryBudget(memory_budget() if self._memory_limit is None else self._memory_limit)
            if self._used_at_start < self._memory.limit:
                self._memory.allow_margin(available_memory())
        return self._memory

    @property
    def is_watched(self) -> bool:
        """Whether there is a listener to progress."""
        return self._progress is not None

    def report(self, text: str, share: float | None = None) -> None:
        """Reports the current activity and its progress from 0 to 1 (None if unknown) to the listener, if there is one.

        The text is followed by what operators have dropped or ignored so far.
        """
        if self._progress is not None:
            self._reported = text, share, self.metrics.summary()
            self._progress("; ".join(filter(None, (text, self._reported[2]))), share)

    def report_losses(self) -> None:
        """Reports the last activity again if operators have dropped or ignored more since."""
        if self._progress is not None and self.metrics.summary() != self._reported[2]:
            self.report(*self._reported[:2])

    def log_warnings(self) -> None:
        """Logs what operators have dropped or ignored, at the end of a run."""
        warnings = self.metrics.warnings()
        if warnings:
            import logging  # few runs have something to log

            for text in warnings:
                logging.getLogger("table.job").warning("%s", text)

    def submit(self, function: Callable[[_T], _R], item: _T) -> Task[_R]:
        """Computes ``function(item)`` on a worker thread of this run; the threads are created at first use."""
        from table_runtime.run.threads import Task

        threads = self._threads()
        return threads.start(Task(partial(function, item), self.token, threads.run_next))

    def _threads(self) -> WorkerThreads:
        with self._lock:
            if self._pool is None:
                from table_runtime.run.threads import WorkerThreads

                self._pool = WorkerThreads(max(1, self.parallelism - 1), f"table-{self.job_id[:8]}")
            return self._pool

    def shared(self, key: int, make: Callable[[], Any]) -> Any:
        """Returns the state that all consumers of an operator share in this run."""
        with self._lock:
            if key not in self._shared:
                self._shared[key] = make()
            return self._shared[key]

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots of file tables that this run reads; their files are not deleted before the run commits or is closed."""
        with self._lock:
            if self._snapshots is None:
                from table_runtime.files import Snapshots

                self._snapshots = Snapshots()
            return self._snapshots

    @property
    def file_changes(self) -> FileChanges:
        """The changes to file tables that this run commits."""
        with self._lock:
            if self._file_changes is None:
                from table_runtime.files import FileChanges

                changes = self._file_changes = FileChanges(self.job_id)
                self._commits.append(Commit(lambda: changes.commit(self._snapshots), changes.abort))
            return self._file_changes

    def new_write(self) -> str:
        """Returns a name for the write of one sink: unique within the job, and the same when the job is run again."""
        with self._lock:
            self._writes += 1
            return f"{self.job_id}-{self._writes - 1}"

    def at_commit(self, commit: Callable[[], None], abort: Callable[[], None]) -> None:
        """Registers ``commit``, called when all sinks of this run have written their rows, and ``abort``, called if one of them fails."""
        with self._lock:
            self._commits.append(Commit(commit, abort))

    def commit(self) -> None:
        """Commits the writes of this run's sinks, one after the other. If a commit fails, the later ones are not committed."""
        self._end_watch()  # a write that is published from here on must not be reported as failed
        self.check()
        if self._snapshots is not None:
            self._snapshots.close()
        while self._commits:
            commit = self._commits[0]
            commit.commit()
            del self._commits[0]

    def close(self) -> None:
        """Aborts uncommitted writes, releases snapshots, and stops the worker threads after their current tasks."""
        self._end_watch()
        with self._lock:
            pool, self._pool = self._pool, None
            self._shared.clear()
        while self._commits:
            with suppress(Exception):  # the original failure is the one to report
                self._commits.pop().abort()
        if self._snapshots is not None:
            self._snapshots.close()
        if pool is not None:
            pool.close()
        if self._spill is not None:
            self._spill.close()
