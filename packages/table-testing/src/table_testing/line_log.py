"""A source with offsets for tests of engines: partitions are files of JSON lines in a folder, to which a test appends while a job reads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from table_common.annotation import override
from table_common.arrow import from_python_rows
from table_common.connector import (
    ChangelogMode,
    Offset,
    ReadLimit,
    RowKind,
    ScanTableSource,
    SourceProvider,
    SourceReader,
    SourceSplit,
    SupportsArrowArray,
)
from table_common.frozen_dataclass import dataclass
from table_common.types import RowField, RowType, TinyIntType

_POLL_SECONDS = 0.002
_KINDS = {kind.short_string: kind.value for kind in RowKind}


def append_lines(folder: Path, partition: str, rows: Sequence[Sequence[Any]]) -> None:
    """Appends rows to a partition; a row is a list of JSON values, of a source with changes its first is the kind, such as "+I"."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{partition}.jsonl").open("a") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))


@dataclass(frozen=True)
class LineLog(SourceProvider):
    """The offset is the number of bytes read of each partition. ``with_kinds``: the last column of a batch is the row kind.

    Example:
        >>> from tempfile import mkdtemp
        >>> from table_common.types import BigIntType
        >>> folder = Path(mkdtemp())
        >>> append_lines(folder, "0", [[1], [2], [3]])
        >>> log = LineLog(str(folder), RowType.of([("n", BigIntType())], nullable=False))
        >>> end = log.latest_offset(log.initial_offset(), ReadLimit(rows=2))
        >>> [batch.num_rows for split in log.plan({}, end) for batch in log.create_reader().read(split)]
        [2]
    """

    folder: str
    row_type: RowType
    with_kinds: bool = False
    bounded: bool = False

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded

    @override
    def initial_offset(self) -> Offset:
        return {}

    def _sizes(self) -> dict[str, int]:
        folder = Path(self.folder)
        return {path.stem: path.stat().st_size for path in sorted(folder.glob("*.jsonl"))} if folder.exists() else {}

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        done = cast("Mapping[str, int]", start)
        result = dict(done)
        last = cast("Mapping[str, int] | None", None if limit is None else limit.until)
        for name, size in self._sizes().items():
            begin = done.get(name, 0)
            end = size if last is None else min(size, last.get(name, 0))
            if end <= begin:
                continue
            with (Path(self.folder) / f"{name}.jsonl").open("rb") as file:
                file.seek(begin)
                read = 0
                for count, line in enumerate(file):
                    if (
                        not line.endswith(b"\n")
                        or begin + read == end
                        or (limit is not None and limit.rows is not None and count >= limit.rows)
                    ):
                        break
                    read += len(line)
            if read:
                result[name] = begin + read
        return result

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        deadline, done = time.monotonic() + seconds, cast("Mapping[str, int]", start)
        while all(size <= done.get(name, 0) for name, size in self._sizes().items()):
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        begins, ends = cast("Mapping[str, int]", start), cast("Mapping[str, int]", end)
        return [_Lines(name, begins.get(name, 0), size) for name, size in sorted(ends.items()) if size > begins.get(name, 0)]

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        return sorted({*cast("Mapping[str, int]", start), *self._sizes()})

    @override
    def create_reader(self) -> SourceReader:
        return _Reader(self)


@dataclass(frozen=True)
class _Lines:
    split_id: str
    start: int
    end: int


class _Reader(SourceReader):
    def __init__(self, log: LineLog) -> None:
        self._log = log

    @override
    def read(self, split: SourceSplit) -> Iterator[SupportsArrowArray]:
        lines = cast("_Lines", split)
        with (Path(self._log.folder) / f"{lines.split_id}.jsonl").open("rb") as file:
            file.seek(lines.start)
            rows = [json.loads(line) for line in file.read(lines.end - lines.start).splitlines()]
        row_type = self._log.row_type
        if self._log.with_kinds:
            rows = [[*row[1:], _KINDS[row[0]]] for row in rows]
            row_type = RowType((*row_type.fields, RowField("$row_kind", TinyIntType(nullable=False))), nullable=False)
        yield from_python_rows(rows, row_type)


@dataclass
class LineLogSource(ScanTableSource):
    """The table of a ``LineLog``."""

    log: LineLog

    @override
    def as_summary_string(self) -> str:
        return "line-log"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.all() if self.log.with_kinds else ChangelogMode.insert_only()

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> SourceProvider:
        return self.log
