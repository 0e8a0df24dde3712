"""The Spark job of an epoch: a task per split, and for each level above one per share."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fns
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from table_common.frozen_dataclass import dataclass, replace
from table_planner_spark.accesses import access_to
from table_planner_spark.carried_errors import carrying_errors
from table_planner_spark.spark_internals import SPARK_VERSION, map_in_arrow
from table_planner_spark.streaming.epoch_source import Reads
from table_runtime.streaming import WIRE, Cell, MapFolder, ShareTask, SourceTask, SplitPlan, cells_of

__all__ = ["LEVELS_OPTIONS", "run_levels"]

LEVELS_OPTIONS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
}
"""Parts are shares, and a row is a cell of many rows: code that Spark would write for the few rows of each epoch costs more than it saves."""
_TASKS = 4
"""So many tasks that read for each that runs at the same time: one may read many splits."""
_TYPES = {pa.int32(): IntegerType(), pa.int64(): LongType(), pa.binary(): BinaryType()}
_WORD = 0xFFFFFFFF
_SCHEMA = StructType([StructField(field.name, _TYPES[field.type], nullable=False) for field in WIRE])


@dataclass(frozen=True, slots=True)
class _Splits:
    """Runs the tasks of splits, by their numbers, in a worker."""

    task: SourceTask
    reads: Sequence[tuple[SplitPlan, Reads]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        attempt = _attempt()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                plan, read = self.reads[number]
                with carrying_errors(f"Reading the split '{plan.split}'"):
                    rows = read()
                    yield from self.task(plan, rows, attempt, ignored=lambda: rows.ignored)  # noqa: B023  # called before the next split


@dataclass(frozen=True, slots=True)
class _Shares:
    """Runs the task of a share in a worker: that whose number the part of the DataFrame has."""

    task: ShareTask
    most_map_bytes: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        task = replace(self.task, map_folder=_map_folder(self.most_map_bytes))
        with carrying_errors(f"The state of level {task.level.number}"):
            yield from task(context.partitionId(), batches, _attempt())


def _map_folder(most_bytes: int) -> MapFolder | None:
    """Returns the folder of the maps on the machine of this worker: Spark tells workers its own, which it removes with the application."""
    folder, *_ = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return MapFolder(os.path.join(folder, "table-state"), most_bytes) if folder and most_bytes else None


def _attempt() -> int:
    context = TaskContext.get()
    assert context is not None
    return context.taskAttemptId()


def run_levels(
    spark: SparkSession,
    source_task: SourceTask,
    reads: Sequence[tuple[SplitPlan, Reads]],
    share_tasks: Sequence[ShareTask],
    shares: int,
    most_map_bytes: int = 0,
) -> list[Cell]:
    """Runs the job, whose tasks keep so many bytes of state on each machine; returns the cells that are for the client: notes, and rows of outputs.

    Raises:
        Exception: a task has failed as often as Spark repeats it.
    """
    tasks = min(len(reads), _TASKS * access_to(spark).parallelism(spark))
    frame = spark.range(0, len(reads), 1, max(1, tasks))
    frame = map_in_arrow(frame, [fns.col("id")], _Splits(source_task, reads), _SCHEMA, "table_splits")
    columns = [fns.col(field.name) for field in WIRE]
    part = columns[WIRE.get_field_index("part")]
    for task in share_tasks:
        frame = map_in_arrow(
            _divided(frame, shares, part), columns, _Shares(task, most_map_bytes), _SCHEMA, f"table_level_{task.level.number}"
        )
    table: Any = frame.toArrow()
    return list(cells_of(table.cast(WIRE).to_batches()))


def _divided(frame: DataFrame, shares: int, part: Column) -> DataFrame:
    if SPARK_VERSION >= (4, 1):
        divided: DataFrame = frame.repartitionById(shares, part)
        return divided
    number = fns.element_at(fns.array(*map(fns.lit, _numbers_of_parts(shares))), part + fns.lit(1))
    return frame.repartition(shares, number)


@functools.cache
def _numbers_of_parts(shares: int) -> list[int]:
    """Returns a number for each part that Spark's division by hash puts into this part."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < shares:
        found.setdefault(_murmur3(number) % shares, number)
        number += 1
    return [found[part] for part in range(shares)]


def _murmur3(number: int) -> int:
    """Returns the hash that Spark divides rows of one INT column by: Murmur3 of 32 bits with the seed 42."""
    block = number * 0xCC9E2D51 & _WORD
    block = _rotated(block, 15) * 0x1B873593 & _WORD
    mixed = (_rotated(42 ^ block, 13) * 5 + 0xE6546B64) & _WORD
    mixed ^= 4  # the length in bytes
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - (mixed >> 31 << 32)


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _WORD
