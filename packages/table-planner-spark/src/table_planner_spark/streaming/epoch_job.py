"""The Spark job of an epoch: a task per split, and for each level above one per share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from pyspark import TaskContext
from pyspark.sql import SparkSession

from table_common.frozen_dataclass import dataclass, replace
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.spark_internals import divide_bytes, forget_shuffles, make_bytes, map_bytes, union_bytes
from table_planner_spark.streaming.epoch_frames import run_frames
from table_planner_spark.streaming.frame_rows import DecodedRows, FramePart, FrameRows
from table_planner_spark.streaming.share_placement import SharePlacement
from table_planner_spark.worker_errors import carrying_errors
from table_runtime.streaming import Cell, MapFolder, Reads, ShareTask, SourceTask, SplitPlan

_TASKS = 4
"""The number of reading tasks per task that can run at the same time: one may read many splits."""


_STAGE_NAME = "callSite.short"
"""The local property with the name that Spark's interface shows for the stages of a thread."""
_LEVEL = "level "
_FAILED_TASK = re.compile(r"Task (\d+) in stage (\d+)\.\d+ failed")


@dataclass(frozen=True, slots=True)
class _Splits:
    """Runs the tasks of splits in a worker: those with numbers in the range of its part of ``parts``."""

    task: SourceTask
    reads: Sequence[tuple[SplitPlan, Reads]]
    parts: int

    def __call__(self, part: int) -> Iterator[bytes]:
        attempt = _attempt()
        first, end = (number * len(self.reads) // self.parts for number in (part, part + 1))
        for plan, read in self.reads[first:end]:
            with carrying_errors(f"Reading the split '{plan.split}'"):
                rows = read()
                for cell in self.task(plan, rows, attempt, ignored=lambda: rows.ignored):  # noqa: B023  # called before the next split
                    yield cell.to_bytes()


@dataclass(frozen=True, slots=True)
class _Parts:
    """Runs the tasks of the partitions of a DataFrame in a worker."""

    task: SourceTask
    plans: Mapping[int, SplitPlan]
    decoded: DecodedRows

    def __call__(self, part: int, contents: Iterator[bytes]) -> Iterator[bytes]:
        with carrying_errors("Reading rows of a DataFrame"):
            for cell in self.task(self.plans[part], self.decoded(contents), _attempt()):
                yield cell.to_bytes()


@dataclass(frozen=True, slots=True)
class _Shares:
    """Runs the task of a share in a worker."""

    task: ShareTask
    most_map_bytes: int

    def __call__(self, share: int, contents: Iterator[bytes]) -> Iterator[bytes]:
        task = replace(self.task, map_folder=_map_folder(self.most_map_bytes))
        with carrying_errors(f"The state of level {task.level.number}"):
            for cell in task(share, map(Cell.of, contents), _attempt()):
                yield cell.to_bytes()


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
    reads: Sequence[tuple[SplitPlan, Reads | FramePart]],
    share_tasks: Sequence[ShareTask],
    placement: SharePlacement,
    most_map_bytes: int = 0,
) -> list[Cell]:
    """Runs the job, whose tasks keep ``most_map_bytes`` bytes of state on each machine; returns the cells that are for the client: notes, and rows of outputs.

    Raises:
        Exception: a task has failed as often as Spark repeats it.
    """
    access = adapter_of(spark)
    read = [(plan, one) for plan, one in reads if not isinstance(one, FramePart)]
    parts = max(1, min(len(read), _TASKS * access.parallelism(spark)))
    splits, levels = _Splits(source_task, read, parts), [_Shares(task, most_map_bytes) for task in share_tasks]
    if not access.has_jvm:
        return [Cell.of(content) for content in run_frames(spark, parts, splits, levels, placement.shares)]
    if most_map_bytes:
        placement.update(spark.sparkContext)
    plans: dict[FrameRows, dict[int, SplitPlan]] = {}
    for plan, one in reads:
        if isinstance(one, FramePart):
            plans.setdefault(one.rows, {})[one.number] = plan
    frames = [(rows, _Parts(source_task, of_rows, rows.decoded)) for rows, of_rows in plans.items()]
    return [Cell.of(content) for content in _run_rdds(spark, parts, splits, frames, levels, placement)]


def _run_rdds(
    spark: SparkSession,
    parts: int,
    splits: _Splits,
    frames: Sequence[tuple[FrameRows, _Parts]],
    levels: Sequence[_Shares],
    placement: SharePlacement,
) -> list[bytes]:
    context = spark.sparkContext
    made = [map_bytes(rows.contents, task) for rows, task in frames]
    if splits.reads or not made:
        made.append(make_bytes(context, parts, splits))
    cells = union_bytes(context, made)
    try:
        for level_below, level in enumerate(levels):
            context.setLocalProperty(_STAGE_NAME, f"{_LEVEL}{level_below}")
            cells = map_bytes(placement.apply(divide_bytes(cells, placement.shares, Cell.part_of)), level)
        return cells.collect()
    finally:
        with suppress(Exception):  # the JVM may be gone
            context.setLocalProperty(_STAGE_NAME, cast("Any", None))
            forget_shuffles(cells)


def failed_task(spark: SparkSession, text: str) -> str:
    """Returns which task it was that ended the job of an epoch, by Spark's message: its number is that of a share, and at level 0 one of a part of the splits."""
    found = _FAILED_TASK.search(text) if adapter_of(spark).has_jvm else None
    stage = spark.sparkContext.statusTracker().getStageInfo(int(found[2])) if found is not None else None
    if found is None or stage is None:
        return "a task"
    level = stage.name if stage.name.startswith(_LEVEL) else "the last level"  # RDD.collect names its stage itself
    return f"task {found[1]} of {stage.numTasks} of {level}"
