"""What an epoch reads of a source, and where the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import IntType, RowType
from table_planner_spark.streaming.source_offsets import SourceOffsets, require_offsets
from table_runtime.operators import Operator, ScanOffsets
from table_runtime.streaming import Source

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


class Values(Operator):
    def __init__(self) -> None:
        super().__init__(SCHEMA)

    def batches(self, context: Any) -> Iterator[pa.RecordBatch]:
        yield from ()


def source_of(provider: SourceProvider) -> Source:
    scan = ScanOffsets(provider, RowType.of([("n", IntType(nullable=False))]), SCHEMA, "c.d.t", "numbers", changes=False)
    return Source(scan, SCHEMA, False, table="c.d.t")


def test_epochs_read_the_rows_up_to_the_limit_split_by_split() -> None:
    commits: list[Any] = []
    source = SourceOffsets(source_of(Numbers(5, commits)), {}, 3)
    found: list[dict[str, list[int]]] = []
    while not source.has_ended:
        reads = source.plan()
        found.append({name: [n for batch in read() for n in batch.column(0).to_pylist()] for name, read in reads.items()})
        source.taken()
    assert found == [{"split 0": [0, 2], "split 1": [1]}, {"split 1": [3], "split 0": [4]}, {}]
    assert commits == [3, 5]
    assert source.position == {"offset": 5, "ended": True}


def test_an_epoch_that_does_not_stand_is_read_again() -> None:
    source = SourceOffsets(source_of(Numbers(2, [])), {"offset": 1}, 10)
    assert list(source.plan()) == list(source.plan()) == ["split 1"]
    assert source.position == {"offset": 2}


def test_a_position_within_a_range_is_refused() -> None:
    with pytest.raises(TableException, match=r"within a range of c\.d\.t"):
        SourceOffsets(source_of(Numbers(2, [])), {"offset": 0, "end": 2, "rows": 1}, 10)


def test_a_scan_that_was_read_in_part_is_refused() -> None:
    source = Source(
        ScanOffsets(Numbers(2, []), RowType.of([("n", IntType(nullable=False))]), SCHEMA, "c.d.t", "numbers", changes=False), SCHEMA, False
    )
    with pytest.raises(TableException, match="was read in part"):
        SourceOffsets(replace(source, scan=Values()), {"rows": 1}, 10)
    SourceOffsets(replace(source, scan=Values()), {"rows": 1, "ended": True}, 10)


def test_splits_of_an_ended_source_are_not_idle() -> None:
    source = SourceOffsets(replace(source_of(Numbers(1, [])), idle_timeout=1), {}, 10, ["split 9"])
    source.plan()
    source.taken()
    assert source.idle_splits().keys() == {"split 9", "split 1", "split 0"} - {"split 1"}
    source.plan()
    assert source.has_ended
    assert source.idle_splits() == {}


def test_rows_of_this_process_are_refused() -> None:
    class Here(Numbers):
        is_in_process = True  # type: ignore[assignment]

    require_offsets(source_of(Numbers(1, [])))
    with pytest.raises(TableException, match="are in this process"):
        require_offsets(source_of(Here(1, [])))
