"""The loop of a streaming job in the client: it plans an epoch, runs it as one Spark job, decides it, and commits it."""

from __future__ import annotations

import shutil
import tempfile
import time
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.gate import Gate
from table_common.job_state import JobState, JobStatus
from table_planner_spark.accesses import access_to
from table_planner_spark.carried_errors import is_failure_of_system
from table_planner_spark.errors import is_result_too_large, to_runtime_error
from table_planner_spark.session import EngineSession
from table_planner_spark.spark_internals import SPARK_VERSION
from table_planner_spark.streaming.levels_job import run_levels
from table_planner_spark.streaming.source_offsets import Reads, SourceOffsets, require_offsets, require_whole_changes
from table_planner_spark.workers import require_packages
from table_runtime.operators import ExecutionContext, Operator
from table_runtime.streaming import (
    BUCKETS,
    END_OF_TIME,
    NO_WATERMARK,
    OUTPUT,
    Attempt,
    AttemptDriver,
    Attempts,
    ChangeBatch,
    Checkpoint,
    Checkpointing,
    Epoch,
    EpochState,
    Graph,
    JobLayout,
    JobRequests,
    Kind,
    Note,
    OutputRows,
    Restarts,
    RestorePoint,
    SharedJob,
    SinkEpochs,
    SinkMessages,
    SplitPlan,
    StateFile,
    Verdict,
    changes_of,
    cut,
    differing_attempts,
    graph_of,
    layout_of,
    need_no_rows,
    net_changes,
    nodes_above,
    open_store,
    processing_time,
    reached,
    read_state,
    sinks_of,
    write_state,
)

__all__ = ["SparkStream"]

_MOST_RUNS = 5
"""How often an epoch is run whose tasks saw several attempts of each other."""


class _Outcome:
    """What a Spark job gave: its notes, and the rows of each output."""

    def __init__(self, notes: Sequence[Note], results: Mapping[int, Sequence[ChangeBatch]]) -> None:
        self.notes = notes
        self.results = results


