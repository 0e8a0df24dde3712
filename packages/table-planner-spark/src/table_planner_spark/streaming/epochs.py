"""Runs the tasks of an epoch as one Spark job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.streaming.choose_source import epoch_sources
from table_planner_spark.streaming.epoch_job import run_levels
from table_planner_spark.streaming.failures import failure_of_epoch
from table_planner_spark.streaming.share_placement import SharePlacement
from table_runtime.streaming import Cell, EpochSource, JobSpec, SharedJob, SharedJobState, ShareTask, SourceTask, SplitReads, TaskEngine


class SparkTasks(TaskEngine):
    """The tasks of one start of a job on Spark."""

    def __init__(self, stream: JobSpec, session: EngineSession) -> None:
        self._stream = stream
        self._session = session
        self._most_map_bytes = stream.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_STATE_CACHE)
        self._placement = SharePlacement(stream.levels.shares)

    @override
    def sources(
        self, job: SharedJob, state: SharedJobState, positions: Sequence[Mapping[str, Any]], interval: float
    ) -> tuple[list[EpochSource], float]:
        return epoch_sources(self._stream, self._session, job, state, positions, interval)

    @override
    def run(self, epoch: int, source_task: SourceTask, reads: SplitReads, share_tasks: Sequence[ShareTask]) -> list[Cell]:
        spark = self._session.spark
        adapter_of(spark).describe_jobs(spark, f"{self._stream.name}, epoch {epoch}")
        try:
            return run_levels(spark, source_task, reads, share_tasks, self._placement, self._most_map_bytes)
        except Exception as error:
            failure = failure_of_epoch(error, self._session)
            raise failure from failure.__cause__ or error

    @override
    def check(self) -> None:
        if (stopped := self._session.stopped()) is not None:
            raise stopped
