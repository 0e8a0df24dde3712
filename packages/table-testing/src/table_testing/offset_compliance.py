"""The contract of sources with offsets: ranges, limits, replay, and readers that stay open. Needs no engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from table_common.connector import Offset, ReadLimit, ScanTableSource, SourceProvider
from table_testing.connector_case import Row, new_folder, read_range, repickled, same_rows
from table_testing.source_compliance import SourceCompliance


class OffsetCompliance(SourceCompliance):
    """The contract of a source whose runtime provider is a ``SourceProvider``, beside that of every scan.

    ``smallest_range`` is the number of rows that the source cannot divide into two ranges, such as those of a file.

    Example:
        >>> class TestPages(OffsetCompliance):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     def create_table(self, folder, rows):
        ...         return store_pages(folder / "pages.db", rows)
        >>> TestPages.smallest_range
        1
    """

    smallest_range: ClassVar[int] = 1

    def test_offsets_are_json(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        for offset in (start, provider.latest_offset(start)):
            assert json.loads(json.dumps(offset)) == offset, f"{offset!r} changes when it is stored as JSON"

    def test_offsets_from_the_first_to_the_latest_have_all_rows(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        assert same_rows(read_range(provider, start, provider.latest_offset(start), self.row_type), self.rows)

    def test_offsets_of_an_empty_table_have_no_rows(self, tmp_path: Path) -> None:
        provider = self._provider(tmp_path, [])
        start = provider.initial_offset()
        assert read_range(provider, start, provider.latest_offset(start), self.row_type) == []

    def test_offsets_without_new_rows_stay(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        latest = provider.latest_offset(provider.initial_offset())
        assert provider.latest_offset(latest) == latest, "the latest offset moves without new rows"
        assert list(provider.plan(latest, latest)) == []

    def test_offsets_keep_to_the_limit_of_rows(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        most = max(2, self.smallest_range)
        found: list[Row] = []
        for start, end in self._ranges(provider, most):
            rows = read_range(provider, start, end, self.row_type)
            assert 0 < len(rows) <= most, f"a range with the limit of {most} rows has {len(rows)}"
            found += rows
        assert same_rows(found, self.rows)

    def test_offsets_can_be_read_again(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        ranges = list(self._ranges(provider, self.smallest_range))
        first = [read_range(provider, start, end, self.row_type) for start, end in ranges]
        provider.commit(ranges[0][0])
        again = repickled(provider)
        stored = [(json.loads(json.dumps(start)), json.loads(json.dumps(end))) for start, end in ranges]
        assert [read_range(again, start, end, self.row_type) for start, end in stored] == first, (
            "a range has other rows when it is read again"
        )

    def test_splits_keep_their_ids(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        end = provider.latest_offset(start)
        ids = [split.split_id for split in provider.plan(start, end)]
        assert all(ids)
        assert {type(name) for name in ids} == {str}
        assert sorted(split.split_id for split in repickled(provider).plan(start, end)) == sorted(ids)

    def test_all_splits_of_a_range_are_known_before_it_is_read(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        end = provider.latest_offset(start)
        planned = {split.split_id for split in provider.plan(start, end)}
        for offset in (start, end):
            ids = provider.split_ids(offset)
            assert len(set(ids)) == len(ids), f"split_ids has an id twice: {ids}"
            assert not ids or planned <= set(ids), f"split_ids of {offset!r} lacks {sorted(planned.difference(ids))}"
            assert sorted(repickled(provider).split_ids(json.loads(json.dumps(offset)))) == sorted(ids)

    def test_a_reader_reads_many_ranges(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        reader = repickled(provider).create_reader()
        found = [
            row
            for start, end in self._ranges(provider, self.smallest_range)
            for row in read_range(provider, start, end, self.row_type, reader)
        ]
        reader.close()
        reader.close()
        assert same_rows(found, self.rows)

    def test_a_reader_can_stop_within_a_split(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        end = provider.latest_offset(start)
        reader = repickled(provider).create_reader()
        for split in provider.plan(start, end):
            next(iter(reader.read(split)), None)
        assert same_rows(read_range(provider, start, end, self.row_type, reader), self.rows)
        reader.close()

    def test_ranges_end_where_they_are_told_to(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        start = provider.initial_offset()
        until = provider.latest_offset(start, ReadLimit(rows=self.smallest_range))
        assert provider.latest_offset(start, ReadLimit(until=until)) == until
        assert provider.latest_offset(until, ReadLimit(until=until)) == until

    def test_commits_change_no_later_range(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        ranges = list(self._ranges(provider, self.smallest_range))
        found: list[Row] = []
        for start, end in ranges:
            found += read_range(provider, start, end, self.row_type)
            provider.commit(end)
            provider.commit(end)
        assert same_rows(found, self.rows)

    def test_providers_wait_and_close(self, tmp_path: Path) -> None:
        provider = self._offsets(tmp_path)
        assert provider.wait(provider.latest_offset(provider.initial_offset()), 0.0) in (True, False)
        provider.close()
        provider.close()

    def _ranges(self, provider: SourceProvider, most: int) -> Iterator[tuple[Offset, Offset]]:
        """Yields ranges of at most ``most`` rows, up to the end."""
        start = provider.initial_offset()
        for _ in range(len(self.rows) + 1):
            end = provider.latest_offset(start, ReadLimit(rows=most))
            if end == start:
                return
            yield start, end
            start = end
        raise AssertionError("the latest offset moves without new rows")

    def _offsets(self, folder: Path) -> SourceProvider:
        return self._provider(folder, self.rows)

    def _provider(self, folder: Path, rows: object) -> SourceProvider:
        assert isinstance(rows, (list, tuple))
        source = self.source(self.create_table(new_folder(folder, "table"), rows))
        assert isinstance(source, ScanTableSource)
        provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=False))
        assert isinstance(provider, SourceProvider), f"{type(provider).__name__} has no offsets"
        return repickled(provider)
