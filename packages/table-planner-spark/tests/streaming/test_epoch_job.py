"""The Spark job of an epoch."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from table_common.exceptions import TableRuntimeException
from table_common.gate import Gate
from table_planner_spark.streaming.epoch_job import _map_folder, failed_task, run_levels
from table_planner_spark.streaming.share_placement import SharePlacement
from table_planner_spark.worker_errors import find_carried_error
from table_runtime.streaming import Edge, Graph, Kind, Note, SharedJob, Source, SplitRows, changes_of, cut

SCHEMA = pa.schema([pa.field("n", pa.int64())])


class Numbers:
    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def __call__(self) -> SplitRows:
        return SplitRows(pa.record_batch({"n": pa.array([1 // number * 0 + number], pa.int64())}, SCHEMA) for number in self.numbers)


def run(spark: SparkSession, folder: Path, *splits: Numbers | Process) -> list[Any]:
    scan: Any = None
    job = SharedJob(cut(Graph(sources=[Source(scan, SCHEMA, False, [Edge(None, 0)])]), 2), Gate.location_of_program(str(folder)), [], "run")
    state = job.with_splits(job.begin(), 0, {str(number): False for number in range(len(splits))})
    reads = [(job.split_plan(state, number, 0, str(number)), split) for number, split in enumerate(splits)]
    return run_levels(spark, job.source_task(0, 1), reads, job.share_tasks(state, 0, 1, []), SharePlacement(2))


def test_each_split_has_a_task_with_a_note(spark: SparkSession, tmp_path: Path) -> None:
    cells = run(spark, tmp_path, Numbers(1, 2), Numbers(3), Numbers())
    notes = [Note.of(cell.payload.to_pybytes()) for cell in cells if cell.kind == Kind.NOTE]
    assert sorted((note.split, note.rows_read) for note in notes) == [("0", 2), ("1", 1), ("2", 0)]
    assert len({note.attempt for note in notes}) == 3
    rows = Counter(
        number
        for cell in cells
        if cell.kind == Kind.RESULT
        for changes in changes_of(cell.payload, SCHEMA)
        for number in changes.rows.column(0).to_pylist()
    )
    assert rows == Counter([1, 2, 3])


def test_a_job_without_splits_has_no_cells(spark: SparkSession, tmp_path: Path) -> None:
    assert run(spark, tmp_path) == []


class Ending:
    """A split whose worker ends."""

    def __call__(self) -> SplitRows:
        os._exit(1)


def test_a_worker_that_ends_is_named_by_its_task(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Py4JJavaError) as caught:
        run(spark, tmp_path, Ending())
    assert failed_task(spark, str(caught.value)) == "task 0 of 1 of the last level"
    assert failed_task(spark, "Task 1 in stage 1000000.0 failed 4 times") == failed_task(spark, "") == "a task"
    assert spark.sparkContext.getLocalProperty("callSite.short") is None


class Process:
    """A split whose row is the number of the process that reads it."""

    def __call__(self) -> SplitRows:
        return SplitRows(iter([pa.record_batch({"n": pa.array([os.getpid()])}, SCHEMA)]))


def test_workers_are_used_for_several_epochs(spark: SparkSession, tmp_path: Path) -> None:
    found = {
        changes.rows.column(0)[0].as_py()
        for epoch in range(10)
        for cell in run(spark, tmp_path / str(epoch), Process())
        if cell.kind == Kind.RESULT
        for changes in changes_of(cell.payload, SCHEMA)
    }
    assert len(found) <= 4, "readers and modules stay in them"


def test_the_error_of_a_task_names_what_it_did(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="table-error") as caught:
        run(spark, tmp_path, Numbers(0))
    found = find_carried_error(str(caught.value))
    assert isinstance(found, TableRuntimeException)
    assert found.message == "Reading the split '0' failed: ZeroDivisionError: integer division or modulo by zero"


def test_state_is_kept_in_the_local_folder_of_the_application(spark: SparkSession, tmp_path: Path) -> None:
    def folder_of_maps(_: Any) -> list[Any]:
        found = _map_folder(1000)
        return [(found.path, found.most_bytes, Path(found.path).parent.is_dir())] if found is not None else []

    found = spark.sparkContext.parallelize([1], 1).mapPartitions(folder_of_maps).collect()
    ((folder, most_bytes, is_there),) = found
    assert Path(folder).name == "table-state"
    assert Path(folder).parent.name.startswith("blockmgr-"), "Spark removes these folders at its end"
    assert (most_bytes, is_there) == (1000, True)
    assert _map_folder(0) is None
