"""What an epoch reads of a source, and where the next one begins."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pytest
from sent_rows import SentRows

from table_common.connector import ArrowScanProvider, Offset, ReadLimit, SourceProvider, SourceReader
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import IntType, RowType
from table_runtime.scans import ScanOffsets
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
    sent = SentRows()
    return SourceOffsets(source, source.scan, sent, position, most_rows, splits, is_once=is_once)


def numbers_of(reads: Any) -> dict[str, list[int]]:
    return {name: [n for batch in read() for n in batch.column(0).to_pylist()] for name, read in reads.items()}


def test_epochs_read_the_rows_up_to_the_limit_split_by_split() -> None:
    commits: list[Any] = []
    source = offsets_of(Numbers(5, commits), {}, 3)
    found: list[dict[str, list[int]]] = []
    while not source.has_ended:
        found.append(numbers_of(source.plan()))
        source.taken()
        assert len(commits) == len(found) - 1  # the source keeps the rows until the epoch is decided
        source.committed()
        source.committed()
    assert found == [{"split 0": [0, 2], "split 1": [1]}, {"split 1": [3], "split 0": [4]}]
    assert commits == [3, 5]
    assert source.position == {"offset": 5, "ended": True}


def test_an_epoch_that_does_not_stand_is_read_again() -> None:
    source = offsets_of(Numbers(3, []), {"offset": 1}, 1)
    assert list(source.plan()) == list(source.plan()) == ["split 1"]
    assert source.position == {"offset": 2}


def test_a_range_that_was_read_in_part_is_finished_first() -> None:
    source = offsets_of(Numbers(5, []), {"offset": 0, "end": 3, "rows": 2}, 10)
    assert numbers_of(source.plan()) == {"split 0": [2]}
    assert source.position == {"offset": 3}
    source.taken()
    assert numbers_of(source.plan()) == {"split 1": [3], "split 0": [4]}


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


@pytest.mark.parametrize("most_rows", [1, 2, 100])
def test_a_source_that_always_has_more_rows_is_read_up_to_its_end_at_the_start(most_rows: int) -> None:
    source = offsets_of(Busy(4, []), {}, most_rows, is_once=True)
    found: list[int] = []
    while not source.is_read:
        found += chain(*numbers_of(source.plan()).values())
        source.taken()
    assert sorted(found) == [0, 1, 2, 3, 4]


def test_splits_of_an_ended_source_are_not_idle() -> None:
    source = offsets_of(Numbers(2, []), {}, 1, ["split 9"], idle=1)
    source.plan()
    source.taken()
    assert source.idle_splits().keys() == {"split 9", "split 0"}
    source.plan()
    assert source.has_ended
    assert source.idle_splits() == {}


def test_rows_of_this_process_are_read_here() -> None:
    class Here(Numbers):
        is_in_process = True  # type: ignore[assignment]

        def create_reader(self) -> Reader:
            return Unpicklable()

    class Unpicklable(Reader):
        def __reduce__(self) -> Any:
            raise AssertionError("it must not travel")

    assert numbers_of(pickle.loads(pickle.dumps(offsets_of(Here(3, []), {}, 10).plan()))) == {"split 0": [0, 2], "split 1": [1]}


class Endless(ArrowScanProvider):
    is_bounded = False

    def splits(self) -> Sequence[Any]:
        return [0]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([1], pa.int32())}, SCHEMA)
