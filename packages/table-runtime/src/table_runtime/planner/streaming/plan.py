"""Executable streaming plans: those with bounded sources run once to their end, others as jobs of the loop."""

from __future__ import annotations

from collections.abc import Callable

from table_api.delegation import ExecutablePlan, JobExecution, JobOptions, refuse_restoring
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.configuration import ReadableConfig
from table_runtime.planner.executor import ArrowExecutablePlan, JobRegistry
from table_runtime.planner.streaming.workers import LoweredStream
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.statement_set import graph_of, sinks_of


def is_unbounded(graph: Graph) -> bool:
    """Whether a source of the graph is unbounded."""
    return any(source.is_unbounded for source in graph.sources)


class StreamExecutablePlan(ExecutablePlan):
    """A streaming plan, lowered once to report errors early."""

    def __init__(
        self,
        lower: Callable[[], LoweredStream],
        schema: ResolvedSchema,
        jobs: JobRegistry,
        configuration: ReadableConfig,
        *,
        parallelism: int | None,
        memory: int | None,
    ) -> None:
        self._lower = lower
        self._lowered: LoweredStream | None = lower()
        self._schema = schema
        self._jobs = jobs
        self._configuration = configuration
        self._parallelism = parallelism
        self._memory = memory

    @property
    @override
    def schema(self) -> ResolvedSchema:
        return self._schema

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        root, workers, _ = self._lowered if self._lowered is not None else self._lower()
        self._lowered = None
        if workers == 1 and not is_unbounded(graph_of(root)):
            plan = ArrowExecutablePlan(
                lambda: (root,), self._schema, self._jobs, is_sink=bool(sinks_of(root)), parallelism=self._parallelism, memory=self._memory
            )
            return plan.execute(options)
        refuse_restoring(options, "arrow")
        from table_runtime.planner.streaming.job import StreamJob  # needed by unbounded sources, and by several workers

        job = StreamJob(root, self._configuration, options, workers=workers, parallelism=self._parallelism, memory=self._memory)
        self._jobs.add(job)
        job.start()
        return job
