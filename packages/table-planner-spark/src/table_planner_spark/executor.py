"""Executes translated plans: each job runs in a background thread and delivers its rows as Arrow batches."""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
import uuid
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as fns

from table_api.delegation import (
    ExecutablePlan,
    JobClient,
    JobExecution,
    JobOptions,
    JobState,
    JobStatus,
    ProgressListener,
    refuse_restoring,
)
from table_api_bridge import forget_table
from table_common.annotation import override
from table_common.arrow import to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException, TableError, TableRuntimeException
from table_common.restrictions import keeping_restrictions
from table_planner_spark.errors import is_result_too_large, to_runtime_error
from table_planner_spark.expressions.python_boundary import from_transport
from table_planner_spark.large_results import collect_via_files
from table_planner_spark.plan_splitting import rows_once
from table_planner_spark.progress import watch_progress
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.session.log_filter import quiet_logs
from table_planner_spark.sink.data_frame import FrameWrite
from table_planner_spark.sink.write import SinkWrite
from table_runtime.files import FileChanges, Snapshots

_NUMBERS = itertools.count(1)
_END = object()
_POLL = 0.05
"""Seconds between checks whether the job was cancelled."""
_PATIENCE = 0.5
"""Seconds that a cancelled query has to stop in Spark before its reader stops waiting: a time limit holds within a second."""
_SINK_PATIENCE = 7.0
"""Seconds that a cancelled INSERT has to stop and to delete what it wrote: nobody can read it, but it takes up space."""
_AGAIN = 0.2
"""Seconds after which a cancelled job that has not ended is interrupted again: Spark also starts stages of a job that was cancelled before them."""
_QUEUED_BATCHES = 4

_THREAD_PREFIX = "table-"


Emit = Callable[[pa.RecordBatch], None]


class _SparkPlan(ExecutablePlan):
    """A plan that Spark executes. ``snapshots`` pins the files that it reads until its job has ended."""

    PATIENCE: ClassVar[float] = _PATIENCE

    def __init__(self, session: EngineSession, schema: ResolvedSchema, snapshots: Snapshots) -> None:
        self._session = session
        self._schema = schema
        self._snapshots = snapshots

    @property
    @override
    def schema(self) -> ResolvedSchema:
        return self._schema

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        refuse_restoring(options, "spark")
        return SparkJob(self._session, description(options), self._run_pinned, options.progress, self.PATIENCE)

    def _run_pinned(self, job_id: str, emit: Emit, job: JobState) -> None:
        try:
            if not job.is_cancelled:
                self._run(job_id, emit, job)
        finally:
            self._snapshots.close()

    @abstractmethod
    def _run(self, job_id: str, emit: Emit, job: JobState) -> None:
        """Runs the job in its thread."""


class CollectPlan(_SparkPlan):
    """A query whose rows go to the caller."""

    def __init__(
        self,
        session: EngineSession,
        schema: ResolvedSchema,
        rows: DataFrame | SparkRelation,
        snapshots: Snapshots,
    ) -> None:
        """``rows`` is a ``SparkRelation`` if subplans of it must run before Spark plans the rest."""
        super().__init__(session, schema, snapshots)
        self._rows = rows

    @property
    def frame(self) -> DataFrame:
        """The rows as a DataFrame."""
        if isinstance(self._rows, SparkRelation):
            self._rows = self._rows.through_parts(rows_once)
        return self._rows

    @override
    def _run(self, job_id: str, emit: Emit, job: JobState) -> None:
        row_type = self._schema.to_row_type()
        if not row_type.fields:
            count = self.frame.count()
            emit(pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([]))))
            return
        empty = True
        for batch in self._batches():
            if job.is_cancelled:
                return
            try:
                batch.validate(full=True)
            except pa.ArrowInvalid as error:
                raise TableRuntimeException(
                    f"A column of the result is damaged, such as one of STRING with bytes of another encoding: {error}",
                    hint="declare the column as BYTES, and decode it: DECODE(column, 'ISO-8859-1')",
                ) from error
            emit(from_transport(batch, row_type))
            empty = False
        if empty:
            emit(pa.RecordBatch.from_pylist([], schema=to_arrow_schema(row_type)))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            batches = self.frame.toArrow().to_batches()
        except Exception as error:
            if not is_result_too_large(error):
                raise
        else:
            yield from batches
            return
        yield from collect_via_files(self.frame)


class SinkPlan(_SparkPlan):
    """One or more writes, run one after the other; files become visible when the last is complete."""

    PATIENCE = _SINK_PATIENCE

    def __init__(
        self,
        session: EngineSession,
        schema: ResolvedSchema,
        writes: Sequence[SinkWrite],
        snapshots: Snapshots,
    ) -> None:
        super().__init__(session, schema, snapshots)
        self.writes = writes

    @override
    def _run(self, job_id: str, emit: Emit, job: JobState) -> None:
        changes = FileChanges(job_id)
        try:
            counts = [self._write(number, write, changes, job_id, job) for number, write in enumerate(self.writes)]
            self._snapshots.close()
            job.begin_commit()
            changes.commit(self._snapshots)
        finally:
            changes.abort()  # what was committed stays
        columns = [pa.array([count], pa.int64()) for count in counts]
        emit(pa.RecordBatch.from_arrays(columns, schema=to_arrow_schema(self._schema.to_row_type())))

    def _write(self, number: int, write: SinkWrite, changes: FileChanges, job_id: str, job: JobState) -> int:
        """Returns how many rows one write wrote."""
        observation = Observation(f"rows-{job_id}-{number}")
        frame = write.frame.observe(observation, fns.count(fns.lit(1)).alias("rows"))
        try:
            write.run(frame, changes, f"{job_id}-{number}", job.begin_commit)
        finally:
            table = write.provider.table if isinstance(write, FrameWrite) else None
            if table is not None:
                forget_table(self._session.program, table)
        rows = int(observation.get["rows"])
        if number + 1 < len(self.writes):
            job.go_on()
        return rows


