"""Scans in splits that other processes read."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pyarrow as pa

from table_common.connector import ArrowScanProvider, InProcessData, InProcessScanProvider
from table_common.types import IntType, RowType
from table_runtime.batch.values import Values
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.scans.scan_splits import divide_scan

SCHEMA = pa.schema([pa.field("n", pa.int32(), nullable=False)])
ROW_TYPE = RowType.of([("n", IntType(nullable=False))])


class Numbers(ArrowScanProvider):
    def splits(self) -> Sequence[Any]:
        return [1, 2]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([split], pa.int32())}, SCHEMA)


class Here(InProcessScanProvider):
    data: InProcessData | None = None
    filters = ()
    columns = ()
    splits = Numbers.splits
    read = Numbers.read


def test_another_process_reads_the_splits_of_a_scan() -> None:
    with closing(ExecutionContext(parallelism=1)) as context:
        scan = ScanArrow(Numbers(), ROW_TYPE, SCHEMA, "c.d.t", "numbers")
        divided = divide_scan(scan, 2, context.snapshots)
        assert divided is not None
        reader = pickle.loads(pickle.dumps(divided.reader))
        assert [batch.column(0).to_pylist() for split in divided.splits for batch in reader(split)] == [[1], [2]]


def test_rows_of_this_process_have_no_splits() -> None:
    scans: list[Operator] = [ScanArrow(Here(), ROW_TYPE, SCHEMA, "c.d.t", "here"), Values(SCHEMA, list, 0)]
    with closing(ExecutionContext(parallelism=1)) as context:
        assert [divide_scan(scan, 2, context.snapshots) for scan in scans] == [None, None]
