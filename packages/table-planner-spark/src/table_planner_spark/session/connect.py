"""The adapter of a session of Spark Connect, over its client: there is no JVM in this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from table_common.annotation import override
from table_common.exceptions import TableException
from table_planner_spark.quoting import exact_path
from table_planner_spark.session.adapter import SessionAdapter
from table_planner_spark.spark_internals import connect_query
from table_runtime.files import is_remote, local_path

_NUMBERS = count(1)
_TASKS = 8
"""The client cannot ask how many slots Spark has."""


class ConnectAdapter(SessionAdapter):
    """The adapter over the client of Spark Connect."""

    analyzes_late = True
    has_jvm = False

    @override
    def session_id(self, spark: SparkSession) -> str:
        return str(_any(spark).session_id)

    @override
    def analyze(self, frame: DataFrame) -> None:
        # Spark analyzes again when the DataFrame runs, with the options of its session, which never change.
        frame.schema  # noqa: B018

    @override
    def name_frame(self, frame: DataFrame, spark: SparkSession, frames: dict[str, DataFrame], stack: ExitStack) -> str:
        name = f"__table_{next(_NUMBERS)}"
        frames[name] = frame
        return name

    @override
    def run_sql(self, spark: SparkSession, text: str, frames: dict[str, DataFrame]) -> DataFrame:
        return connect_query(spark, text, frames)

    @override
    def map_in_arrow(self, frame: DataFrame, function: Callable[..., Any], schema: StructType, name: str) -> DataFrame:
        return frame.mapInArrow(function, schema)

    @override
    def empty_like(self, frame: DataFrame) -> DataFrame:
        return frame.sparkSession.createDataFrame([], frame.schema)

    @override
    def frame_in(self, frame: DataFrame, spark: SparkSession) -> DataFrame | None:
        return frame if frame.sparkSession is spark else None

    @override
    def sender(self, spark: SparkSession) -> AbstractContextManager[SparkSession]:
        return nullcontext(spark)

    @override
    def call_in_job(self, program: SparkSession, spark: SparkSession, job_id: str, description: str) -> Callable[[], None]:
        tags = program.getTags()

        def begin() -> None:
            for tag in (*tags, job_id):
                spark.addTag(tag)

        return begin

    @override
    def describe_jobs(self, spark: SparkSession, description: str) -> None:
        """Does nothing: the server names the jobs."""

    @override
    def cancel_job(self, spark: SparkSession, job_id: str) -> None:
        spark.interruptTag(job_id)

    @override
    def count_tasks(self, spark: SparkSession, job_id: str) -> tuple[int, int]:
        return 0, 0

    @override
    def parallelism(self, spark: SparkSession) -> int:
        return _TASKS

    @override
    def require_shared_folder(self, spark: SparkSession, folder: Path) -> None:
        content = uuid4().hex
        probe = folder / f"probe-{content}.txt"
        probe.write_text(content)
        try:
            found = [row[0] for row in spark.read.text(exact_path(probe)).collect()]
        except PySparkException:
            found = []
        finally:
            probe.unlink()
        if found != [content]:
            raise TableException(
                f"The server of Spark Connect does not see the folder '{folder}' of this machine, so it cannot write there.",
                hint="Use a folder that both machines mount, or write the DataFrame of to_data_frame with Spark.",
            )

    @override
    def require_same_files(self, spark: SparkSession, files: Iterable[str | Path]) -> None:
        paths = list(dict.fromkeys(local_path(str(file)) for file in files if not is_remote(str(file))))
        if not paths:
            return
        # Only these columns are read, not the content of the files.
        reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        columns = ["path", "length", "unix_millis(modificationTime)"]
        try:
            found = reader.load([exact_path(path) if path.exists() else f"file://{path}" for path in paths]).selectExpr(*columns).collect()
        except PySparkException as error:
            raise _other_files(paths[0]) from error
        seen = {Path(re.sub("^file:/+", "/", path)): (size, time) for path, size, time in found}
        for path in {*seen, *(path for path in paths if path.is_file())}:
            if seen.get(path) != _state(path):
                raise _other_files(path)

    @override
    def has_file_system(self, spark: SparkSession, scheme: str) -> bool:
        return True

    @override
    def activate(self, spark: SparkSession) -> None:
        """Does nothing: a command names its session."""

    @override
    def heap_of_driver(self, spark: SparkSession) -> int | None:
        return None


def _state(path: Path) -> tuple[int, int] | None:
    """Returns the size of a file and when it was changed, in milliseconds as Spark's driver has it; None if there is no such file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns // 1_000_000


def _other_files(path: Path) -> TableException:
    return TableException(
        f"The server of Spark Connect has no file '{path}', or another one than this machine, so it cannot read the table.",
        hint="Use a folder that both machines mount, or read the server's files with Spark and pass the DataFrame to from_data_frame.",
    )


def _any(value: object) -> Any:
    """Returns a session or DataFrame of Connect, whose types PySpark declares apart."""
    return value
