"""Unbounded rows of a Python object: taken when they come, each at most once."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

import pyarrow as pa
import pytest

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ReadableConfig
from table_common.connector import Offset, ReadLimit, ScanTableSource
from table_common.exceptions import TableRuntimeException
from table_common.factories import DynamicTableFactory
from table_common.types import parse_logical_type
from table_runtime.connectors.python import PythonTableFactory, register_callable, unregister_callable
from table_runtime.connectors.python.scan import PythonScan
from table_runtime.connectors.python.stream import PythonStream

STREAMING = ScanTableSource.ScanContext(is_bounded_required=False)


def source_of(target: object, columns: tuple[int, ...] | None = None) -> Any:
    register_callable("mine", target)
    schema = ResolvedSchema.physical([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING"))])
    options = {"connector": "python", "callable": "mine", "bounded": "false"}
    table = ResolvedCatalogTable(CatalogTable(Schema(()), options=options), schema)
    source = PythonTableFactory().create_dynamic_table_source(
        DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())
    )
    unregister_callable("mine")
    if columns is not None:
        source.apply_projection([(column,) for column in columns], schema.to_row_type())
    return source


class Feed:
    """A generator whose items a test puts; None ends it."""

    def __init__(self) -> None:
        self.items: queue.Queue[Any] = queue.Queue()
        self.starts = 0
        self.is_closed = False

    def __call__(self) -> Iterator[Any]:
        self.starts += 1
        try:
            while (item := self.items.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.is_closed = True


class Reading:
    """The calls of a driver."""

    def __init__(self, target: Callable[[], Any], columns: tuple[int, ...] | None = None) -> None:
        provider = source_of(target, columns).get_scan_runtime_provider(STREAMING)
        assert isinstance(provider, PythonStream)
        self.provider = provider
        self.offset: Offset = provider.initial_offset()
        self.reader = provider.create_reader()

    def read(self, count: int, limit: ReadLimit | None = None) -> list[dict[str, Any]]:
        """Reads ranges until there are ``count`` rows."""
        rows: list[dict[str, Any]] = []
        while len(rows) < count:
            end = self.provider.latest_offset(self.offset, limit)
            if end == self.offset:
                assert self.provider.wait(self.offset, 10.0)
                assert not self.provider.has_ended(self.offset)
            rows += self.between(self.offset, end)
            self.offset = end
        assert len(rows) == count
        return rows

    def between(self, start: Offset, end: Offset) -> list[dict[str, Any]]:
        return [
            row
            for split in self.provider.plan(start, end)
            for batch in self.reader.read(split)
            for row in cast("pa.RecordBatch", batch).to_pylist()
        ]


def test_rows_are_read_as_soon_as_they_come() -> None:
    feed = Feed()
    reading = Reading(feed)
    assert not reading.provider.wait(reading.offset, 0.01)
    for number in range(3):
        feed.items.put((number, "x"))
        assert reading.read(1) == [{"a": number, "b": "x"}]
    assert reading.offset == 3
    feed.items.put(pa.table({"b": ["y", "z"], "a": [7, 8]}))
    feed.items.put({"a": 9})
    assert [row["a"] for row in reading.read(3)] == [7, 8, 9]


def test_a_range_keeps_to_the_limit_of_rows() -> None:
    feed = Feed()
    reading = Reading(feed)
    feed.items.put(pa.table({"a": list(range(10)), "b": ["x"] * 10}))
    assert [row["a"] for row in reading.read(3, ReadLimit(rows=3))] == [0, 1, 2]
    assert [row["a"] for row in reading.read(3, ReadLimit(until=6))] == [3, 4, 5]
    assert reading.provider.latest_offset(6, ReadLimit(until=6)) == 6
    assert [row["a"] for row in reading.read(4)] == [6, 7, 8, 9]


def test_rows_that_were_read_do_not_come_again() -> None:
    feed = Feed()
    reading = Reading(feed)
    feed.items.put((1, "x"))
    reading.read(1)
    assert reading.between(0, 1) == []


def test_a_job_that_resumes_goes_on_with_what_comes_then() -> None:
    feed = Feed()
    reading = Reading(feed)
    reading.offset = 5  # that of a checkpoint
    assert reading.between(5, 7) == [], "a range that was read in part before is lost"
    reading.offset = 7
    feed.items.put((1, "x"))
    assert reading.read(1) == [{"a": 1, "b": "x"}]
    assert reading.offset == 8


def test_the_end_of_the_rows_is_that_of_the_source() -> None:
    feed = Feed()
    reading = Reading(feed)
    feed.items.put((1, "x"))
    feed.items.put(None)
    assert not reading.provider.has_ended(0)
    reading.read(1)
    assert reading.provider.wait(reading.offset, 10.0)
    assert reading.provider.has_ended(reading.offset)


def test_a_failure_comes_behind_the_rows_before_it() -> None:
    feed = Feed()
    reading = Reading(feed)
    feed.items.put((1, "x"))
    feed.items.put(KeyError("broken"))
    assert reading.read(1) == [{"a": 1, "b": "x"}]
    assert reading.provider.wait(reading.offset, 10.0)
    assert not reading.provider.has_ended(reading.offset)
    with pytest.raises(TableRuntimeException, match=r"The Python callable 'mine' of table c\.d\.t failed: KeyError: 'broken'"):
        reading.provider.latest_offset(reading.offset)


def test_rows_that_do_not_match_the_table_are_an_error() -> None:
    feed = Feed()
    feed.items.put(("text", "x"))
    with pytest.raises(TableRuntimeException, match="returned rows that do not match the table"):
        Reading(feed).read(1)


def test_rows_are_not_taken_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.connectors.python.stream._MOST_ITEMS", 4)
    taken = 0

    def rows() -> Iterator[tuple[int, str]]:
        nonlocal taken
        while True:
            taken += 1
            yield taken, "x"

    reading = Reading(rows)
    assert not reading.provider.has_ended(0)
    reading.provider.wait(0, 10.0)
    for _ in range(20):
        reading.provider.latest_offset(reading.offset)
        reading.provider.wait(reading.offset, 0.001)
    assert taken <= 4 * 22
    reading.provider.close()


def test_rows_that_a_limit_left_need_no_wait() -> None:
    feed = Feed()
    reading = Reading(feed)
    for number in range(3):
        feed.items.put((number, "x"))
    feed.items.put(None)
    assert reading.provider.wait(reading.offset, 10.0)
    while reading.provider.latest_offset(reading.offset) != 3:
        assert reading.provider.wait(3, 10.0) or reading.provider.latest_offset(reading.offset) == 3
    reading.read(2, ReadLimit(rows=2))
    assert reading.provider.wait(reading.offset, 0.0)
    assert not reading.provider.has_ended(reading.offset)
    assert [row["a"] for row in reading.read(1)] == [2]
    assert reading.provider.wait(reading.offset, 10.0)
    assert reading.provider.has_ended(reading.offset)


def test_closing_stops_taking_rows_and_reading_can_begin_again() -> None:
    feed = Feed()
    reading = Reading(feed)
    feed.items.put((1, "x"))
    reading.read(1)
    reading.provider.close()
    feed.items.put((2, "x"))  # for the object that waits for its next row, or for the new one
    reading.provider.latest_offset(reading.offset)
    feed.items.put((3, "x"))
    found: list[dict[str, Any]] = []
    while not found:
        assert reading.provider.wait(reading.offset, 10.0)
        end = reading.provider.latest_offset(reading.offset)
        found, reading.offset = reading.between(reading.offset, end), end
    assert {row["a"] for row in found} <= {2, 3}
    assert feed.starts == 2


def test_asynchronous_rows_end_when_the_source_is_closed() -> None:
    has_ended = queue.Queue[bool]()

    async def rows() -> AsyncIterator[tuple[int, str]]:
        try:
            yield 1, "x"
            await asyncio.sleep(3_600)
        finally:
            has_ended.put(True)

    reading = Reading(rows)
    assert reading.read(1) == [{"a": 1, "b": "x"}]
    reading.provider.close()
    assert has_ended.get(timeout=10)


def test_columns_are_chosen_and_may_be_none() -> None:
    feed = Feed()
    reading = Reading(feed, columns=(1,))
    feed.items.put((1, "x"))
    assert reading.read(1) == [{"b": "x"}]
    feed = Feed()
    reading = Reading(feed, columns=())
    feed.items.put((1, "x"))
    assert reading.read(1) == [{}]


def test_in_batch_mode_the_source_says_that_it_does_not_end() -> None:
    source = source_of(Feed())
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    assert isinstance(provider, PythonScan)
    assert not provider.is_bounded
    assert source.as_summary_string() == "python(mine, unbounded, at-most-once)"
