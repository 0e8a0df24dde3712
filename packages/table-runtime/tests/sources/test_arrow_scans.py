from __future__ import annotations

import pickle
import queue
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from table_common.arrow import import_batch, to_python_rows
from table_common.connector import (
    ArrowScanProvider,
    InputFormat,
    InputFormatProvider,
    InputSplit,
    Offset,
    ReadLimit,
    RowKind,
    ScanTableSource,
    SourceFunction,
    SourceFunctionProvider,
    SourceProvider,
    SourceReader,
    SourceSplit,
)
from table_common.data import GenericRowData, RowData
from table_common.functions import FunctionContext
from table_common.types import BigIntType, RowType
from table_runtime.sources import as_arrow_scan

ROW = RowType.of([("n", BigIntType())], nullable=False)
EVENTS: list[str] = []


class Counting(SourceFunction):
    def __init__(self, count: int) -> None:
        self.count = count

    def open(self, context: FunctionContext) -> None:
        EVENTS.append("open")

    def close(self) -> None:
        EVENTS.append("close")

    def run(self) -> Iterator[RowData]:
        for number in range(self.count):
            yield GenericRowData.of(number)


class Decades(InputFormat):
    def create_input_splits(self) -> Sequence[InputSplit]:
        return [0, 10]

    def read(self, split: InputSplit) -> Iterator[RowData]:
        assert isinstance(split, int)
        return (GenericRowData.of(split + number) for number in range(2))


@dataclass(frozen=True)
class Lines:
    split_id: str
    numbers: range


class Reader(SourceReader):
    def read(self, split: SourceSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, Lines)
        yield pa.RecordBatch.from_arrays([pa.array(split.numbers, pa.int64())], names=["n"])

    def close(self) -> None:
        EVENTS.append("close reader")


class Log(SourceProvider):
    def __init__(self, length: int) -> None:
        self.length = length

    @property
    def is_bounded(self) -> bool:
        return False

    def initial_offset(self) -> Offset:
        return 0

    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        return self.length

    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        assert isinstance(start, int)
        assert isinstance(end, int)
        return [Lines("log", range(start, end))] if end > start else []

    def create_reader(self) -> SourceReader:
        return Reader()

    def close(self) -> None:
        EVENTS.append("close source")


def rows_of(provider: ScanTableSource.ScanRuntimeProvider) -> list[tuple[object, ...]]:
    scan = pickle.loads(pickle.dumps(as_arrow_scan(provider, ROW)))
    assert isinstance(scan, ArrowScanProvider)
    return [row for split in scan.splits() for row in to_python_rows(map(import_batch, scan.read(split)), ROW)]


def test_rows_of_a_function_come_in_batches() -> None:
    EVENTS.clear()
    assert rows_of(SourceFunctionProvider(Counting(20_000))) == [(n,) for n in range(20_000)]
    assert EVENTS == ["open", "close"]


def test_a_function_is_closed_when_reading_stops_early() -> None:
    EVENTS.clear()
    scan = as_arrow_scan(SourceFunctionProvider(Counting(20_000)), ROW)
    assert isinstance(scan, ArrowScanProvider)
    reading = iter(scan.read(scan.splits()[0]))
    next(reading)
    reading.close()  # type: ignore[attr-defined]  # a generator
    del reading
    assert EVENTS == ["open", "close"]


def test_splits_of_a_format_are_read_one_by_one() -> None:
    assert rows_of(InputFormatProvider(Decades())) == [(0,), (1,), (10,), (11,)]


def test_offsets_are_read_up_to_the_latest() -> None:
    assert rows_of(Log(3)) == [(0,), (1,), (2,)]


def test_offsets_without_rows_give_none() -> None:
    assert rows_of(Log(0)) == []


def test_a_function_without_an_end_stays_unbounded() -> None:
    scan = as_arrow_scan(SourceFunctionProvider(Counting(1), bounded=False), ROW)
    assert not scan.is_bounded


class Changing(SourceFunction):
    def run(self) -> Iterator[RowData]:
        yield GenericRowData.of_kind(RowKind.DELETE, 1)


def test_kinds_of_rows_stand_behind_the_columns() -> None:
    scan = as_arrow_scan(SourceFunctionProvider(Changing()), ROW, changes=True)
    assert isinstance(scan, ArrowScanProvider)
    (batch,) = map(import_batch, scan.read(scan.splits()[0]))
    assert batch.column(1).to_pylist() == [RowKind.DELETE.value]


def test_other_providers_stay_what_they_are() -> None:
    scan = as_arrow_scan(Log(1), ROW)
    assert as_arrow_scan(scan, ROW) is scan


def test_the_reader_of_a_split_is_closed() -> None:
    EVENTS.clear()
    rows_of(Log(3))
    assert EVENTS == ["close reader"]


def test_closing_the_scan_closes_the_source() -> None:
    EVENTS.clear()
    scan = as_arrow_scan(Log(3), ROW)
    assert isinstance(scan, ArrowScanProvider)
    scan.close()
    assert EVENTS == ["close source"]


def test_rows_of_a_function_without_an_end_are_given_as_they_come() -> None:
    items: queue.Queue[int | None] = queue.Queue()

    class Feed(SourceFunction):
        def run(self) -> Iterator[RowData]:
            while (item := items.get()) is not None:
                yield GenericRowData.of(item)

        def __deepcopy__(self, memo: object) -> Feed:
            return self

    provider = as_arrow_scan(SourceFunctionProvider(Feed(), bounded=False), RowType.of([("a", BigIntType())]))
    assert isinstance(provider, ArrowScanProvider)
    assert not provider.is_bounded
    batches = iter(provider.read(provider.splits()[0]))
    for number in range(2):
        items.put(number)
        assert next(batches).to_pylist() == [{"a": number}]  # type: ignore[attr-defined]  # a record batch
    items.put(None)
    assert list(batches) == []
