"""Reads the files of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileScanProvider
from table_runtime.columns.batches import make_batch, with_dictionaries
from table_runtime.files import TableFile, TableFiles
from table_runtime.formats import Ignored, Piece, ReadProgress, compression_of
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered
from table_runtime.scans.dynamic_filters import collect_filters, filter_text
from table_runtime.scans.key_filter import KeyFilter
from table_runtime.scans.runtime_filters import AppliedFilter, applied_text, found_filters, keep_matching


class ScanFiles(Operator):
    """Yields the rows of all files in the order of the file names. Files are read lazily.

    ``inputs`` are runtime filters: they run first and prune the files of partitions without their values.
    ``keys`` are runtime filters of joins above: their keys are there when the scan starts, and rows without them are left out.
    With ``changes``, the format has row kinds; they are replaced by the numbers of the changes, see ``numbered_changes``.
    """

    def __init__(
        self, provider: FileScanProvider, schema: pa.Schema, table: str, inputs: Sequence[Operator] = (), *, changes: bool = False
    ) -> None:
        super().__init__(schema, inputs)
        self.provider = provider
        self.table = table
        self._files = TableFiles(provider, table)
        self.changes = changes
        self.keys: list[AppliedFilter] = []
        self.dictionaries: frozenset[str] = frozenset()
        """STRING columns that may be dictionary arrays, because the only consumer decodes them."""

    @override
    def details(self) -> str:
        provider = self.provider
        text = f"table=[{self.table}], format=[{provider.format}], fields=[{', '.join(self.schema.names)}]"
        if provider.filters:
            text += f", filters=[{', '.join(map(str, provider.filters))}]"
        text += f", limit=[{provider.limit}]" if provider.limit is not None else ""
        return text + filter_text(self.inputs) + applied_text(self.keys, self.schema.names)

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        files = self._files.listed(collect_filters(self.inputs, context), context.snapshots)
        context.snapshots.end_listing()
        ignored = Ignored()
        keys = found_filters(self.keys, context)
        pieces = map_ordered(lambda piece: keep_matching(piece(), keys), self._pieces(files, ignored, context, keys), context)
        try:
            if self.changes:
                from table_runtime.formats import numbered_changes  # few files have changes

                yield from numbered_changes(pieces, self.schema)
            else:
                yield from self._rows(pieces)
        finally:
            close_iterator(pieces)
            self._files.report(ignored)

    def listed_bytes(self) -> int:
        """Returns the bytes of the files that there are now.

        Raises:
            TableRuntimeException: the path cannot be read.
        """
        return sum(file.size() for file in self._files.listed())

    def _rows(self, pieces: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        remaining = self.provider.limit
        for batch in pieces:
            yield make_batch(batch.columns, with_dictionaries(self.schema, batch.columns), batch.num_rows)
            if remaining is not None:
                remaining -= batch.num_rows
                if remaining <= 0:
                    return

    def _pieces(
        self, files: Sequence[TableFile], ignored: Ignored, context: ExecutionContext, keys: Sequence[tuple[int, KeyFilter]]
    ) -> Iterator[Piece]:
        wanted = [(self.schema.field(column).name, one) for column, one in keys]
        sizes = [file.size() for file in files] if context.is_watched else [0] * len(files)
        weights = [size or 1 for size in sizes]  # files whose size is not known count the same
        total, before = sum(weights), 0
        for file, size, weight in zip(files, sizes, weights, strict=True):
            # The bytes that the reader decodes are those of the file only if it is not compressed.
            text, progress = f"reading {file.path.name}", ReadProgress(size if compression_of(file.path.name) is None else 0)
            context.report(text, before / total)
            source = self._files.pieces(file, ignored, progress, wanted, frozenset() if self.changes else self.dictionaries)
            try:
                for piece in source:
                    context.check()
                    if progress.share:
                        context.report(text, (before + weight * progress.share) / total)
                    yield piece
            finally:
                close_iterator(source)
            before += weight
