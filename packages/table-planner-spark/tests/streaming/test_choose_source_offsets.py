"""What an epoch reads of a source, and where the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowScanProvider, Offset, ReadLimit, SourceProvider, SourceReader
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass, replace
from table_common.gate import Gate
from table_common.types import IntType, RowType
from table_planner_spark.streaming.choose_source import require_offsets
from table_planner_spark.streaming.driver import _require_sendable_source
from table_planner_spark.streaming.row_transfer import RowTransfer
from table_runtime.scans import ScanOffsets
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.streaming import Source, SourceOffsets

SCHEMA = pa.schema([pa.field("n", pa.int32(), nullable=False)])


@dataclass(frozen=True)
class Numbers(SourceProvider):
    count: int
    commits: list[Any]
    is_bounded = True

    def initial_offset(self) -> Offset:
        return 0

    def latest_offset(self, start: Any, limit: ReadLimit | None = None) -> Offset:
        rows = None if limit is None else limit.rows
        return self.count if rows is None else min(self.count, start + rows)

    def has_ended(self, start: Offset) -> bool:
        return start == self.count

    def plan(self, start: Any, end: Any) -> Sequence[Range]:
        return [Range(f"split {n % 2}", n) for n in range(start, end)]

    def create_reader(self) -> Reader:
        return Reader()

    def commit(self, end: Offset) -> None:
        self.commits.append(end)


@dataclass(frozen=True)
class Range:
    split_id: str
    number: int


class Reader(SourceReader):
    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([split.number], pa.int32())}, SCHEMA)


def source_of(provider: SourceProvider) -> Source:
    scan = ScanOffsets(provider, RowType.of([("n", IntType(nullable=False))]), SCHEMA, "c.d.t", "numbers", changes=False)
    return Source(scan, SCHEMA, False, table="c.d.t")


def offsets_of(
    provider: SourceProvider, position: dict[str, Any], most_rows: int, splits: Sequence[str] = (), idle: int = 0, *, is_once: bool = False
) -> SourceOffsets:
    source = replace(source_of(provider), idle_timeout=idle)
    assert isinstance(source.scan, ScanOffsets)
    sent = RowTransfer(Gate.location_of_program("/nowhere"), "t")
    return SourceOffsets(source, source.scan, sent, position, most_rows, splits, is_once=is_once)


def numbers_of(reads: Any) -> dict[str, list[int]]:
    return {name: [n for batch in read() for n in batch.column(0).to_pylist()] for name, read in reads.items()}


class Busy(Numbers):
    """One row more at each look."""

    is_bounded = False  # type: ignore[assignment]

    def latest_offset(self, start: Any, limit: ReadLimit | None = None) -> Offset:
        self.commits.append("row")
        ends = [self.count + len(self.commits)]
        if limit is not None:
            ends += [start + limit.rows] if limit.rows is not None else []
            ends += [limit.until] if limit.until is not None else []
        return max(start, min(ends))

    def has_ended(self, start: Offset) -> bool:
        return False


def test_a_source_that_cannot_be_sent_to_workers_is_refused_by_name() -> None:
    class Locked(Numbers):
        def __reduce__(self) -> Any:
            raise TypeError("cannot pickle a lock")

    with pytest.raises(
        TableException,
        match=r"source of c\.d\.t cannot be sent to Spark's workers.*Locked cannot be pickled \(TypeError: cannot pickle a lock",
    ):
        _require_sendable_source(source_of(Locked(3, [])))
    _require_sendable_source(source_of(Numbers(3, [])))


def test_a_source_without_offsets_and_without_end_is_refused() -> None:
    source = source_of(Numbers(1, []))
    require_offsets(source)
    scan = ScanArrow(Endless(), RowType.of([("n", IntType(nullable=False))]), SCHEMA, "c.d.t", "numbers")
    with pytest.raises(TableException, match=r"c\.d\.t is unbounded and has no offsets"):
        require_offsets(replace(source, scan=scan))


class Endless(ArrowScanProvider):
    is_bounded = False

    def splits(self) -> Sequence[Any]:
        return [0]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([1], pa.int32())}, SCHEMA)
