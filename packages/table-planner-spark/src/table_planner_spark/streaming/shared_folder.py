"""Checks before the first epoch whether the workers can reach the folder of a job's state."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StringType, StructField, StructType

from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.gate import AllowedPath, AllowedUrl, Gate
from table_planner_spark.session.adapters import adapter_of
from table_runtime.streaming import open_store

_TASKS = 2
_ANSWERS = StructType([StructField("task", LongType()), StructField("problem", StringType())])


def is_on_one_machine(spark: SparkSession) -> bool:
    """Whether all workers are on the machine of this process, with its file systems."""
    master = (spark.sparkContext.master or "") if adapter_of(spark).has_jvm else ""
    return master.startswith("local") and not master.startswith("local-cluster")


@contextmanager
def temporary_folder(spark: SparkSession, checkpoints: str | None) -> Iterator[str]:
    """Gives a folder for the state of a query, and deletes it: below the checkpoint folder if there is one, else in Spark's local folder on this machine."""
    if checkpoints is None:
        local = (spark.sparkContext.getConf().get("spark.local.dir") or "").split(",")[0] if adapter_of(spark).has_jvm else ""
        path = tempfile.mkdtemp(prefix="table-stream-", dir=local if os.path.isdir(local) else None)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)
        return
    name = f".query-{uuid.uuid4().hex[:12]}"
    try:
        yield f"{checkpoints.rstrip('/')}/{name}"
    finally:
        with suppress(TableRuntimeException):  # the rows were read
            open_store(Gate.location_of_program(checkpoints)).delete(name)


def require_shared_folder(spark: SparkSession, folder: AllowedPath | AllowedUrl, use: str) -> None:
    """Checks that the workers read what this process writes into a folder, and the other way round. ``use`` says what the folder is for.

    Raises:
        TableException: they do not.
    """
    store, name = open_store(folder), f".reached-{uuid.uuid4().hex[:12]}"
    paths = [f"{name}/{task}" for task in range(_TASKS)]
    try:
        store.write(f"{name}/client", [name.encode()])
        access = adapter_of(spark)
        frame = access.map_in_arrow(spark.range(0, _TASKS, 1, _TASKS), _Visit(folder, name), _ANSWERS, "table_folder")
        problems = [row[1] for row in frame.collect() if row[1]]
        problems += [f"a file that a worker wrote is not there: '{path}'" for path in paths if not problems and store.read(path) is None]
    finally:
        with suppress(TableRuntimeException):
            store.delete(name)
    if problems:
        raise TableException(
            f"The workers of Spark do not reach {use} '{store.url}': {problems[0]}.",
            hint="SET 'execution.checkpointing.dir' = '…', a folder that this process and all workers read and write under the same path: an object store, HDFS, or a network file system.",
        )


@dataclass(frozen=True, slots=True)
class _Visit:
    """Reads the file of the client in a worker, and writes one of its own."""

    folder: AllowedPath | AllowedUrl
    name: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield pa.record_batch([pa.array([task]), pa.array([self._problem(task)], pa.string())], ["task", "problem"])

    def _problem(self, task: int) -> str | None:
        try:
            store = open_store(self.folder, is_known=True)
            if store.read(f"{self.name}/client") is None:
                return "a file that this process wrote is not there"
            store.write(f"{self.name}/{task}", [b""])
        except Exception as error:
            return f"{type(error).__name__}: {error}".rstrip(".")
        return None