class _Run(ABC):
    """A row of epochs from one beginning: what is the same for queries and for INSERTs."""

    def __init__(
        self, stream: SparkStream, job: SharedJob, state: EpochState, positions: Sequence[Mapping[str, Any]], interval: float, now: int
    ) -> None:
        self._stream = stream
        self._job = job
        self._state = state
        self._interval = interval
        self._now = now
        most_rows = stream.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH)
        self.sources = [
            SourceOffsets(source, position, most_rows, progress.splits)
            for source, position, progress in zip(stream.graph.sources, positions, state.sources, strict=True)
        ]
        self._told = [source.has_ended for source in self.sources]
        """Which sources the levels know to have ended."""

    def execute(self) -> None:
        """Runs epochs until all sources have ended, or the job is asked to end."""
        context, requests = self._stream.context, self._stream.requests
        try:
            while not requests.is_ending and not all(self._told):
                context.check()
                started = time.monotonic()
                had_rows = self._step()
                self._end_finished()
                if not all(self._told):
                    self._wait(started + self._interval, had_rows=had_rows)
            self._finish(drains=requests.drains)
        finally:
            for source in self.sources:
                source.close()

    def _step(self) -> bool:
        """Runs an epoch if something is due; returns whether it had rows."""
        planned = [source.plan() for source in self.sources]
        self._now = max(self._now, processing_time())
        if any(planned) or self._state.is_first or self._is_asked() or self._is_due(self._now):
            self._epoch(planned)
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
        context, requests = self._stream.context, self._stream.requests
        is_ready = had_rows
        while not requests.is_ending and not self._is_asked():
            context.check()
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

    def _epoch(self, planned: Sequence[Mapping[str, Reads]], *, is_last: bool = False, drains: bool = False) -> None:
        """Plans the tasks, runs them, and completes the epoch. With ``drains`` event time comes to its end, though the sources go on for a later start."""
        began = time.monotonic()
        job, state = self._job, self._state
        reads: list[tuple[SplitPlan, Reads]] = []
        ended: set[tuple[int, str]] = set()
        for number, (source, splits) in enumerate(zip(self.sources, planned, strict=True)):
            if source.has_ended or drains:
                ended.update((number, name) for name in {*source.splits, *state.sources[number].splits})
                state = job.with_end(job.with_splits(state, number, dict.fromkeys(splits, False)), number)
            else:
                state = job.with_splits(state, number, {**source.idle_splits(), **dict.fromkeys(splits, False)})
        for number, splits in enumerate(planned):
            for name, read in splits.items():
                plan = job.split_plan(state, len(reads), number, name, ends=(number, name) in ended)
                reads.append((plan, read))
        epoch, number = self._begin_epoch()
        reached("planned", number)
        outcome = self._run_job(state, number, reads)
        reached("ran", number)
        after = job.after(state, outcome.notes, self._now, ended)
        self._complete(epoch, outcome, after, began, is_last=is_last)
        self._state = after
        self._told = [source.has_ended for source in self.sources]
        for source in self.sources:
            source.taken()

    def _run_job(self, state: EpochState, number: int, reads: Sequence[tuple[SplitPlan, Reads]]) -> _Outcome:
        stream, job = self._stream, self._job
        read = [(plan.source, plan.split) for plan, _ in reads]
        for _ in range(_MOST_RUNS):
            stream.context.check()
            source_task, share_tasks = job.source_task(self._now), job.share_tasks(state, number, self._now, read)
            try:
                cells = run_levels(stream.session.spark, source_task, reads, share_tasks, job.levels.shares)
            except Exception as error:
                failure = _failure_of(error, stream.session)
                raise failure from failure.__cause__ or error
            notes = [Note.of(cell.payload.to_pybytes()) for cell in cells if cell.kind == Kind.NOTE]
            if differing_attempts(notes):
                continue
            results: dict[int, list[ChangeBatch]] = {}
            for cell in sorted((cell for cell in cells if cell.kind == Kind.RESULT), key=lambda cell: (cell.origin, cell.number)):
                results.setdefault(cell.input_index, []).extend(changes_of(cell.payload, stream.schemas[cell.input_index]))
            return _Outcome(notes, results)
        raise TableRuntimeException(
            f"The epoch {number} was run {_MOST_RUNS} times, and each time tasks were repeated after others had read their rows.",
            hint="Executors are lost again and again: Spark's log says why.",
        )

    def _is_asked(self, *, is_last: bool = False) -> bool:
        """Whether a savepoint was asked for."""
        return False

    @abstractmethod
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        """Returns the next epoch, and its number."""

    @abstractmethod
    def _complete(self, epoch: Epoch | None, outcome: _Outcome, after: EpochState, began: float, *, is_last: bool) -> None:
        """Gives the rows on; if that returns, the epoch stands."""


class _QueryRun(_Run):
    """Epochs of a query, whose rows go to its reader; state is in a folder that nobody goes on from."""

    _number = 0

    @override
    def _begin_epoch(self) -> tuple[Epoch | None, int]:
        self._number += 1
        return None, self._number - 1

    @override
    def _complete(self, epoch: Epoch | None, outcome: _Outcome, after: EpochState, began: float, *, is_last: bool) -> None:
        self._stream.write(outcome.results, self._stream.emit)
        kept = {file.path for files in after.files.values() for file in files}
        store = open_store(self._job.location)
        for files in self._state.files.values():
            for file in files:
                if file.path not in kept:
                    store.delete(file.path)


