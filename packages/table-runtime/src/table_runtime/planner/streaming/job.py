"""Jobs of streaming plans with an unbounded source or several workers: their driver, behind the planner SPI."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from table_api.delegation import JobOptions
from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_runtime.columns.batches import cast_to_schema
from table_runtime.planner.executor import ArrowJob, ArrowJobClient
from table_runtime.planner.streaming.client import StreamJobClient
from table_runtime.run.job_metrics import JobMetrics
from table_runtime.run.operator import Operator
from table_runtime.sinks.collect import Collect
from table_runtime.streaming.graph.statement_set import graph_of, has_unbounded_output, sinks_of
from table_runtime.streaming.job.in_process.job_driver import JobDriver

if TYPE_CHECKING:
    from table_runtime.streaming.workers.workers_driver import WorkersDriver


class StreamJob(ArrowJob):
    """One run of a plan with an unbounded source, or with several workers."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        options: JobOptions,
        *,
        workers: int,
        parallelism: int | None,
        memory: int | None,
    ) -> None:
        sinks = sinks_of(root)
        super().__init__(
            options.name, (root,), is_sink=bool(sinks), parallelism=parallelism, memory=memory, spill=None, progress=options.progress
        )
        assert isinstance(self._client, StreamJobClient)
        self._root = root
        # Errors of sinks and options are raised when the job is submitted.
        self._driver = self._new_driver(root, configuration, options.name, self._client, workers)
        self._client.driver = self._driver
        self._client.writes = bool(sinks)

    def _new_driver(
        self, root: Operator, configuration: ReadableConfig, name: str, client: StreamJobClient, workers: int
    ) -> JobDriver | WorkersDriver:
        if workers == 1:
            return JobDriver(root, configuration, name, self._context, self._channel, client.job_state, client.requests)
        from table_runtime.streaming.workers.workers_driver import WorkersDriver  # few jobs have workers

        return WorkersDriver(
            root, configuration, name, self._context, client.job_state, client.requests, partial(self._give, root), workers=workers
        )

    def _give(self, root: Operator, _: int, batch: pa.RecordBatch) -> None:
        if batch.num_rows:
            self._channel.put(cast_to_schema(batch, root.schema))

    @property
    @override
    def is_unbounded(self) -> bool:
        return has_unbounded_output(graph_of(self._root))

    @override
    def _new_client(self, job_id: str, metrics: JobMetrics) -> ArrowJobClient:
        return StreamJobClient(job_id, self._token, self._channel, metrics)

    @override
    def _work(self) -> None:
        if isinstance(self._root, Collect):
            self._driver.run_query(self._root) if isinstance(self._driver, JobDriver) else self._driver.run_query()
            return
        rows = self._driver.run_inserts()
        fields = [pa.field(sink.table, pa.int64(), nullable=False) for sink in sinks_of(self._root)]
        self._channel.put(pa.RecordBatch.from_arrays([pa.array([count], pa.int64()) for count in rows], schema=pa.schema(fields)))
