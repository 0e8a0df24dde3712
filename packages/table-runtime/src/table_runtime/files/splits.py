"""The files of a table as splits, for engines that have no reader of their own for the format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowScanProvider, FileScanProvider, InputSplit
from table_common.frozen_dataclass import dataclass, replace
from table_runtime.files.reading import TableFile, TableFiles
from table_runtime.files.snapshots import Snapshots
from table_runtime.formats import Ignored

__all__ = ["FileSplits"]


@dataclass(frozen=True)
class FileSplits(ArrowScanProvider):
    """One split for each file; ``table`` names the table in messages."""

    provider: FileScanProvider
    table: str

    def without_filters(self) -> FileSplits:
        """Returns what travels: filters are used where files are listed only."""
        return replace(self, provider=replace(self.provider, filters=()))

    def pinned_splits(self, snapshots: Snapshots) -> list[TableFile]:
        """Returns the splits, whose files stay as long as ``snapshots`` is open."""
        return TableFiles(self.provider, self.table).listed(snapshots=snapshots)

    @override
    def splits(self) -> Sequence[InputSplit]:
        return TableFiles(self.provider, self.table).listed()

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, TableFile)
        files = TableFiles(self.provider, self.table)
        ignored = Ignored()
        left = self.provider.limit
        for piece in files.pieces(split, ignored):
            batch = piece()
            yield batch
            if left is not None:
                left -= batch.num_rows
                if left <= 0:
                    break
        files.report(ignored)
