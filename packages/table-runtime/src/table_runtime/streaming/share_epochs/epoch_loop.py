"""The epochs of a streaming job in shares, in the client: each is planned, run by the engine, decided, and committed."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.job_folder import sweep_states
from table_runtime.streaming.checkpoints.manifest import SinkMessages
from table_runtime.streaming.checkpoints.state_files import StateFile, write_state
from table_runtime.streaming.graph.nodes_above import need_no_rows
from table_runtime.streaming.job.attempts import Attempt
from table_runtime.streaming.job.checkpoint_store import Checkpoint
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.share_epochs.epoch_source import PartsOfSplit, Reads
from table_runtime.streaming.share_epochs.job_spec import JobSpec
from table_runtime.streaming.share_epochs.metrics import StreamMetrics
from table_runtime.streaming.share_epochs.task_engine import SplitReads, TaskEngine
from table_runtime.streaming.shares.notes import Note, differing_attempts
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.source_task import SplitPlan
from table_runtime.streaming.shares.wire import Kind, changes_of
from table_runtime.streaming.time.clock import processing_time

_MOST_RUNS = 5
"""The maximum number of runs of an epoch whose tasks read different attempts of each other."""
_SWEEP = 8
"""The number of epochs between two searches for files of attempts that did not count."""


class Outcome:
    """What an epoch gave: the notes of its tasks, and for each output whose rows come to this process those of each task."""

    def __init__(self, notes: Sequence[Note], results: Mapping[int, Sequence[Sequence[ChangeBatch]]]) -> None:
        self.notes = notes
        self.results = results


class EpochLoop(ABC):
    """Runs epochs one after the other; the base of those of queries and of INSERTs."""

    def __init__(
        self,
        stream: JobSpec,
        job: SharedJob,
        state: SharedJobState,
        positions: Sequence[Mapping[str, Any]],
        interval: float,
        now: int,
        metrics: StreamMetrics,
        engine: TaskEngine,
    ) -> None:
        self._engine = engine
        self._stream = stream
        self._metrics = metrics
        self._job = job
        self._state = state
        self._now = now
        self.sources, self._interval = engine.sources(job, state, positions, interval)
        self._told = [source.has_ended for source in self.sources]
        """Which sources the levels know to have ended."""
        self._positions, self._written = positions, list[int]()
        """Where the next epoch begins to read each source, and how many rows each sink has got before it."""

    def execute(self) -> None:
        """Runs epochs until all sources have ended or been read, or the job is asked to end."""
        context, requests = self._stream.context, self._stream.requests
        try:
            while not requests.is_ending and not self._is_over:
                context.check()
                started = time.monotonic()
                had_rows = self._step()
                self._end_finished()
                if not self._is_over:
                    self._wait(started + self._interval, had_rows=had_rows)
            self._finish(drains=requests.drains)
        finally:
            for source in self.sources:
                source.close()
        context.log_warnings()

    @property
    def _is_over(self) -> bool:
        """Whether the levels know that all sources have ended, or there are no more rows that the job is to read."""
        return all(told or source.is_read for told, source in zip(self._told, self.sources, strict=True))

    def _step(self) -> bool:
        """Runs an epoch if something is due; returns whether it had rows."""
        with self._metrics.progress.phase("latestOffset"):
            planned = [source.plan() for source in self.sources]
        self._now = max(self._now, processing_time())
        if any(planned) or self._state.is_first or self._is_asked() or self._is_due(self._now):
            self._epoch(planned)
        else:
            self._metrics.progress.skip()
        return any(planned)

    def _moves_time(self) -> bool:
        """Whether a source has ended, or a split has become idle or is read again, since the epoch before."""
        ended = [source.has_ended for source in self.sources]
        if ended != self._told:
            return True
        before = [{name for name, split in progress.splits.items() if split.is_idle} for progress in self._state.sources]
        return before != [{name for name, is_idle in source.idle_splits().items() if is_idle} for source in self.sources]

    def _is_due(self, now: int) -> bool:
        """Whether an epoch without rows has an effect at a time of the clock."""
        due = self._state.next_due
        return (due is not None and due <= now) or self._moves_time() or self._commits_empty_epochs

    @property
    def _commits_empty_epochs(self) -> bool:
        """Whether epochs without rows matter to a sink."""
        return False

    def _end_finished(self) -> None:
        """Ends the sources of which no operator needs more rows: those of a LIMIT that has all of its own."""
        finished = self._state.finished
        for source in self.sources if finished else ():
            if need_no_rows(self._stream.graph.nodes, source.source.edges, finished.__contains__):
                source.has_ended = True

    def _wait(self, until: float, *, had_rows: bool) -> None:
        context, requests, is_ready = self._stream.context, self._stream.requests, had_rows
        while not requests.is_ending and not self._is_asked():
            context.check()
            self._engine.check()
            left = until - time.monotonic()
            if left <= 0 and (is_ready or self._is_due(processing_time())):
                return
            open_sources = [source for source in self.sources if not source.has_ended]
            pause = min(0.1, max(left, 0.01))
            if is_ready or len(open_sources) != 1:
                time.sleep(pause)
                is_ready = is_ready or left <= 0
            else:
                is_ready = open_sources[0].wait(pause)

    def _finish(self, *, drains: bool) -> None:
        """Runs the last epoch of a job that was asked to end, with no more rows."""
        if drains or self._is_asked(is_last=True):
            self._epoch([{} for _ in self.sources], is_last=True, drains=drains)

    def _epoch(self, planned: Sequence[Mapping[str, Reads | PartsOfSplit]], *, is_last: bool = False, drains: bool = False) -> None:
        """Plans the tasks, runs them, and completes the epoch. With ``drains`` event time comes to its end, though the sources continue for a later start."""
        began, progress = time.monotonic(), self._metrics.progress
        with progress.phase("queryPlanning"):
            state, reads, ended = self._plan(planned, drains=drains)
            epoch, number = self._begin_epoch()
        reached("planned", number)
        with progress.phase("addBatch"):
            outcome = self._run_job(state, number, reads)
        reached("ran", number)
        read = [sum(note.rows_read for note in outcome.notes if note.source == place) for place in range(len(self.sources))]
        for source, rows in zip(self.sources, read, strict=True):
            source.read(rows)
        after = self._job.after(state, outcome.notes, self._now, ended)
        self._metrics.count(outcome.notes, after)
        with progress.phase("commitOffsets"):
            self._complete(epoch, outcome, after, began, is_last=is_last)
        self._report(number, read, after)
        self._state = after
        self._told = [source.has_ended for source in self.sources]
        for source in self.sources:
            source.taken()
            if self._is_kept:
                source.committed()

    @property
    def _is_kept(self) -> bool:
        """Whether the rows of the epoch before are not read again, whatever happens."""
        return True

    def _report(self, number: int, read: Sequence[int], after: SharedJobState) -> None:
        positions, written = [source.position for source in self.sources], self._rows_written()
        new = [count - before for count, before in zip(written, self._written, strict=True)]
        self._metrics.progress.finish(number, read, list(zip(self._positions, positions, strict=True)), new, after)
        self._positions, self._written = positions, written

    def _rows_written(self) -> list[int]:
        """Returns how many rows each sink has got; of a query there is none."""
        return []

    def _plan(
        self, planned: Sequence[Mapping[str, Reads | PartsOfSplit]], *, drains: bool
    ) -> tuple[SharedJobState, list[tuple[SplitPlan, Any]], set[tuple[int, str]]]:
        """Returns the state in which an epoch begins, what its tasks read, and the splits that end with it."""
        job, state = self._job, self._state
        reads: list[tuple[SplitPlan, Any]] = []
        ended: set[tuple[int, str]] = set()
        for number, (source, splits) in enumerate(zip(self.sources, planned, strict=True)):
            if source.has_ended or drains:
                ended.update((number, name) for name in {*source.splits, *source.ending, *state.sources[number].splits})
                state = job.with_end(job.with_splits(state, number, dict.fromkeys(splits, False)), number)
            else:
                ended.update((number, name) for name in source.ending)
                state = job.with_splits(state, number, {**source.idle_splits(), **dict.fromkeys(splits, False)})
        for number, splits in enumerate(planned):
            for name, read in splits.items():
                parts: Sequence[Any] | None = getattr(read, "parts", None)
                for part in (read,) if parts is None else parts:
                    ends, is_part = (number, name) in ended, parts is not None
                    reads.append((job.split_plan(state, len(reads), number, name, ends=ends, is_part=is_part), part))
        return state, reads, ended

    def _run_job(self, state: SharedJobState, number: int, reads: SplitReads) -> Outcome:
        stream, job = self._stream, self._job
        read = [(plan.source, plan.split) for plan, _ in reads]
        for _ in range(_MOST_RUNS):
            stream.context.check()
            source_task, share_tasks = job.source_task(number, self._now), job.share_tasks(state, number, self._now, read)
            cells = self._engine.run(number, source_task, reads, share_tasks)
            notes = [Note.of(cell.payload.to_pybytes()) for cell in cells if cell.kind == Kind.NOTE]
            if differing_attempts(notes):
                continue
            results: dict[int, dict[int, list[ChangeBatch]]] = {}
            for cell in sorted((cell for cell in cells if cell.kind == Kind.RESULT), key=lambda cell: (cell.origin, cell.number)):
                part = results.setdefault(cell.input_index, {}).setdefault(cell.origin, [])
                part += changes_of(cell.payload, stream.schemas[cell.input_index])
            return Outcome(notes, {output: list(parts.values()) for output, parts in results.items()})
        raise TableRuntimeException(
            f"The epoch {number} was run {_MOST_RUNS} times, and each time tasks were repeated after others had read their rows.",
            hint="Workers are lost again and again: the log of the engine says why.",
        )

    def _is_asked(self, *, is_last: bool = False) -> bool:
        """Whether a savepoint was asked for."""
        return False

    @abstractmethod
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        """Returns the next epoch, and its number."""

    @abstractmethod
    def _complete(self, epoch: Epoch | None, outcome: Outcome, after: SharedJobState, began: float, *, is_last: bool) -> None:
        """Delivers the rows; the epoch is complete when this returns."""


class QueryEpochLoop(EpochLoop):
    """Runs the epochs of a query, whose rows go to its reader; its state is in a temporary folder."""

    _number = 0

    def __init__(
        self,
        stream: JobSpec,
        job: SharedJob,
        state: SharedJobState,
        interval: float,
        metrics: StreamMetrics,
        engine: TaskEngine,
        emit: Callable[[int, Any], None],
        *,
        is_written: bool = False,
    ) -> None:
        """``emit`` gives rows to the reader of the query; ``is_written``: to sinks."""
        super().__init__(stream, job, state, [{} for _ in stream.graph.sources], interval, 0, metrics, engine)
        self._emit = emit
        self._is_written = is_written
        self._store = open_store(job.location)

    @override
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        self._number += 1
        return None, self._number - 1

    @override
    def _complete(self, epoch: Epoch | None, outcome: Outcome, after: SharedJobState, began: float, *, is_last: bool) -> None:
        rows = self._stream.net(outcome.results) if self._is_written else self._stream.all_changes(outcome.results)
        self._stream.write(rows, self._emit)
        self._forget(after)

    def _forget(self, after: SharedJobState) -> None:
        """Deletes files that the state after an epoch does not need."""
        kept = {file.path for files in after.files.values() for file in files}
        for files in self._state.files.values():
            for file in files:
                if file.path not in kept:
                    self._store.delete(file.path)
        if not self._number % _SWEEP:
            sweep_states(self._store, self._job.run, self._number - 1, kept)


class InsertEpochLoop(EpochLoop):
    """Runs the epochs of INSERTs with checkpoints."""

    def __init__(
        self,
        stream: JobSpec,
        job: SharedJob,
        state: SharedJobState,
        positions: Sequence[Mapping[str, Any]],
        interval: float,
        now: int,
        metrics: StreamMetrics,
        engine: TaskEngine,
        attempt: Attempt,
    ) -> None:
        super().__init__(stream, job, state, positions, interval, now, metrics, engine)
        self._attempt = attempt
        self._written = self._rows_written()

    @override
    def _rows_written(self) -> list[int]:
        return [sink.rows for sink in self._attempt.sinks]

    @override
    def _run_job(self, state: SharedJobState, number: int, reads: SplitReads) -> Outcome:
        try:
            return super()._run_job(state, number, reads)
        except BaseException:
            for sink in self._attempt.sinks:
                sink.discard_staged(number)
            raise

    @property
    @override
    def _commits_empty_epochs(self) -> bool:
        return any(sink.commits_empty_epochs for sink in self._attempt.sinks)

    @override
    def _is_asked(self, *, is_last: bool = False) -> bool:
        return bool(self._stream.requests.pending(is_last=is_last))

    @override
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        epoch = Epoch.next_of(self._attempt.checkpoints, self._attempt.sinks)
        return epoch, epoch.number

    @override
    def _complete(self, epoch: Epoch | None, outcome: Outcome, after: SharedJobState, began: float, *, is_last: bool) -> None:
        assert epoch is not None
        attempt, requests = self._attempt, self._stream.requests
        asked = requests.pending(is_last=is_last)
        try:
            for output, sink in enumerate(attempt.sinks):
                notes = [note for note in outcome.notes if output in note.messages]
                if notes:
                    sink.take({note.origin: note.messages[output] for note in notes}, sum(note.rows[output] for note in notes))
            self._stream.write(self._stream.net(outcome.results), lambda output, batch: attempt.sinks[output].write(batch, epoch.number))
            checkpoint = self._checkpoint(epoch.number, after, began)
            watermarks = self._stream.output_watermarks(after)
            messages = (
                SinkMessages(sink.take_rows(), tuple(sink.prepare(epoch.number, watermark)))
                for sink, watermark in zip(attempt.sinks, watermarks, strict=True)
            )
            epoch.complete(messages, checkpoint, self._stream.context.check)
        except BaseException:
            if not epoch.may_be_decided:
                for sink in attempt.sinks:
                    sink.abort()
                    sink.discard_staged(epoch.number)
            raise
        attempt.committed(epoch.manifest)
        requests.answer(asked, epoch.manifest)
        attempt.checkpoints.retain()
        if is_last or not (epoch.number + 1) % _SWEEP:
            attempt.checkpoints.folder.sweep(attempt.checkpoints.run, epoch.number)

    def _checkpoint(self, number: int, after: SharedJobState, began: float) -> Checkpoint:
        layout, checkpoints = self._stream.layout, self._attempt.checkpoints
        files: dict[str, tuple[StateFile, ...]] = {name: after.files.get(node, ()) for node, name in enumerate(layout.operators)}
        for node, snapshot in self._job.source_states(after).items():
            name = layout.operators[node]
            if snapshot.buckets:
                path = checkpoints.folder.state_path(name, number, checkpoints.run, "base")
                files[name] = (write_state(checkpoints.folder.store, path, snapshot),)
        return Checkpoint(
            [source.position for source in self.sources],
            [tuple(after.watermarks.get(node, ())) for node in range(len(layout.operators))],
            self._metrics.counters(),
            self._now,
            files,
            began,
        )
