"""The levels of an epoch as DataFrames of cells."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from table_planner_spark.spark_internals import SPARK_VERSION
from table_planner_spark.streaming.epoch_frames import FRAME_OPTIONS, run_frames
from table_runtime.streaming import Cell, Kind

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


def cell(part: int, origin: int, text: str) -> bytes:
    return Cell(part, 0, origin, 0, 0, Kind.NOTE, 0, 0, pa.py_buffer(text.encode())).to_bytes()


def read(part: int) -> Iterator[bytes]:
    for number in range(100):
        yield cell(number % 3, part, "x" * number)


def count(share: int, contents: Iterator[bytes]) -> Iterator[bytes]:
    cells = [Cell.of(content) for content in contents]
    assert {each.part for each in cells} <= {share}
    yield cell(0, share, str(sum(each.payload.size for each in cells)))


@pytest.mark.skipif(SPARK_VERSION < (4, 1), reason="Spark 4.0 does not divide rows by a number")
def test_each_share_gets_the_cells_of_its_part_and_has_a_task_without_any(spark: SparkSession) -> None:
    session = spark.newSession()
    for name, value in FRAME_OPTIONS.items():
        session.conf.set(name, value)
    found = [Cell.of(content) for content in run_frames(session, 2, read, [count], 4)]
    sizes = [2 * sum(range(part, 100, 3)) for part in range(3)]
    assert {each.origin: int(each.payload.to_pybytes()) for each in found} == {**dict(enumerate(sizes)), 3: 0}
