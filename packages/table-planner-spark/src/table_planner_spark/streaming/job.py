"""Jobs of streaming plans on Spark, behind the planner SPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from table_api.delegation import ExecutablePlan, JobExecution, JobOptions, JobState, refuse_restoring
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.configuration import ReadableConfig
from table_planner_spark.executor import Emit, SparkJob, SparkJobClient, description
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.streaming.driver import SparkDriver
from table_runtime.cancellation import CancellationToken
from table_runtime.columns import cast_to_schema
from table_runtime.run import ExecutionContext, JobMetrics, Operator
from table_runtime.streaming import JobRequests, RequestingClient, sinks_of

_PATIENCE = 10.0
"""Seconds that a cancelled job has to end."""


class SparkStreamClient(RequestingClient, SparkJobClient):
    """Adds the end with a last commit, savepoints and checkpoints."""

    def __init__(self, session: EngineSession, job_id: str) -> None:
        super().__init__(session, job_id)
        self.requests = JobRequests(job_id, self.job_state)
        self.token = CancellationToken()
        self.counted = JobMetrics()
        self.writes = True
        """Whether the job has sinks; the end of a query is its cancellation."""

    @override
    def get_metrics(self) -> Mapping[str, int | float]:
        return self.counted.values()

    @override
    def get_warnings(self) -> Sequence[str]:
        return self.counted.warnings()

    @override
    def request_cancellation(self) -> None:
        super().request_cancellation()
        self.token.cancel()

    @override
    def end(self) -> None:
        if self.writes:
            self.requests.end()
        else:
            self.cancel()


class SparkStreamJob(SparkJob):
    """One run of a streaming plan."""

    _client: SparkStreamClient

    def __init__(self, session: EngineSession, root: Operator, configuration: ReadableConfig, options: JobOptions) -> None:
        self._root = root
        self._configuration = configuration
        self._name = options.name
        self._schema = root.schema
        self._stream: SparkDriver | None = None
        super().__init__(session, description(options), self._run_stream, None, _PATIENCE)

    @property
    @override
    def is_unbounded(self) -> bool:
        assert self._stream is not None
        return self._stream.is_unbounded

    @override
    def _new_client(self, session: EngineSession, job_id: str) -> SparkStreamClient:
        client = SparkStreamClient(session, job_id)
        client.writes = bool(sinks_of(self._root))
        context = self._context = ExecutionContext(job_id=job_id, token=client.token, metrics=client.counted)
        # Errors of sinks and options are raised when the job is submitted.
        self._stream = SparkDriver(
            self._root, self._configuration, self._name, session, context, client.job_state, client.requests, self._give
        )
        return client

    def _give(self, output: int, batch: pa.RecordBatch) -> None:
        self._emit(cast_to_schema(batch, self._schema))

    def _run_stream(self, job_id: str, emit: Emit, job: JobState) -> None:
        assert self._stream is not None
        try:
            self._run_until_end(self._stream, emit)
        finally:
            self._context.close()

    def _run_until_end(self, stream: SparkDriver, emit: Emit) -> None:
        if not self._client.writes:
            stream.run_query()
            return
        rows = stream.run_inserts()
        fields = [pa.field(sink.table, pa.int64(), nullable=False) for sink in sinks_of(self._root)]
        emit(pa.RecordBatch.from_arrays([pa.array([count], pa.int64()) for count in rows], schema=pa.schema(fields)))


class SparkStreamPlan(ExecutablePlan):
    """A streaming plan, lowered once to report errors early."""

    def __init__(
        self,
        lower: Callable[[], Operator],
        schema: ResolvedSchema,
        session: EngineSession,
        configuration: ReadableConfig,
        started: Callable[[SparkStreamJob], None],
    ) -> None:
        self._lower = lower
        self._root: Operator | None = lower()
        self._schema = schema
        self._session = session
        self._configuration = configuration
        self._started = started

    @property
    @override
    def schema(self) -> ResolvedSchema:
        return self._schema

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        refuse_restoring(options, "spark")
        root = self._root if self._root is not None else self._lower()
        self._root = None
        job = SparkStreamJob(self._session, root, self._configuration, options)
        self._started(job)
        return job