def description(options: JobOptions) -> str:
    """Returns what Spark's interface shows of a job: its name and its statement."""
    return options.name if options.statement is None else f"{options.name}: {options.statement}"


class SparkJobClient(JobClient):
    """The handle of a job. Cancelling interrupts its Spark jobs, including Python workers that hang."""

    def __init__(self, session: EngineSession, job_id: str) -> None:
        self._session = session
        self._job_id = job_id
        self._state = JobState()
        self._has_worked = threading.Event()

    @property
    @override
    def job_id(self) -> str:
        return self._job_id

    @property
    @override
    def job_state(self) -> JobState:
        return self._state

    @property
    @override
    def commits(self) -> bool:
        return self._state.commits

    @override
    def get_job_status(self) -> JobStatus:
        return self._state.status

    @override
    def request_cancellation(self) -> None:
        if not self._state.end(JobStatus.CANCELED, JobCancelledException(f"Job {self._job_id} was cancelled.")):
            return
        self._interrupt()
        if not self._has_worked.is_set():
            threading.Thread(target=self._interrupt_again, name=f"{self._job_id}-cancellation", daemon=True).start()

    def _interrupt(self) -> None:
        with contextlib.suppress(Exception):
            adapter_of(self._session.spark).cancel_job(self._session.spark, self._job_id)

    def _interrupt_again(self) -> None:
        while not self._has_worked.wait(_AGAIN):
            self._interrupt()

    @property
    def is_cancelled(self) -> bool:
        """Whether the job was cancelled while it ran."""
        return self._state.is_cancelled

    def note_end_of_work(self) -> None:
        """Tells that the job gives Spark no more work."""
        self._has_worked.set()

    def finish(self, status: JobStatus, error: BaseException | None = None) -> None:
        """Sets the final status and the error of a job that failed, unless the job was cancelled."""
        self._state.end(status, error)


class SparkJob(JobExecution):
    """A job in a background thread, which passes its batches to the reader through a bounded queue."""

    def __init__(
        self,
        session: EngineSession,
        description: str,
        run: Callable[[str, Emit, JobState], None],
        progress: ProgressListener | None,
        patience: float,
    ) -> None:
        self._patience = patience
        self._deadline: float | None = None
        job_id = f"{_THREAD_PREFIX}{uuid.uuid4().hex[:12]}-{next(_NUMBERS)}"
        self._client = self._new_client(session, job_id)
        self._queue: queue.Queue[object] = queue.Queue(_QUEUED_BATCHES)
        self._session = session
        self._begin = adapter_of(session.spark).call_in_job(session.program, session.spark, job_id, description)
        self._work = run
        self._thread = threading.Thread(target=keeping_restrictions(self._main), name=job_id, daemon=True)
        self._thread.start()
        if progress is not None:
            watch_progress(session.spark, job_id, self._thread, progress)

    def _new_client(self, session: EngineSession, job_id: str) -> SparkJobClient:
        return SparkJobClient(session, job_id)

    @property
    @override
    def client(self) -> JobClient:
        return self._client

    def join(self, seconds: float) -> None:
        """Waits for the end of the thread, at most ``seconds`` seconds."""
        if self._thread is not threading.current_thread():
            self._thread.join(seconds)

    @override
    def batches(self) -> Iterator[SupportsArrowArray]:
        try:
            while True:
                item = self._next()
                if item is _END:
                    if self._client.is_cancelled:
                        raise JobCancelledException("The job was cancelled.")
                    return
                if isinstance(item, TableError):
                    raise item
                assert isinstance(item, pa.RecordBatch)
                yield item
        finally:
            self._client.cancel()
            self._drain()

    def _next(self) -> object:
        """Returns the next item. After a cancellation it waits a limited time for Spark, whose generated loops notice interrupts late."""
        while True:
            try:
                return self._queue.get(timeout=_POLL)
            except queue.Empty:
                if self._client.is_cancelled and not self._is_patient():
                    return _END

    def _drain(self) -> None:
        """Empties the queue, so that a job's thread that waits for space in it can end."""
        while self._thread.is_alive() and self._is_patient():
            with contextlib.suppress(queue.Empty):
                self._queue.get(timeout=_POLL)

    def _is_patient(self) -> bool:
        """Returns whether the reader continues waiting for the end of the thread; its patience counts from the first call."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._patience
        return time.monotonic() < self._deadline

    def _emit(self, batch: pa.RecordBatch) -> None:
        while not self._client.is_cancelled:
            with contextlib.suppress(queue.Full):
                self._queue.put(batch, timeout=_POLL)
                return

    def _main(self) -> None:
        last: object = _END
        try:
            self._begin()
            with quiet_logs():
                self._work(self._client.job_id, self._emit, self._client.job_state)
            self._client.finish(JobStatus.FINISHED)
        except BaseException as error:
            if not self._client.is_cancelled:
                failure = self._session.failure(error) or to_runtime_error(error)
                failure.__cause__ = error
                self._client.finish(JobStatus.FAILED, failure)
                last = failure
        finally:
            self._client.note_end_of_work()
            self._end(last)

    def _end(self, last: object) -> None:
        """Puts the end marker or the error into the queue, unless the queue is full and the job was cancelled."""
        while True:
            with contextlib.suppress(queue.Full):
                self._queue.put(last, timeout=_POLL)
                return
            if self._client.is_cancelled:
                return