class _InsertRun(_Run):
    """Epochs of INSERTs with checkpoints."""

    def __init__(
        self,
        stream: SparkStream,
        job: SharedJob,
        state: EpochState,
        positions: Sequence[Mapping[str, Any]],
        interval: float,
        now: int,
        attempt: Attempt,
        counters: Mapping[str, Mapping[str, int]],
    ) -> None:
        super().__init__(stream, job, state, positions, interval, now)
        self._attempt = attempt
        self._counters = {name: Counter(values) for name, values in counters.items()}

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
    def _complete(self, epoch: Epoch | None, outcome: _Outcome, after: EpochState, began: float, *, is_last: bool) -> None:
        assert epoch is not None
        attempt, requests = self._attempt, self._stream.requests
        asked = requests.pending(is_last=is_last)
        try:
            net = {output: self._net(output, batches) for output, batches in outcome.results.items()}
            self._stream.write(net, lambda output, batch: attempt.sinks[output].write(batch, epoch.number))
            checkpoint = self._checkpoint(epoch.number, outcome.notes, after, began)
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
            raise
        attempt.committed(epoch.manifest)
        requests.answer(asked, epoch.manifest)
        attempt.checkpoints.retain()

    def _net(self, output: int, batches: Sequence[ChangeBatch]) -> Sequence[ChangeBatch]:
        """Returns the net changes of an output: the rows of one key of its sink may come from several shares."""
        return net_changes(batches, self._stream.schemas[output]) if self._job.levels.shares > 1 else batches

    def _checkpoint(self, number: int, notes: Sequence[Note], after: EpochState, began: float) -> Checkpoint:
        layout, checkpoints = self._stream.layout, self._attempt.checkpoints
        files: dict[str, tuple[StateFile, ...]] = {name: after.files.get(node, ()) for node, name in enumerate(layout.operators)}
        for node, snapshot in self._job.source_states(after).items():
            name = layout.operators[node]
            if snapshot.buckets:
                path = checkpoints.folder.state_path(name, number, checkpoints.run, "base")
                files[name] = (write_state(checkpoints.folder.store, path, snapshot),)
        for note in notes:
            if note.source is not None:
                self._count(layout.sources[note.source], {"numRecordsOut": note.rows_read})
            for node, counters in note.counters.items():
                self._count(layout.operators[node], counters)
        return Checkpoint(
            [source.position for source in self.sources],
            [tuple(after.watermarks.get(node, ())) for node in range(len(layout.operators))],
            {name: dict(counters) for name, counters in self._counters.items()},
            self._now,
            files,
            began,
        )

    def _count(self, name: str, counters: Mapping[str, int]) -> None:
        self._counters.setdefault(name, Counter()).update(counters)


