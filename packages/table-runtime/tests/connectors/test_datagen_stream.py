"""The rows of ``datagen`` by offset: ranges, replay, rates."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import pytest

from table_common.connector import Offset, ReadLimit, ScanTableSource
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_runtime.connectors import datagen_stream
from table_runtime.connectors.datagen import DataGenProvider, DataGenTableFactory
from table_runtime.connectors.datagen_stream import DataGenStream, PacedRows

TableContext = Callable[..., DynamicTableFactory.Context]
COLUMNS = {"a": "BIGINT", "b": "STRING", "t": "TIMESTAMP(3)", "r": "ROW<x DATE, y INT>"}
STREAMING = ScanTableSource.ScanContext(is_bounded_required=False)
UNLIMITED = {"rows-per-second": "1000000000"}
SEQUENCE = {"fields.a.kind": "sequence", "fields.a.start": "10", "fields.a.end": "14"}


def provider_of(table: TableContext, columns: dict[str, str], **options: str) -> DataGenStream:
    source = DataGenTableFactory().create_dynamic_table_source(table(columns, {"connector": "datagen", **options}))
    assert isinstance(source, ScanTableSource)
    provider = source.get_scan_runtime_provider(STREAMING)
    assert isinstance(provider, DataGenStream)
    return provider


def rows_between(provider: DataGenStream, start: Offset, end: Offset, reader: Any = None) -> list[dict[str, Any]]:
    used = provider.create_reader() if reader is None else reader
    return [row for split in provider.plan(start, end) for batch in used.read(split) for row in cast("Any", batch).to_pylist()]


def ranges(provider: DataGenStream, sizes: list[int]) -> list[tuple[Offset, Offset]]:
    offsets = [provider.initial_offset()]
    for size in sizes:
        offsets.append(provider.latest_offset(offsets[-1], ReadLimit(rows=size)))
    return list(pairwise(offsets))


def test_a_range_has_the_same_rows_when_it_is_read_again_elsewhere(table: TableContext) -> None:
    provider = provider_of(table, COLUMNS, **UNLIMITED)
    found = ranges(provider, [3, 5, 2])
    reader = provider.create_reader()
    rows = [rows_between(provider, start, end, reader) for start, end in found]
    assert [len(some) for some in rows] == [3, 5, 2]
    again = pickle.loads(pickle.dumps(provider_of(table, COLUMNS, **UNLIMITED)))  # another seed: that of the offset counts
    stored = json.loads(json.dumps(found))
    assert [rows_between(again, start, end) for start, end in stored] == rows


def test_the_cut_of_ranges_changes_no_value_but_times(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datagen_stream, "BLOCK_ROWS", 4)
    provider = provider_of(table, {"a": "BIGINT", "b": "STRING"}, seed="3", **UNLIMITED)
    cuts = [[10], [1] * 10, [3, 4, 3], [5, 5]]
    values = [[row for start, end in ranges(provider, cut) for row in rows_between(provider, start, end)] for cut in cuts]
    assert all(rows == values[0] for rows in values)
    assert len({row["a"] for row in values[0]}) == 10


def test_times_are_those_at_which_the_rows_came(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = provider_of(table, {"t": "TIMESTAMP(3)"}, **UNLIMITED)
    found = []
    for seconds in (1_700_000_000, 1_700_000_060):
        monkeypatch.setattr(time, "time_ns", lambda now=seconds: now * 1_000_000_000)
        start = found[-1][1] if found else provider.initial_offset()
        found.append((start, provider.latest_offset(start, ReadLimit(rows=2))))
    times = [row["t"].timestamp() for start, end in found for row in rows_between(provider, start, end)]
    assert [times[0] - times[2], times[1] - times[3]] == [-60, -60]


def test_the_rate_limits_the_rows_that_are_there(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = provider_of(table, {"a": "INT"}, **{"rows-per-second": "100"})
    now = 50.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    offsets = [provider.initial_offset()]
    for passed in (0.0, 0.005, 0.02, 0.0, 30.0, 0.01):
        now += passed
        offsets.append(provider.latest_offset(offsets[-1]))
    assert [cast("dict[str, int]", offset)["row"] for offset in offsets] == [0, 1, 1, 3, 3, 103, 104], "at most a second is made up for"
    assert offsets[1] is offsets[2]


def test_waiting_ends_when_the_next_row_is_due(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = provider_of(table, {"a": "INT"}, **{"rows-per-second": "2"})
    slept: list[float] = []
    now = 50.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "sleep", slept.append)
    start = provider.latest_offset(provider.initial_offset())
    assert [provider.wait(start, 10.0), provider.wait(start, 0.1)] == [True, False]
    assert slept == [0.5, 0.1]


def test_a_limit_of_bytes_gives_at_least_a_row(table: TableContext) -> None:
    provider = provider_of(table, {"b": "STRING"}, **{"fields.b.length": "100", **UNLIMITED})
    start = provider.initial_offset()
    rows = [cast("dict[str, int]", provider.latest_offset(start, ReadLimit(bytes=most)))["row"] for most in (1, 1000)]
    assert rows == [1, 10]


def test_a_table_that_ends_is_read_without_waiting(table: TableContext) -> None:
    for options in (SEQUENCE, {"number-of-rows": "5"}):
        source = DataGenTableFactory().create_dynamic_table_source(table({"a": "INT"}, {"connector": "datagen", **options}))
        assert isinstance(source, ScanTableSource)
        provider = source.get_scan_runtime_provider(STREAMING)
        assert isinstance(provider, DataGenProvider)
        assert sum(batch.num_rows for split in provider.splits() for batch in provider.read(split)) == 5


def test_a_table_that_ends_keeps_to_a_rate_that_is_set(table: TableContext) -> None:
    source = DataGenTableFactory().create_dynamic_table_source(table({"a": "BIGINT"}, {**SEQUENCE, "rows-per-second": "50"}))
    assert isinstance(source, ScanTableSource)
    provider = source.get_scan_runtime_provider(STREAMING)
    assert isinstance(provider, PacedRows)
    assert provider.is_bounded
    for _ in range(2):
        began = time.monotonic()
        batches = [batch for split in provider.splits() for batch in provider.read(split)]
        assert time.monotonic() - began >= 0.075, "the last of five rows comes four fiftieths of a second after the first"
        assert [row["a"] for batch in batches for row in batch.to_pylist()] == [10, 11, 12, 13, 14]
    batch_mode = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=True))
    assert isinstance(batch_mode, DataGenProvider)


def test_in_batch_mode_a_table_without_a_number_of_rows_never_ends(table: TableContext) -> None:
    source = DataGenTableFactory().create_dynamic_table_source(table({"a": "INT"}, {"connector": "datagen", **SEQUENCE}))
    assert isinstance(source, ScanTableSource)
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    assert isinstance(provider, DataGenProvider)
    assert not provider.is_bounded


def test_a_rate_below_one_is_refused(table: TableContext) -> None:
    with pytest.raises(ValidationException, match=r"'rows-per-second' of table c\.d\.t must be at least 1, but is 0"):
        provider_of(table, {"a": "INT"}, **{"rows-per-second": "0"})


def test_ranges_end_where_the_rows_ended_once(table: TableContext) -> None:
    provider = provider_of(table, COLUMNS, **UNLIMITED)
    until = {"row": 7, "seed": 1, "time": 5}
    offsets: list[Any] = [{"row": 0, "seed": 1, "time": 0}]
    for _ in range(4):
        offsets.append(provider.latest_offset(offsets[-1], ReadLimit(rows=3, until=until)))
    assert [offset["row"] for offset in offsets] == [0, 3, 6, 7, 7]
    assert offsets[-1] == until
