"""The attempts of a job with checkpoints: each begins after the last epoch of the one before."""

from __future__ import annotations

import logging
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from table_common.exceptions import JobCancelledException
from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.job.checkpoint_store import CheckpointStore
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.recovery import RecoveryMode, RestorePoint, find_restore_point
from table_runtime.streaming.job.restarts import Restarts, is_lasting
from table_runtime.streaming.job.sink_epochs import SinkEpochs

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: where it begins, and what takes its epochs."""

    restore_point: RestorePoint
    checkpoints: CheckpointStore
    sinks: Sequence[SinkEpochs]
    committed: Callable[[Manifest], None]
    """To be called with the manifest of each epoch that is committed."""

    @property
    def begins_anew(self) -> bool:
        """Whether there is no checkpoint after which it continues."""
        return self.restore_point.manifest is None


class AttemptDriver(ABC):
    """Runs attempts on an engine."""

    @abstractmethod
    def create_sink(self, number: int, job_id: str) -> SinkEpochs:
        """Returns the sink of an output; ``job_id`` is the id of the job in its folder."""

    @abstractmethod
    def run(self, attempt: Attempt) -> None:
        """Runs an attempt until its last epoch is committed.

        Raises:
            TableError: it has failed.
        """

    @abstractmethod
    def restarting(self) -> None:
        """Called when an attempt has failed and the job waits for the next one."""

    @property
    @abstractmethod
    def is_writing(self) -> bool:
        """Whether the last attempt may still write to a sink: it has failed, but a call of the sink has not returned."""

    @abstractmethod
    def when_written(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` when the last attempt writes no more."""


class Attempts:
    """Opens the folder of a job, takes its lock, and runs attempts until one succeeds, or the restart strategy gives up."""

    def __init__(
        self,
        job: str,
        engine: str,
        layout: JobLayout,
        checkpointing: Checkpointing,
        restarts: Restarts,
        requests: JobRequests,
        context: ExecutionContext,
    ) -> None:
        self.rows = [0] * len(layout.sinks)
        """How many rows each sink has got in epochs that were decided."""
        self._job = job
        self._engine = engine
        self._layout = layout
        self._checkpointing = checkpointing
        self._restarts = restarts
        self._requests = requests
        self._context = context
        self._last_counted = -1
        self._begun: Mapping[str, Mapping[str, Any]] = {}
        """Where the sources of the last attempt began."""

    def run(self, driver: AttemptDriver, directory: str) -> None:
        """Runs the job with the checkpoints in its folder below ``directory``.

        Raises:
            TableError: the last attempt has failed, or the folder cannot be used.
            JobCancelledException: the job was cancelled.
        """
        run = uuid.uuid4().hex[:8]
        folder, lock = self._restarted(driver, partial(self._enter, directory, run), is_beginning=True)
        self._requests.folder = folder
        try:
            self._restarted(driver, lambda: driver.run(self._attempt(driver, folder, lock, f"{run}-{self._restarts.count}")))
        finally:
            driver.when_written(lock.release)  # no other process takes the job over while this one commits

    @property
    def _is_cancelled(self) -> bool:
        return self._context.token.is_cancelled

    def _enter(self, directory: str, run: str) -> tuple[JobFolder, JobLock]:
        """Opens the folder and takes the lock."""
        folder = JobFolder.open(directory, self._job, self._engine)
        is_over = lambda: self._requests.is_ending or self._is_cancelled  # noqa: E731
        return folder, JobLock.acquire(folder.store, self._job, run, self._context.check, is_over)

    def _attempt(self, driver: AttemptDriver, folder: JobFolder, lock: JobLock, run: str) -> Attempt:
        """Returns the attempt that resumes after the last epoch, which it commits again if that is not known to be done."""
        checkpointing, layout = self._checkpointing, self._layout
        last = folder.latest()
        is_restart = last is not None and last.run.partition("-")[0] == run.partition("-")[0]
        restore_point = find_restore_point(
            folder,
            RecoveryMode.RESUME if is_restart else checkpointing.mode,
            checkpointing.path,
            {name: partial(driver.create_sink, number, folder.job_id) for number, name in enumerate(layout.sinks)},
            layout,
            ignores_unclaimed=checkpointing.ignores_unclaimed,
        )
        if is_restart and last is not None:
            self._count(last)  # if it was decided and not committed by the attempt before, it is committed now
        self._begun = restore_point.manifest.sources if restore_point.manifest is not None else {}
        checkpoints = CheckpointStore(folder, lock, layout, run, restore_point, retained=checkpointing.settings.retained)
        sinks = [driver.create_sink(number, folder.job_id) for number in range(len(layout.sinks))]
        for sink in sinks:
            sink.discard_staged(restore_point.epoch)
        return Attempt(restore_point, checkpoints, sinks, self._committed)

    def _committed(self, manifest: Manifest) -> None:
        if manifest.sources != self._begun:  # the first epoch of an attempt may have no rows: that is no success
            self._restarts.succeeded()
        self._count(manifest)

    def _count(self, manifest: Manifest) -> None:
        """Counts the rows of an epoch once: the rows of an attempt that failed count only if they are in an epoch that was decided."""
        if manifest.epoch > self._last_counted:
            self._last_counted = manifest.epoch
            self.rows = [rows + manifest.sinks[name].rows for rows, name in zip(self.rows, self._layout.sinks, strict=True)]

    def _restarted(self, driver: AttemptDriver, act: Callable[[], R], *, is_beginning: bool = False) -> R:
        """Does something until it succeeds, as the restart strategy says. ``is_beginning``: an error that says how the folder is set up ends the job at once."""
        while True:
            try:
                return act()
            except BaseException as error:
                is_final = self._is_cancelled or self._requests.is_ending or (is_beginning and is_lasting(error))
                delay = None if is_final else self._restarts.delay_after(error)
                if delay is None:
                    raise
                self._await_restart(driver, error, delay)

    def _await_restart(self, driver: AttemptDriver, error: BaseException, delay: float) -> None:
        """Waits for the delay, and until the attempt that failed writes no more: the next one would commit its epoch at the same time.

        If the job is asked to end, the next attempt begins at once: it reads nothing, and ends the job after its last epoch.
        """
        text = str(error).splitlines()[0]
        logging.getLogger("table.job").warning("Job %s failed and is restarted in %.1f s: %s", self._job, delay, text)
        self._context.report(f"restarted in {delay:.1f} s: {text}")
        driver.restarting()
        deadline, is_late = time.monotonic() + delay, False
        while time.monotonic() < deadline or driver.is_writing:
            if not is_late and time.monotonic() >= deadline:
                is_late = True
                logging.getLogger("table.job").warning(
                    "Job %s: the restart waits for a sink that is still in a call of the failed attempt", self._job
                )
            is_writing = driver.is_writing
            if self._is_cancelled or (self._requests.is_ending and is_writing):
                raise JobCancelledException(f"Job {self._context.job_id} was ended before its restart.") from error
            if self._requests.is_ending:
                return
            time.sleep(min(0.05, max(delay, 0.001)))