class SparkStream(AttemptDriver):
    """Runs a streaming plan on Spark, on the thread that calls it; ``state`` is told what the job does, and ``requests`` are those of its client."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        name: str,
        session: EngineSession,
        context: ExecutionContext,
        state: JobState,
        requests: JobRequests,
        emit: Callable[[int, Any], None],
    ) -> None:
        """Checks the plan and its options; ``emit`` gives rows of a query to its reader.

        Raises:
            TableException: a sink has no epochs, or the job cannot have checkpoints.
            ValidationException: an option is wrong, or missing.
        """
        _require_classic(session)
        sinks = sinks_of(root)
        self.configuration = configuration
        self.graph = graph_of(root)
        for source in self.graph.sources:
            require_offsets(source)
        require_whole_changes(self.graph)
        self.session = session
        self.context = context
        self.requests = requests
        self.emit = emit
        self._name = name
        self._job_state = state
        checkpointing = Checkpointing.of(configuration)
        if sinks:
            checkpointing.check(self.graph)
            if not checkpointing.directory:
                raise ValidationException(
                    "An INSERT that does not end keeps its state in checkpoints on Spark, and there is no folder for them.",
                    hint="SET 'execution.checkpointing.dir' = '…', a folder that all workers reach.",
                )
        requests.has_checkpoints = bool(sinks)
        requests.savepoints = checkpointing.savepoints
        self._checkpointing = checkpointing
        self.layout: JobLayout = layout_of(self.graph, [sink.table for sink in sinks])
        self._providers = [(sink.epoch_provider(), sink.table, own) for sink, own in zip(sinks, self.layout.sinks, strict=True)]
        self._attempts = Attempts(name, "spark", self.layout, checkpointing, Restarts(configuration), requests, context)
        self._levels = cut(self.graph, self._shares(configuration, session))
        self.schemas = _output_schemas(self.graph)
        self._outputs = [OutputRows(sink) for sink in sinks] if sinks else [OutputRows(root)]
        require_packages(session.spark)

    @staticmethod
    def _shares(configuration: ReadableConfig, session: EngineSession) -> int:
        shares = configuration.get_optional(ExecutionConfigOptions.TABLE_EXEC_SPARK_STATE_SHARES)
        if shares is None:
            return max(1, min(BUCKETS, access_to(session.spark).parallelism(session.spark)))
        if not 1 <= shares <= BUCKETS:
            raise ValidationException(f"The option 'table.exec.spark.state-shares' must be between 1 and {BUCKETS}, but is {shares}.")
        return shares

    def run_query(self) -> None:
        """Runs a query until it ends.

        Raises:
            TableError: it has failed.
        """
        self._begin()
        folder = tempfile.mkdtemp(prefix="table-stream-")
        try:
            job = self._shared_job(folder, uuid.uuid4().hex[:8])
            interval = self._checkpointing.settings.interval
            _QueryRun(self, job, job.begin(), [{} for _ in self.graph.sources], interval, 0).execute()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_inserts(self) -> Sequence[int]:
        """Runs the INSERTs until they end; returns how many rows each sink has got.

        Raises:
            TableError: they have failed.
        """
        directory = self._checkpointing.directory
        assert directory is not None
        self._attempts.run(self, directory)
        return self._attempts.rows

    @override
    def create_sink(self, number: int, job_id: str) -> SinkEpochs:
        provider, table, own = self._providers[number]
        return SinkEpochs.of(provider, table, job_id, own, self.context)

    @override
    def run(self, attempt: Attempt) -> None:
        self._begin()
        point, checkpoints = attempt.restore_point, attempt.checkpoints
        job = self._shared_job(checkpoints.folder.store.url, checkpoints.run)
        manifest = point.manifest
        state = job.begin() if manifest is None else self._restored(job, attempt)
        positions = point.positions(self.layout)
        now = 0 if manifest is None else manifest.processing_time
        counters = {} if manifest is None else manifest.counters
        _InsertRun(self, job, state, positions, self._checkpointing.settings.interval, now, attempt, counters).execute()

    @override
    def restarting(self) -> None:
        self._job_state.change(JobStatus.RESTARTING)

    @property
    @override
    def is_writing(self) -> bool:
        return False

    @override
    def when_written(self, callback: Callable[[], None]) -> None:
        callback()

    def write(self, results: Mapping[int, Sequence[ChangeBatch]], give: Callable[[int, Any], None]) -> None:
        """Gives the rows of all outputs, as their readers take them."""
        for output, batches in results.items():
            for changes in batches:
                for batch in self._outputs[output].batches_of(changes, self.context.check):
                    give(output, batch)

    def output_watermarks(self, state: EpochState) -> list[int | None]:
        """Returns the event time to which the rows of each sink have come; None without event time."""
        found: list[list[int]] = [[] for _ in self._providers]
        level = self._levels.levels[0]
        for source, progress in zip(level.sources, state.sources, strict=True):
            for target, place in source.marks.items():
                if target.node == OUTPUT:
                    own = NO_WATERMARK if place is None else progress.reached.get(level.numbers[place], NO_WATERMARK)
                    found[target.input_index].append(END_OF_TIME if progress.has_ended and place is not None else own)
        for number, values in state.watermarks.items():
            for edge in self.graph.nodes[number].edges:
                if edge.node is None:
                    found[edge.input_index].append(values[0])
        least = [min(watermarks, default=NO_WATERMARK) for watermarks in found]
        return [None if watermark == NO_WATERMARK else watermark for watermark in least]

    def _begin(self) -> None:
        self.context.metrics.clear()
        self._job_state.change(JobStatus.RUNNING)

    def _shared_job(self, folder: str, run: str) -> SharedJob:
        return SharedJob(self._levels, Gate.location_of_program(folder), self.layout.operators, run)

    def _restored(self, job: SharedJob, attempt: Attempt) -> EpochState:
        """Returns the state behind the epoch where the attempt begins. Files of another folder are copied into that of the job."""
        point, layout = attempt.restore_point, self.layout
        manifest = point.manifest
        assert manifest is not None
        files: dict[int, tuple[StateFile, ...]] = {}
        watermarks: dict[int, tuple[int, ...]] = {}
        snapshots: dict[int, list[Any]] = {}
        for node, name in enumerate(layout.operators):
            claim, stored = point.upgrade.old_name(name), point.stored(name)
            if stored is None:
                continue
            if claim is not None and claim.verdict is Verdict.COMPATIBLE:
                raise TableException(
                    f"The state of {layout.nodes[node].operator} must be converted for the changed statement, which Spark cannot do.",
                    hint="Run the changed statement once on the embedded engine and take a savepoint there; or begin anew.",
                )
            if self._levels.level_of[node] == 0:
                snapshots[node] = [read_state(point.store, file) for file in stored.files]
                continue
            files[node] = (
                stored.files
                if point.can_name_files and claim is not None and claim.old == name
                else self._copied(stored.files, point, name, attempt)
            )
            if len(stored.watermarks) == layout.nodes[node].inputs + 2:
                watermarks[node] = stored.watermarks
        self._require_open_time(point)
        sources = tuple(job.source_progress(number, snapshots) for number in range(len(self.graph.sources)))
        due = {(level.number, share): 0 for level in job.levels.levels[1:] for share in range(job.levels.shares)}
        return EpochState(sources, files, watermarks, {}, {}, due, manifest.processing_time, is_first=False)

    def _require_open_time(self, point: RestorePoint) -> None:
        """Checks that event time has not ended where rows may still come.

        Raises:
            TableException: the job was stopped with its event time at the end.
        """
        for source, position in zip(self.graph.sources, point.positions(self.layout), strict=True):
            for number, _, _ in nodes_above(self.graph.nodes, source.edges) if not position.get("ended") else ():
                stored = point.stored(self.layout.operators[number])
                if stored is not None and stored.watermarks[:1] == (END_OF_TIME,):
                    raise TableException(
                        "The job was stopped with its event time at the end (DRAIN), and Spark cannot go on behind that.",
                        hint="Begin behind a savepoint that was taken without DRAIN, or go on with the embedded engine: the planner 'arrow'.",
                    )

    def _copied(self, files: Sequence[StateFile], point: RestorePoint, name: str, attempt: Attempt) -> tuple[StateFile, ...]:
        checkpoints = attempt.checkpoints
        result = []
        for number, file in enumerate(files):
            path = checkpoints.folder.state_path(name, checkpoints.next_epoch, checkpoints.run, f"copy{number}")
            share = None if file.share is None or file.of is None else (file.share, file.of)
            result.append(write_state(checkpoints.folder.store, path, read_state(point.store, file), share=share))
        return tuple(result)


def _failure_of(error: Exception, session: EngineSession) -> Exception:
    """Returns the error of an epoch's Spark job; one of a system, which a repetition may mend, is raised from an ``OSError`` as it was in the worker."""
    if is_result_too_large(error):
        return TableException(
            "The rows of an epoch that go to sinks are larger than spark.driver.maxResultSize.",
            hint=f"Read fewer rows per epoch: SET '{ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH.key}'; or raise spark.driver.maxResultSize.",
        )
    found = session.failure(error) or to_runtime_error(error)
    if is_failure_of_system(str(error)):
        found.__cause__ = OSError(str(found))
    return found


def _require_classic(session: EngineSession) -> None:
    if not access_to(session.spark).has_jvm:
        raise TableException(
            "Statements over inputs that do not end need a classic Spark session, and this one is of Spark Connect.",
            hint="Create the session with a master, such as SparkSession.builder.master('local[*]').",
        )
    if SPARK_VERSION < (4, 1):
        raise TableException(
            f"Statements over inputs that do not end need Spark 4.1 or later, and this is {'.'.join(map(str, SPARK_VERSION))}.",
            hint="Update Spark, or run the statement on the embedded engine: the planner 'arrow'.",
        )


def _output_schemas(graph: Graph) -> Mapping[int, Any]:
    """Returns the schema of the rows of each output."""
    found = {edge.input_index: source.schema for source in graph.sources for edge in source.edges if edge.node is None}
    found.update({edge.input_index: node.operator.schema for node in graph.nodes for edge in node.edges if edge.node is None})
    return found
