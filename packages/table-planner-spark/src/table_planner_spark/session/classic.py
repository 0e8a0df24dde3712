"""The adapter of a session whose Spark this process drives through py4j."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from table_common.annotation import override
from table_planner_spark.quoting import quote_name
from table_planner_spark.session.adapter import SessionAdapter
from table_planner_spark.session.clones import call_in_job, clone_session, frame_in
from table_planner_spark.spark_internals import java_context, java_frame, java_session, jvm_of, map_in_arrow, set_active_session

_LOCK = threading.RLock()
"""Held while names of DataFrames are registered and dropped: statements in several threads use the same DataFrames."""
_NUMBERS = itertools.count(1)
_SENDERS: WeakKeyDictionary[SparkSession, tuple[SparkSession, threading.Lock]] = WeakKeyDictionary()
"""The clone of each session that only sends rows, and who uses it."""


class ClassicAdapter(SessionAdapter):
    """The adapter through the driver's JVM."""

    @override
    def session_id(self, spark: SparkSession) -> str:
        return str(java_session(spark).sessionUUID())

    @override
    def analyze(self, frame: DataFrame) -> None:
        """Does nothing: a DataFrame is analyzed when it is made."""

    @override
    def name_frame(self, frame: DataFrame, spark: SparkSession, frames: dict[str, DataFrame], stack: ExitStack) -> str:
        with _LOCK:
            catalog = _catalog_of(spark)
            view = _VIEWS.setdefault(frame, _View())
            view.register(frame, spark, catalog)
        stack.callback(view.release, spark, catalog)
        frames[view.name] = frame
        return view.name

    @override
    def run_sql(self, spark: SparkSession, text: str, frames: dict[str, DataFrame]) -> DataFrame:
        return spark.sql(text)

    @override
    def map_in_arrow(self, frame: DataFrame, function: Callable[..., Any], schema: StructType, name: str) -> DataFrame:
        return map_in_arrow(frame, [frame[quote_name(column)] for column in frame.columns], function, schema, name)

    @override
    def empty_like(self, frame: DataFrame) -> DataFrame:
        spark = frame.sparkSession
        rows = java_context(spark.sparkContext).emptyRDD()
        return DataFrame(java_session(spark).createDataFrame(rows, java_frame(frame).schema()), spark)

    @override
    def frame_in(self, frame: DataFrame, spark: SparkSession) -> DataFrame | None:
        return frame_in(frame, spark)

    @override
    @contextmanager
    def sender(self, spark: SparkSession) -> Iterator[SparkSession]:
        with _LOCK:
            found = _SENDERS.get(spark)
            if found is None:
                found = _SENDERS[spark] = clone_session(spark, {}), threading.Lock()
        with found[1]:
            yield found[0]

    @override
    def call_in_job(self, program: SparkSession, spark: SparkSession, job_id: str, description: str) -> Callable[[], None]:
        begin = call_in_job(program, spark, job_id, description)

        def begin_in_session() -> None:
            begin()
            self.activate(spark)

        return begin_in_session

    @override
    def describe_jobs(self, spark: SparkSession, description: str) -> None:
        spark.sparkContext.setJobDescription(description)

    @override
    def cancel_job(self, spark: SparkSession, job_id: str) -> None:
        spark.sparkContext.cancelJobsWithTag(job_id)

    @override
    def count_tasks(self, spark: SparkSession, job_id: str) -> tuple[int, int]:
        tracker = spark.sparkContext.statusTracker()
        done = total = 0
        for number in java_context(spark.sparkContext).sc().statusTracker().getJobIdsForTag(job_id):
            info = tracker.getJobInfo(number)
            for stage_id in info.stageIds if info is not None else ():
                stage = tracker.getStageInfo(stage_id)
                if stage is not None:
                    done += stage.numCompletedTasks
                    total += stage.numTasks
        return done, total

    @override
    def parallelism(self, spark: SparkSession) -> int:
        return spark.sparkContext.defaultParallelism

    @override
    def require_shared_folder(self, spark: SparkSession, folder: Path) -> None:
        """Does nothing: the driver runs on this machine."""

    @override
    def require_same_files(self, spark: SparkSession, files: Iterable[str | Path]) -> None:
        """Does nothing: the driver runs on this machine."""

    @override
    def has_file_system(self, spark: SparkSession, scheme: str) -> bool:
        context = java_context(spark.sparkContext)
        try:
            jvm_of(spark).org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, context.hadoopConfiguration())
        except Py4JJavaError:
            return False
        return True

    @override
    def activate(self, spark: SparkSession) -> None:
        set_active_session(spark)

    @override
    def heap_of_driver(self, spark: SparkSession) -> int | None:
        runtime = jvm_of(spark).java.lang.Runtime.getRuntime()
        return int(runtime.maxMemory())


class _View:
    """A DataFrame as a temporary view, by whose name texts refer to it."""

    def __init__(self) -> None:
        self.name = f"__table_{next(_NUMBERS)}"
        self._was_used = False
        self._definition: Any = None
        self._uses: WeakKeyDictionary[SparkSession, int] = WeakKeyDictionary()

    def register(self, frame: DataFrame, spark: SparkSession, catalog: Any) -> None:
        """Registers the view in the session. From the second time on, Spark's definition of the view is reused.

        The view stays until it is released as often as it was registered, because statements can be translated concurrently.
        """
        uses = self._uses.get(spark, 0)
        if not uses:
            self._make_known(frame, spark, catalog)
        self._uses[spark] = uses + 1

    def _make_known(self, frame: DataFrame, spark: SparkSession, catalog: Any) -> None:
        if self._definition is not None:
            catalog.createTempView(self.name, self._definition, True)
        else:
            frame_in(frame, spark).createOrReplaceTempView(self.name)  # a view exists only in the session of its DataFrame
            if self._was_used:
                self._definition = catalog.getRawTempView(self.name).get()
            self._was_used = True

    def release(self, spark: SparkSession, catalog: Any) -> None:
        """Drops the view after its last use."""
        with _LOCK:
            self._uses[spark] -= 1
            if not self._uses[spark]:
                # The public call would also uncache the DataFrame.
                catalog.dropTempView(self.name)


_VIEWS: WeakKeyDictionary[DataFrame, _View] = WeakKeyDictionary()
_CATALOGS: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


def _catalog_of(spark: SparkSession) -> Any:
    """Returns the session's catalog of temporary views, cached because fetching it takes several calls."""
    catalog = _CATALOGS.get(spark)
    if catalog is None:
        catalog = _CATALOGS[spark] = java_session(spark).sessionState().catalog()
    return catalog
