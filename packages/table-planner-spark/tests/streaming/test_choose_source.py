"""How a job on Spark reads each of its sources."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from table_common.configuration import Configuration
from table_common.connector import ArrowScanProvider
from table_common.gate import Gate
from table_common.types import IntType, RowType
from table_planner_spark.session.engine_session import EngineSession, open_session
from table_planner_spark.streaming.choose_source import epoch_source
from table_planner_spark.streaming.row_transfer import RowTransfer
from table_runtime.run import ExecutionContext
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.streaming import Source, SourceRows, SourceSplits

SCHEMA = pa.schema([pa.field("n", pa.int32(), nullable=False)])


class Numbers(ArrowScanProvider):
    def __init__(self, *state: Any) -> None:
        self.state = state

    def splits(self) -> Sequence[Any]:
        return [1, 2]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([split], pa.int32())}, SCHEMA)


@pytest.mark.parametrize(
    ("state", "position", "kind"), [((), {}, SourceSplits), ((threading.Lock(),), {}, SourceRows), ((), {"rows": 1}, SourceRows)]
)
def test_workers_read_splits_unless_the_source_cannot_travel(
    spark: SparkSession, tmp_path: Path, state: Any, position: Any, kind: type
) -> None:
    session: EngineSession = open_session(Configuration(), spark)
    scan = ScanArrow(Numbers(*state), RowType.of([("n", IntType(nullable=False))]), SCHEMA, "c.d.t", "numbers")
    sent = RowTransfer(Gate.location_of_program(str(tmp_path)), "t")
    with closing(ExecutionContext(parallelism=1)) as context:
        found = epoch_source(Source(scan, SCHEMA, False, table="c.d.t"), position, (), 100, sent, session, context, ("run", 0))
        assert isinstance(found, kind)
        numbers = [n for read in found.plan().values() for batch in read() for n in batch.column(0).to_pylist()]
        assert numbers == ([2] if position else [1, 2])
