"""Runs physical plans: one thread per job that produces batches, and a client to monitor and cancel the job."""

from __future__ import annotations

import atexit
import os
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa

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
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.exceptions import (
    JobCancelledException,
    TableError,
    TableInternalError,
    TableRuntimeException,
)
from table_runtime.cancellation import CancellationToken
from table_runtime.planner.job_threads import JobRun
from table_runtime.run.channel import Channel
from table_runtime.run.execution import ExecutionContext, SpillOptions
from table_runtime.run.job_metrics import JobMetrics
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.run.threads import POLL_SECONDS, STUCK_SECONDS

STOP_SECONDS = 5.0
"""Seconds that a cancelled job may use to clean up; a job that is blocked in a user function is abandoned sooner."""


class JobRegistry:
    """The running jobs of a planner."""

    def __init__(self) -> None:
        self._jobs: weakref.WeakSet[ArrowJob] = weakref.WeakSet()
        # Threads that still compute while the interpreter shuts down crash it.
        atexit.register(_cancel_if_alive, weakref.ref(self))

    def add(self, job: ArrowJob) -> None:
        """Registers a job; the registry holds it weakly."""
        self._jobs.add(job)

    def cancel_all(self) -> None:
        """Ends all jobs and waits a limited time for them to stop."""
        jobs = list(self._jobs)
        for job in jobs:
            job.client.end()
        for job in jobs:
            job.join(STOP_SECONDS)
            job.client.cancel()
        for job in jobs:
            job.join(STOP_SECONDS)


def _cancel_if_alive(reference: weakref.ref[JobRegistry]) -> None:
    registry = reference()
    if registry is not None:
        registry.cancel_all()


class ArrowExecutablePlan(ExecutablePlan):
    """A plan lowered once to report errors early; each further run lowers it again, so that CURRENT_TIMESTAMP is evaluated per run."""

    def __init__(
        self,
        lower: Callable[[], Sequence[Operator]],
        schema: ResolvedSchema,
        jobs: JobRegistry,
        *,
        is_sink: bool,
        parallelism: int | None,
        memory: int | None = None,
        spill: SpillOptions | None = None,
    ) -> None:
        self._lower = lower
        self._roots: Sequence[Operator] | None = lower()
        self._schema = schema
        self._jobs = jobs
        self._is_sink = is_sink
        self._parallelism = parallelism
        self._memory = memory
        self._spill = spill

    @property
    @override
    def schema(self) -> ResolvedSchema:
        return self._schema

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        refuse_restoring(options, "arrow")
        roots = self._roots if self._roots is not None else self._lower()
        self._roots = None
        job = ArrowJob(
            options.name,
            roots,
            is_sink=self._is_sink,
            parallelism=self._parallelism,
            memory=self._memory,
            spill=self._spill,
            progress=options.progress,
        )
        self._jobs.add(job)
        job.start()
        return job


class ArrowJob(JobExecution):
    """One run of a plan, on its own thread."""

    def __init__(
        self,
        name: str,
        roots: Sequence[Operator],
        *,
        is_sink: bool,
        parallelism: int | None,
        memory: int | None,
        spill: SpillOptions | None,
        progress: ProgressListener | None,
    ) -> None:
        self._name = name
        self._roots = roots
        self._is_sink = is_sink
        self._token = CancellationToken()
        self._channel = Channel()
        metrics = JobMetrics()
        self._client = self._new_client(os.urandom(16).hex(), metrics)
        self._context = ExecutionContext(
            job_id=self._client.job_id,
            metrics=metrics,
            parallelism=parallelism,
            token=self._token,
            progress=progress,
            memory=memory,
            spill=spill,
            fail=partial(self._client.stop, status=JobStatus.FAILED),
        )
        self._run: JobRun | None = None

    @property
    @override
    def client(self) -> JobClient:
        return self._client

    def _new_client(self, job_id: str, metrics: JobMetrics) -> ArrowJobClient:
        return ArrowJobClient(job_id, self._token, self._channel, metrics)

    def start(self) -> None:
        """Starts the job on a thread."""
        self._run = JobRun(f"table-job-{self._name}", self._finish)
        self._client.runs(self._run)
        self._run.start()

    def join(self, seconds: float, *, awaits_imports: bool = True) -> None:
        """Waits for the run to end, with a short timeout if a user function does not return, or an import unless that is awaited."""
        if self._run is None or self._run.is_current:
            return
        started = time.monotonic()
        while not self._run.wait(POLL_SECONDS) and (waited := time.monotonic() - started) < seconds:
            if waited > STUCK_SECONDS and self._token.called_functions:
                return
            if waited >= POLL_SECONDS and not awaits_imports and self._token.is_importing:
                return

    @override
    def batches(self) -> Iterator[SupportsArrowArray]:
        try:
            yield from self._channel.items(self._context.watch_memory)
        finally:
            self._client.cancel()
            # The first import of pandas takes seconds and cannot be interrupted; the thread ends after it.
            self.join(STOP_SECONDS, awaits_imports=self._is_sink)

    def _finish(self) -> bool:
        """Runs the job to its end; returns whether it was not interrupted."""
        from table_runtime.run.traceback_locals import forget_locals  # only an error needs it

        try:
            self._work()
        except BaseException as error:
            forget_locals(error)
            self._client.stop(_as_table_error(error), JobStatus.CANCELED if self._token.is_cancelled else JobStatus.FAILED)
        else:
            self._client.succeed()
        finally:
            self._context.close()
            self._roots = ()
        return not self._token.is_cancelled

    def _work(self) -> None:
        """Runs the plan; an error that it raises ends the job."""
        if self._is_sink:
            self._write()
        else:
            self._read()

    def _read(self) -> None:
        (root,) = self._roots
        token = self._token
        source = token.run(lambda: root.batches(self._context))
        try:
            # Writing to the channel is not interruptible: the reader shares the channel's lock.
            while (batch := token.run(lambda: next(source, None))) is not None:
                self._channel.put(batch)
        finally:
            close_iterator(source)

    def _write(self) -> None:
        counts = self._token.run(
            lambda: [count for root in self._roots for batch in root.batches(self._context) for count in batch.columns]
        )
        names = [name for root in self._roots for name in root.schema.names]
        self._context.check()
        self._client.job_state.begin_commit()
        self._context.commit()
        fields = [pa.field(name, pa.int64(), nullable=False) for name in names]
        self._channel.put(pa.RecordBatch.from_arrays(counts, schema=pa.schema(fields)))


