"""The suite accepts a correct source with offsets and finds each error that is planted in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from planted import Row, has, plant

from table_common import arrow
from table_common.arrow import ArrowTableSource
from table_common.configuration import ConfigOptions
from table_common.connector import Offset, ReadLimit, ScanTableSource, SourceProvider, SourceReader, SourceSplit
from table_common.factories import DynamicTableSourceFactory
from table_common.types import RowType
from table_testing import OffsetCompliance

PATH = ConfigOptions.key("path").string_type().no_default_value()


class LinesFactory(DynamicTableSourceFactory):
    factory_identifier, required_options = "lines", (PATH,)

    def create_dynamic_table_source(self, context: Any) -> LinesSource:
        return LinesSource(context.physical_row_type, self.validated_options(context).get(PATH))


@dataclass
class LinesSource(ScanTableSource):
    row_type: RowType
    path: str

    def as_summary_string(self) -> str:
        return "lines"

    get_changelog_mode = ArrowTableSource.get_changelog_mode

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> Lines:
        return Lines(self.path, self.row_type)


@dataclass(frozen=True)
class Part:
    split_id: str
    start: int
    end: int


@dataclass
class Lines(SourceProvider):
    """Lines of a file; an offset is the number of lines before it."""

    path: str
    row_type: RowType
    calls: int = 0
    is_bounded = True

    def initial_offset(self) -> Offset:
        return (0,) if has("an offset is no JSON value") else {"line": 0}

    def latest_offset(self, start: Any, limit: ReadLimit | None = None) -> Offset:
        length = len(Path(self.path).read_text().splitlines())
        if has("the latest offset always moves"):
            return {"line": start["line"] + 1}
        if limit is not None and limit.rows is not None and not has("limits are ignored"):
            length = min(length, start["line"] + limit.rows)
        if limit is not None and limit.until is not None and not has("the end of a range is ignored"):
            length = min(length, limit.until["line"])  # type: ignore[index]
        if has("the latest offset lacks a row"):
            length = max(start["line"], length - 1)
        return {"line": max(start["line"], length)}

    def plan(self, start: Any, end: Any) -> Sequence[SourceSplit]:
        self.calls += 1
        start, end = start["line"], end["line"]
        if start == end and not has("an empty range has a split"):
            return []
        middle = (start + end) // 2
        names = ("a", "a") if has("ids repeat") else (f"a{self.calls}", "b") if has("ids change") else ("a", "b")
        if has("a range is planned from the beginning"):
            start = 0
        return [Part(names[0], start, middle), Part(names[1], middle, end)]

    def split_ids(self, start: Offset) -> Sequence[str]:
        return ["b"] if has("the splits lack one") else ["a", "b", "b"] if has("a split is listed twice") else ["a", "b"]

    def create_reader(self) -> SourceReader:
        return LinesReader(self)

    def commit(self, end: Any) -> None:
        if has("a commit deletes too much"):
            Path(self.path).write_text("")


class LinesReader(SourceReader):
    def __init__(self, provider: Lines) -> None:
        self.provider = provider
        self.read_before = 0
        self.is_open = True

    def read(self, split: Any) -> Iterator[Any]:
        lines = Path(self.provider.path).read_text().splitlines()[split.start : split.end]
        if has("a reader reads one split") and self.read_before:
            lines = []
        self.read_before += 1
        yield arrow.from_python_rows([tuple(json.loads(line)) for line in lines], self.provider.row_type)

    def close(self) -> None:
        if has("a reader closes once") and not self.is_open:
            raise ValueError("closed")
        self.is_open = False


class LinesSuite(OffsetCompliance):
    factory = LinesFactory

    def create_table(self, folder: Path, rows: Sequence[Row]) -> Mapping[str, str]:
        (folder / "lines").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return {"path": str(folder / "lines")}


ERRORS = {
    "an offset is no JSON value": "offsets_are_json",
    "the latest offset always moves": "without_new_rows_stay",
    "limits are ignored": "keep_to_the_limit",
    "the end of a range is ignored": "ranges_end_where",
    "the latest offset lacks a row": "from_the_first_to_the_latest",
    "an empty range has a split": "without_new_rows_stay",
    "ids repeat": "from_the_first_to_the_latest",
    "ids change": "splits_keep_their_ids",
    "the splits lack one": "all_splits_of_a_range_are_known",
    "a split is listed twice": "all_splits_of_a_range_are_known",
    "a range is planned from the beginning": "a_reader_reads_many_ranges",
    "a commit deletes too much": "offsets_can_be_read_again",
    "a reader reads one split": "a_reader_reads_many_ranges",
    "a reader closes once": "a_reader_reads_many_ranges",
}


def failing_tests(folder: Path, part: str = "") -> list[str]:
    suite = LinesSuite()
    failed = []
    for name in (name for name in dir(suite) if name.startswith("test_") and part in name):
        (folder / name).mkdir()
        try:
            getattr(suite, name)(folder / name)
        except Exception:
            failed.append(name)
    return failed


def test_no_test_fails_for_a_correct_source(tmp_path: Path) -> None:
    assert failing_tests(tmp_path) == []


@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_fails_the_test_about_it(error: str, tmp_path: Path) -> None:
    plant(error)
    assert failing_tests(tmp_path, ERRORS[error]) != []
