"""Epochs in the memory of workers: most end with nothing on disk, and one after each interval is a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_runtime.streaming.job.attempts import Attempt
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.share_epochs.epoch_loop import InsertEpochLoop, Outcome, QueryEpochLoop
from table_runtime.streaming.share_epochs.job_spec import JobSpec
from table_runtime.streaming.share_epochs.metrics import StreamMetrics
from table_runtime.streaming.share_epochs.task_engine import SplitReads
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.workers.worker_tasks import WorkerTasks


class MemoryQueryLoop(QueryEpochLoop):
    """The epochs of a query, or of INSERTs whose inputs end: nothing is written."""

    @override
    def _forget(self, after: SharedJobState) -> None:
        pass


class MemoryInsertLoop(InsertEpochLoop):
    """The epochs of INSERTs with checkpoints. What epochs between two checkpoints write belongs to the later one, and has its number."""

    def __init__(
        self,
        stream: JobSpec,
        job: SharedJob,
        state: SharedJobState,
        positions: Sequence[Mapping[str, Any]],
        interval: float,
        now: int,
        metrics: StreamMetrics,
        engine: WorkerTasks,
        attempt: Attempt,
    ) -> None:
        super().__init__(stream, job, state, positions, interval, now, metrics, engine, attempt)
        self._workers = engine
        self._checkpoint_seconds = interval
        self._next_checkpoint = time.monotonic() + interval
        self._open: Epoch | None = None
        self._has_changes = False
        """Whether epochs since the last checkpoint had an effect."""
        self._is_last = False

    @override
    def execute(self) -> None:
        try:
            super().execute()
        except BaseException:
            if self._open is None or not self._open.may_be_decided:
                for sink in self._attempt.sinks:
                    sink.abort()
                    if self._open is not None:
                        sink.discard_staged(self._open.number)
            raise

    @property
    def _is_checkpoint_due(self) -> bool:
        return time.monotonic() >= self._next_checkpoint and (self._has_changes or self._commits_empty_epochs)

    @override
    def _is_due(self, now: int) -> bool:
        due = self._state.next_due
        return (due is not None and due <= now) or self._moves_time() or self._is_checkpoint_due

    @override
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        if self._open is None:
            self._open, _ = super()._begin_epoch()
        assert self._open is not None
        return self._open, self._open.number

    @override
    def _run_job(self, state: SharedJobState, number: int, reads: SplitReads) -> Outcome:
        ends = all(source.has_ended for source in state.sources)
        self._workers.saves = self._is_last or ends or self._is_checkpoint_due or self._is_asked()
        return super()._run_job(state, number, reads)

    @override
    def _complete(self, epoch: Epoch | None, outcome: Outcome, after: SharedJobState, began: float, *, is_last: bool) -> None:
        if self._workers.saves:
            super()._complete(epoch, outcome, after, began, is_last=is_last)
            self._open, self._has_changes = None, False
            self._next_checkpoint = time.monotonic() + self._checkpoint_seconds
            return
        assert epoch is not None
        self._has_changes = True
        self._stream.write(self._stream.net(outcome.results), lambda output, batch: self._attempt.sinks[output].write(batch, epoch.number))

    @property
    @override
    def _is_kept(self) -> bool:
        return self._workers.saves

    @override
    def _finish(self, *, drains: bool) -> None:
        self._is_last = True
        if drains or self._has_changes or self._is_asked(is_last=True):
            self._epoch([{} for _ in self.sources], is_last=True, drains=drains)
