"""Readers of sources that a worker keeps between epochs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import SourceReader
from table_runtime.streaming.share_epochs import reader_cache as kept_readers
from table_runtime.streaming.share_epochs.reader_cache import ReadSplits, kept_reader

SCHEMA = pa.schema([("n", pa.int64())])


class Reader(SourceReader):
    def __init__(self) -> None:
        self.closed = False
        self.left_out = 0

    @property
    def ignored(self) -> int:
        return self.left_out

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        self.left_out += 1
        if split == "bad":
            raise OSError("the connection is lost")
        yield pa.record_batch({"n": pa.array([int(split)])}, SCHEMA)

    def close(self) -> None:
        self.closed = True


class Scan:
    """A scan whose provider makes readers."""

    def __init__(self) -> None:
        self.offsets = self
        self.readers: list[Reader] = []

    def create_reader(self) -> Reader:
        self.readers.append(Reader())
        return self.readers[-1]

    def with_table_in_errors(self, call: Any) -> Any:
        return call()

    def read_split(self, reader: Reader, split: str) -> Iterator[pa.RecordBatch]:
        yield from reader.read(split)


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    monkeypatch.setattr(kept_readers, "_kept", found)
    return found


def read(scan: Any, *splits: str, key: object = ("run", 0)) -> tuple[list[int], int]:
    rows = ReadSplits(scan, splits, key)()  # type: ignore[arg-type]
    return [n for batch in rows for n in batch.column(0).to_pylist()], rows.ignored


def test_epochs_share_a_reader_and_each_says_what_it_left_out() -> None:
    scan = Scan()
    assert read(scan, "1", "2") == ([1, 2], 2)
    assert read(scan, "3") == ([3], 1)
    assert len(scan.readers) == 1
    assert not scan.readers[0].closed


def test_sources_and_runs_have_readers_of_their_own() -> None:
    scan = Scan()
    for key in [("run", 0), ("run", 1), ("next", 0)]:
        read(scan, "1", key=key)
    assert len(scan.readers) == 3


def test_a_reader_that_fails_is_closed_and_not_used_again() -> None:
    scan = Scan()
    with pytest.raises(OSError, match="lost"):
        read(scan, "bad")
    assert scan.readers[0].closed
    assert read(scan, "1") == ([1], 1)
    assert len(scan.readers) == 2


def test_a_reader_whose_rows_nobody_takes_is_closed() -> None:
    scan: Any = Scan()
    rows = iter(ReadSplits(scan, ["1", "2"], "key")())
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert scan.readers[0].closed


def test_few_readers_are_kept_and_none_for_long(kept: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scan: Any = Scan()
    for key in range(kept_readers._MOST_READERS + 3):
        read(scan, "1", key=key)
    assert len(kept) == kept_readers._MOST_READERS
    assert [reader.closed for reader in scan.readers] == [True] * 3 + [False] * kept_readers._MOST_READERS
    monkeypatch.setattr(kept_readers, "_MOST_SECONDS", -1.0)
    with kept_reader("another", scan):
        assert all(reader.closed for reader in scan.readers[:-1])
        assert not kept
