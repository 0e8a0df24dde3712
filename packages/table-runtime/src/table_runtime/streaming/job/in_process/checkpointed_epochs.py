"""Epochs that outlive the process: state files, a manifest whose creation decides, and then the commit of the sinks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import replace
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.graph.state_copy import CopiedState, StateCopy
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore, Files
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.job.in_process.epochs import EndWithOffsets, Epochs, RunningLoop
from table_runtime.streaming.job.in_process.writer import WriterThread
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.options import CheckpointSettings
from table_runtime.streaming.job.savepoints import SavepointRequest
from table_runtime.streaming.job.sink_epochs import SinkEpochs

_RETRY_SECONDS = 1.0
"""The pause before an epoch that was asked for and failed is tried again, unless the interval is shorter: at once, one request would use up all failures that are tolerated."""

_RANGE_SECONDS = 0.01
"""How long an epoch waits at a time for the end of a range that no other run can read again."""


class CheckpointedEpochs(Epochs):
    """Says when the epochs of a run end.

    On the graph thread an epoch's state is copied; on the writer's thread it is written, the sinks are prepared, the epoch is decided, and the sinks commit. An epoch
    without rows is left out.
    """

    def __init__(
        self,
        settings: CheckpointSettings,
        writer: WriterThread,
        sinks: Sequence[SinkEpochs],
        checkpoints: CheckpointStore,
        requests: JobRequests,
        compaction: Compaction,
        committed: Callable[[Manifest], None],
    ) -> None:
        """``committed`` is called on the writer's thread with each manifest whose epoch is committed."""
        super().__init__(settings.interval)
        self._settings = settings
        self._writer = writer
        self._sinks = sinks
        self._checkpoints = checkpoints
        self._requests = requests
        self._compaction = compaction
        self._committed = committed
        self.longest_stop = 0.0
        """For how many seconds the graph stood still at most."""
        self._copy: StateCopy | None = None
        """The state of the epoch that ends, while it is copied between pushes."""
        self._due_after = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._is_last = False
        """Whether no epoch follows: rows that it does not commit would be lost for a job that has finished."""
        self._needs_whole = not checkpoints.can_write_changes
        self._began = 0.0
        self._positions: Sequence[Mapping[str, Any]] | None = None

    @property
    @override
    def is_due(self) -> bool:
        return super().is_due or (not self._writer.ending_epochs and time.monotonic() >= self._retry_at and bool(self._requests.pending()))

    @property
    @override
    def is_copying(self) -> bool:
        return self._copy is not None

    @override
    def _end(self, loop: RunningLoop) -> None:
        if self._writer.ending_epochs:
            if time.monotonic() - self._began > self._settings.timeout:
                raise TableRuntimeException(
                    f"The checkpoint {self._checkpoints.next_epoch - 1} of the job '{self._checkpoints.folder.job}' was not complete after {self._settings.timeout:g} s.",
                    hint="A sink or the checkpoint folder is slow. 'execution.checkpointing.timeout' is the limit.",
                )
            return
        if self._copy is None:
            if any(source.must_finish_range for source in loop.inputs):
                self._next = time.monotonic() + _RANGE_SECONDS
                return
            if self._can_skip([source.position for source in loop.inputs]):
                return
            self._due_after = self._next
        began = time.monotonic()
        self._copy = self._copy or loop.run.copy_state(changes_only=not self._needs_whole)
        if not self._copy.step():
            self._next = 0.0  # continues after the next push
            self.longest_stop = max(self.longest_stop, time.monotonic() - began)
            return
        self._next = max(self._due_after, time.monotonic())
        self._snapshot(loop, began)

    def _can_skip(self, positions: Sequence[Mapping[str, Any]]) -> bool:
        """Whether nothing has happened in the epoch."""
        needs_none = not self._asked() and not any(sink.commits_empty_epochs for sink in self._sinks)
        return needs_none and not self.rows and not self._writer.has_rows and positions == self._positions

    def _asked(self) -> Sequence[SavepointRequest]:
        """Returns the savepoints that the epoch that ends now is to give."""
        return self._requests.pending(is_last=self._is_last)

    def _snapshot(self, loop: RunningLoop, began: float) -> None:
        """Ends the epoch; the graph stands still since ``began``."""
        self._began = began
        copy, self._copy = self._copy or loop.run.copy_state(changes_only=not self._needs_whole), None
        copied, watermarks = copy.finish(), loop.run.watermarks()
        self._needs_whole = False
        stopped = time.monotonic() - began
        epoch = Epoch.next_of(self._checkpoints, self._sinks)
        end = _End(self, epoch, loop, copied, self._asked())
        end.checkpoint = Checkpoint(end.positions, watermarks, self._counters(loop), loop.processing_time, {}, began)
        self._positions = end.positions
        self._writer.has_rows = False
        logging.getLogger("table.job").debug("checkpoint %s: the graph stopped for %.1f ms", epoch.number, 1000 * stopped)
        self.longest_stop = max(self.longest_stop, stopped)
        self._writer.end_epoch(end)

    def _counters(self, loop: RunningLoop) -> Mapping[str, Mapping[str, int]]:
        layout = self._checkpoints.layout
        sources = (source.metrics.counters() for source in loop.inputs)
        return {**dict(zip(layout.sources, sources, strict=True)), **dict(zip(layout.operators, loop.run.counters(), strict=True))}

    @override
    def finish(self, loop: RunningLoop) -> None:
        while self._writer.ending_epochs:  # however long it takes: if it fails, the last epoch has its changes
            loop.wait(0.01)
        positions = [source.position for source in loop.inputs]
        self._is_last = True
        if self._copy is not None or not self._can_skip(positions):
            self._snapshot(loop, time.monotonic())
        self._writer.finish()

    # --- on the writer's thread --------------------------------------------------------------------------------------------------

    def write_state(self, epoch: Epoch, copied: Sequence[CopiedState]) -> Mapping[str, Files] | None:
        """Writes the state of an epoch that ends; if that fails and the failure is tolerated, gives the epoch back and returns None."""
        try:
            files = self._checkpoints.write_state(epoch.number, copied, self._compaction.replaced)
        except TableRuntimeException as error:
            self._failures += 1
            if self._failures > self._settings.tolerable_failures or self._is_last:
                raise
            job = self._checkpoints.folder.job
            logging.getLogger("table.job").warning("Checkpoint %s of job %s failed: %s", epoch.number, job, error)
            self._retry_at = time.monotonic() + min(self._interval, _RETRY_SECONDS)
            self._needs_whole = True
            self._positions = None
            epoch.give_back()
            return None
        self._failures = 0
        reached("state written", epoch.number)
        return files

    def committed(self, manifest: Manifest, asked: Sequence[SavepointRequest]) -> None:
        """Follows the commit of an epoch that was to give savepoints."""
        self._committed(manifest)
        self._requests.answer(asked, manifest)
        self._next = max(self._next, time.monotonic() + self._settings.min_pause)
        self._checkpoints.retain()
        self._compaction.consider(manifest)


class _End(EndWithOffsets):
    """The end of an epoch whose state is ``copied``."""

    def __init__(
        self, epochs: CheckpointedEpochs, epoch: Epoch, loop: RunningLoop, copied: Sequence[CopiedState], asked: Sequence[SavepointRequest]
    ) -> None:
        super().__init__(epoch, loop)
        self._epochs = epochs
        self._copied = copied
        self._asked = asked

    @override
    def begin(self) -> bool:
        files = self._epochs.write_state(self.epoch, self._copied)
        if files is None or self.checkpoint is None:
            return False
        self.checkpoint = replace(self.checkpoint, files=files)
        return True

    @override
    def committed(self) -> None:
        super().committed()
        self._epochs.committed(self.epoch.manifest, self._asked)
