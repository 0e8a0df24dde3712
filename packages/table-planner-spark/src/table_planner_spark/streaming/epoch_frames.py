"""The levels of an epoch as DataFrames, for Spark Connect, which has no RDDs: a row is a cell and the share that gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from table_common.frozen_dataclass import dataclass
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.spark_internals import repartition_by_number
from table_runtime.streaming import Cell

FRAME_OPTIONS = {
    "spark.sql.adaptive.enabled": "false",  # each share has one task, also without cells
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # of cells, which may have megabytes
}
"""The options of the session in which epochs run."""
_CELLS = StructType([StructField("part", IntegerType(), False), StructField("cell", BinaryType(), False)])
_SCHEMA = pa.schema([pa.field("part", pa.int32(), False), pa.field("cell", pa.binary(), False)])
_MOST_CELLS, _MOST_BYTES = 64, 8 << 20
"""The most cells of a batch, and the number of bytes from which no more are added."""


@dataclass(frozen=True, slots=True)
class _Made:
    """Gives what a function makes of the number of the part, which is its only row."""

    function: Callable[[int], Iterator[bytes]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from _batches(self.function(part))


@dataclass(frozen=True, slots=True)
class _Mapped:
    """Gives what a function makes of the number and the cells of the part."""

    function: Callable[[int, Iterator[bytes]], Iterator[bytes]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        return _batches(self.function(context.partitionId(), (cell for batch in batches for cell in batch.column("cell").to_pylist())))


def _batches(cells: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    waiting: list[bytes] = []
    for cell in cells:
        waiting.append(cell)
        if len(waiting) == _MOST_CELLS or sum(map(len, waiting)) >= _MOST_BYTES:
            yield _batch(waiting)
            waiting = []
    if waiting:
        yield _batch(waiting)


def _batch(cells: Sequence[bytes]) -> pa.RecordBatch:
    return pa.record_batch([pa.array(map(Cell.part_of, cells), pa.int32()), pa.array(cells, pa.binary())], schema=_SCHEMA)


def run_frames(
    spark: SparkSession,
    parts: int,
    splits: Callable[[int], Iterator[bytes]],
    levels: Sequence[Callable[[int, Iterator[bytes]], Iterator[bytes]]],
    shares: int,
) -> list[bytes]:
    """Runs the reading tasks and the levels above in a session with ``FRAME_OPTIONS``; returns the cells for the client."""
    access = adapter_of(spark)
    cells = access.map_in_arrow(spark.range(0, parts, 1, parts), _Made(splits), _CELLS, "level 0")
    for number, level in enumerate(levels, 1):
        cells = access.map_in_arrow(repartition_by_number(cells, shares, "part"), _Mapped(level), _CELLS, f"level {number}")
    found: list[bytes] = cells.select("cell").toArrow().column(0).to_pylist()
    return found