class ArrowJobClient(JobClient):
    """The client of a job; the job reports its status to it."""

    def __init__(self, job_id: str, token: CancellationToken, channel: Channel, metrics: JobMetrics) -> None:
        self._job_id = job_id
        self._token = token
        self._channel = channel
        self._metrics = metrics
        self._state = JobState()
        self._run: JobRun | None = None
        self._stopped: float | None = None
        """When the job was told to end, of the monotonic clock."""

    def runs(self, run: JobRun) -> None:
        """Sets the run of the job, whose end ``cancel`` waits for."""
        self._run = run

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
        self.stop(JobCancelledException(f"Job {self._job_id} was cancelled.{self.called_functions()}"), JobStatus.CANCELED)

    @override
    def _await_end(self, timeout: float | None) -> bool:
        deadline = float("inf") if timeout is None else time.monotonic() + timeout
        if not self._state.wait(timeout):
            return False
        while (
            not (has_closed := self._has_closed(max(0.0, min(POLL_SECONDS, deadline - time.monotonic())))) and time.monotonic() < deadline
        ):
            pass
        return has_closed

    def _has_closed(self, seconds: float) -> bool:
        """Waits ``seconds`` seconds for the thread of a job that has ended; returns whether there is nothing to wait for. A function that does not return is abandoned."""
        run = self._run
        return (
            run is None or run.is_current or run.wait(seconds) or (self._stops_since(STUCK_SECONDS) and bool(self._token.called_functions))
        )

    def _stops_since(self, seconds: float) -> bool:
        """Whether the job was told to end ``seconds`` seconds ago."""
        return self._stopped is not None and time.monotonic() - self._stopped > seconds

    @override
    def get_metrics(self) -> Mapping[str, int | float]:
        return self._metrics.values()

    @override
    def get_warnings(self) -> Sequence[str]:
        return self._metrics.warnings()

    def called_functions(self) -> str:
        """Returns a sentence that names the user functions being called; an empty string if there are none."""
        names = self._token.called_functions
        return f" It was calling {' and '.join(names)}." if names else ""

    def stop(self, error: BaseException, status: JobStatus) -> None:
        """Ends the job with an error, which is raised in its readers; does nothing if the job has ended."""
        if self._state.end(status, error):
            self._stopped = time.monotonic()
            self._token.cancel()
            self._channel.fail(error)

    def succeed(self) -> None:
        """Ends the job successfully; batches that are not read yet stay available."""
        if self._state.end(JobStatus.FINISHED):
            self._channel.close()


def _as_table_error(error: BaseException) -> BaseException:
    if isinstance(error, TableError):
        return error
    from table_runtime.failure_reasons import MEMORY_HINT, reason_of  # only an error needs it

    if isinstance(error, MemoryError):
        result: TableError = TableRuntimeException("The job ran out of memory.", hint=MEMORY_HINT)
    elif isinstance(error, pa.ArrowException | OSError | ArithmeticError):
        result = TableRuntimeException(f"The job failed: {reason_of(error)}")
    else:
        result = TableInternalError(f"The job failed unexpectedly: {type(error).__name__}: {error}")
    result.__cause__ = error
    return result
