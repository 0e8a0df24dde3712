"""The files of a table as splits, for engines without their own reader for the format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowScanProvider, FileScanProvider, InputSplit
from table_common.frozen_dataclass import dataclass, replace
from table_runtime.files.reading import TableFile, TableFiles
from table_runtime.files.snapshots import Snapshots
from table_runtime.formats import Ignored, file_format, is_local_file

_LEAST_BYTES = 4 << 20
_MOST_BYTES = 128 << 20


@dataclass(frozen=True)
class FileSplit(InputSplit):
    """The input of one task: several small files, or a range of a large file."""

    files: tuple[TableFile, ...]


@dataclass(frozen=True)
class FileSplits(ArrowScanProvider):
    """Splits of about equal size; ``table`` names the table in messages, ``parallelism`` is the number of concurrent tasks."""

    provider: FileScanProvider
    table: str
    parallelism: int = 1

    def without_filters(self) -> FileSplits:
        """Returns the provider without filters for tasks: filters are applied only where files are listed."""
        return replace(self, provider=replace(self.provider, filters=()))

    def pinned_splits(self, snapshots: Snapshots) -> list[FileSplit]:
        """Returns the splits; their files are pinned as long as ``snapshots`` is open."""
        return self._packed(TableFiles(self.provider, self.table).listed(snapshots=snapshots))

    @override
    def splits(self) -> Sequence[InputSplit]:
        return self._packed(TableFiles(self.provider, self.table).listed())

    def _packed(self, files: Sequence[TableFile]) -> list[FileSplit]:
        sizes = [file.path.stat().st_size if is_local_file(file.path) else _MOST_BYTES for file in files]
        target = min(_MOST_BYTES, max(_LEAST_BYTES, sum(sizes) // self.parallelism))
        format_ = file_format(self.provider.format)
        splits: list[FileSplit] = []
        group: list[TableFile] = []
        group_size = 0
        for file, size in zip(files, sizes, strict=True):
            parts = -(-size // target)
            divided = parts > 1 and format_.can_split(file.path, self.provider.format_options)
            if group and (divided or group_size + size > target):
                splits.append(FileSplit(tuple(group)))
                group, group_size = [], 0
            if divided:
                bounds = format_.bounds(file.path, size, parts)
                splits += [FileSplit((file.in_range(start, end),)) for start, end in pairwise(bounds)]
            else:
                group.append(file)
                group_size += size
        return [*splits, FileSplit(tuple(group))] if group else splits

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, FileSplit)
        files = TableFiles(self.provider, self.table)
        ignored = Ignored()
        remaining = self.provider.limit
        for piece in (piece for file in split.files for piece in files.pieces(file, ignored)):
            batch = piece()
            yield batch
            if remaining is not None:
                remaining -= batch.num_rows
                if remaining <= 0:
                    break
        files.report(ignored)
