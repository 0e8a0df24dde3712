"""Epochs that outlive the process: state files, a manifest whose creation decides, and then the commit of the sinks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles, SinkMessages
from table_runtime.streaming.checkpoints.state_files import StateFile, write_state
from table_runtime.streaming.graph.state_copy import CopiedState, StateCopy
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.job.in_process.epochs import Epochs, RunningLoop
from table_runtime.streaming.job.in_process.writer import EndOfEpoch, WriterThread
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.options import CheckpointSettings
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.job.sink_epochs import SinkEpochs

__all__ = ["CheckpointedEpochs"]

_RETRY_SECONDS = 1.0
"""The pause before an epoch that was asked for and failed is tried again, unless the interval is shorter: at once, one request would use up all failures that are tolerated."""


class CheckpointedEpochs(Epochs):
    """The epochs of a run.

    On the graph thread an epoch's state is copied; on the writer's thread it is written, the sinks are prepared, the manifest is created, and the sinks commit. An epoch
    without rows is left out.
    """

    def __init__(
        self,
        settings: CheckpointSettings,
        writer: WriterThread,
        sinks: Sequence[SinkEpochs],
        folder: JobFolder,
        lock: JobLock,
        layout: JobLayout,
        run: str,
        restore_point: RestorePoint,
        compaction: Compaction,
        decided: Callable[[Manifest], None],
    ) -> None:
        """``decided`` is called on the writer's thread with each manifest that stands."""
        super().__init__(settings.interval)
        self._settings = settings
        self._writer = writer
        self._sinks = sinks
        self._folder = folder
        self._lock = lock
        self._layout = layout
        self._run = run
        self._epoch = restore_point.epoch
        before = restore_point.manifest if restore_point.can_name_files else None
        self._files: dict[str, tuple[StateFile, ...]] = (
            {name: before.states[name].files for name in layout.operators if name in before.states} if before is not None else {}
        )
        self._written = {file.path for epoch in folder.epochs() for file in folder.manifest(epoch).files()}
        self._compaction = compaction
        self._decided = decided
        self.longest_stop = 0.0
        """For how many seconds the graph stood still at most."""
        self._copy: StateCopy | None = None
        """The state of the epoch that ends, while it is copied between pushes."""
        self._due_after = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._is_last = False
        """Whether no epoch follows: rows that it does not commit would be lost for a job that has finished."""
        self._needs_whole = before is None
        self._began = 0.0
        self._requests: list[Callable[[Manifest], None]] = []
        self._last_requests: list[Callable[[Manifest], None]] = []
        self._positions: Sequence[Mapping[str, Any]] | None = None

    @property
    @override
    def is_due(self) -> bool:
        return super().is_due or (bool(self._requests) and not self._writer.ending_epochs and time.monotonic() >= self._retry_at)

    @property
    @override
    def is_copying(self) -> bool:
        return self._copy is not None

    @override
    def _end(self, loop: RunningLoop) -> None:
        if self._writer.ending_epochs:
            if time.monotonic() - self._began > self._settings.timeout:
                raise TableRuntimeException(
                    f"The checkpoint {self._epoch - 1} of the job '{self._folder.job}' was not complete after {self._settings.timeout:g} s.",
                    hint="A sink or the checkpoint folder is slow. 'execution.checkpointing.timeout' is the limit.",
                )
            return
        if self._copy is None:
            if self._can_skip([source.position for source in loop.inputs]):
                return
            self._due_after = self._next
        began = time.monotonic()
        self._copy = self._copy or loop.run.copy_state(changes_only=not self._needs_whole)
        if not self._copy.step():
            self._next = 0.0  # goes on after the next push
            self.longest_stop = max(self.longest_stop, time.monotonic() - began)
            return
        self._next = max(self._due_after, time.monotonic())
        self._snapshot(loop, began)

    def _can_skip(self, positions: Sequence[Mapping[str, Any]]) -> bool:
        """Whether nothing has happened in the epoch."""
        needs_none = not self._requests and not any(sink.commits_empty_epochs for sink in self._sinks)
        return needs_none and not self.rows and not self._writer.has_rows and positions == self._positions

    def request(self, done: Callable[[Manifest], None], *, is_last: bool = False) -> None:
        """Ends the epoch as soon as possible, or with ``is_last`` the last one; calls ``done`` on the writer's thread with its manifest. From any thread."""
        if is_last:
            self._last_requests.append(done)
        else:
            self._requests.append(done)

    def _snapshot(self, loop: RunningLoop, began: float) -> None:
        """Ends the epoch; the graph stands still since ``began``."""
        self._began = began
        copy, self._copy = self._copy or loop.run.copy_state(changes_only=not self._needs_whole), None
        copied, watermarks = copy.finish(), loop.run.watermarks()
        self._needs_whole = False
        stopped = time.monotonic() - began
        epoch, requests = self._epoch, list(self._requests)
        del self._requests[: len(requests)]  # other threads add to the list meanwhile
        self._epoch += 1
        positions = [source.position for source in loop.inputs]
        counters = self._counters(loop)
        self._positions = positions
        self._writer.has_rows = False
        now = loop.processing_time
        written: dict[str, tuple[StateFile, ...]] = {}
        manifest: list[Manifest] = []

        def begin() -> bool:
            try:
                self._lock.check()
                written.update(self._write(epoch, copied))
            except TableRuntimeException as error:
                self._failures += 1
                if self._failures > self._settings.tolerable_failures or self._is_last:
                    raise
                logging.getLogger("table.job").warning("Checkpoint %s of job %s failed: %s", epoch, self._folder.job, error)
                self._retry_at = time.monotonic() + min(self._interval, _RETRY_SECONDS)
                self._needs_whole = True
                self._epoch = epoch
                self._requests[:0] = requests
                self._positions = None
                return False
            self._failures = 0
            reached("state written", epoch)
            return True

        def decide(messages: Sequence[Sequence[Any]]) -> None:
            manifest.append(self._manifest(epoch, positions, watermarks, counters, written, messages, now, began))
            self._lock.check()
            self._folder.decide(manifest[0])
            self._files = written

        def committed() -> None:
            self._folder.set_done(epoch)
            reached("done", epoch)
            for source, position in zip(loop.inputs, positions, strict=True):
                if "offset" in position:
                    source.reader.commit(position["offset"])
            self._decided(manifest[0])
            for request in requests:
                request(manifest[0])
            self._next = max(self._next, time.monotonic() + self._settings.min_pause)
            self._written.update(file.path for file in manifest[0].files())
            self._written = self._folder.retain(self._settings.retained, self._written)
            self._compaction.consider(manifest[0])

        logging.getLogger("table.job").debug("checkpoint %s: the graph stopped for %.1f ms", epoch, 1000 * stopped)
        self.longest_stop = max(self.longest_stop, stopped)
        self._writer.end_epoch(EndOfEpoch(epoch, loop.run.output_watermarks(), begin, decide, committed))

    def _counters(self, loop: RunningLoop) -> Mapping[str, Mapping[str, int]]:
        sources = (source.metrics.counters() for source in loop.inputs)
        return {
            **dict(zip(self._layout.sources, sources, strict=True)),
            **dict(zip(self._layout.operators, loop.run.counters(), strict=True)),
        }

    def _write(self, epoch: int, copied: Sequence[CopiedState]) -> dict[str, tuple[StateFile, ...]]:
        result: dict[str, tuple[StateFile, ...]] = {}
        for name, state in zip(self._layout.operators, copied, strict=True):
            files = self._compaction.replaced(name, self._files.get(name, ()))
            for number, snapshot in enumerate(state.snapshots()):
                if snapshot.is_whole:
                    files = ()
                if snapshot.buckets:
                    kind = "base" if snapshot.is_whole else f"delta{number or ''}"
                    path = self._folder.state_path(name, epoch, self._run, kind)
                    files = (write_state(self._folder.store, path, snapshot), *files)
            result[name] = files
        return result

    def _manifest(
        self,
        epoch: int,
        positions: Sequence[Mapping[str, Any]],
        watermarks: Sequence[tuple[int, ...]],
        counters: Mapping[str, Mapping[str, int]],
        files: Mapping[str, tuple[StateFile, ...]],
        messages: Sequence[Sequence[Any]],
        now: int,
        began: float,
    ) -> Manifest:
        sinks = {
            name: SinkMessages(sink.take_rows(), tuple(prepared))
            for name, sink, prepared in zip(self._layout.sinks, self._sinks, messages, strict=True)
        }
        signatures = self._layout.signatures
        return Manifest(
            self._folder.job,
            epoch,
            self._run,
            int(time.time() * 1000),
            now,
            dict(zip(self._layout.sources, positions, strict=True)),
            {
                name: OperatorFiles(files[name], marks, signatures.get(name), str(node.operator), self._layout.operator_ids.get(name))
                for name, node, marks in zip(self._layout.operators, self._layout.nodes, watermarks, strict=True)
            },
            sinks,
            counters,
            int(1000 * (time.monotonic() - began)),
            self._layout.scans,
        )

    @override
    def finish(self, loop: RunningLoop) -> None:
        while self._writer.ending_epochs:  # however long it takes: if it fails, the last epoch has its changes
            loop.wait(0.01)
        self._requests += self._last_requests
        positions = [source.position for source in loop.inputs]
        self._is_last = True
        if self._copy is not None or not self._can_skip(positions):
            self._snapshot(loop, time.monotonic())
        self._writer.finish()
