"""Reads the files of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileScanProvider
from table_runtime.batches import cast_to_schema
from table_runtime.files import TableFile, TableFiles
from table_runtime.formats import Ignored, Piece, numbered_changes
from table_runtime.operators.dynamic_filters import collect_filters, filter_text
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator, map_ordered

__all__ = ["ScanFiles"]


class ScanFiles(Operator):
    """Yields the rows of all files in the order of the file names. Files are read lazily.

    ``inputs`` are runtime filters: they run first and prune the files of partitions without their values.
    With ``changes``, the format has row kinds; they are replaced by the numbers of the changes, see ``numbered_changes``.
    """

    def __init__(
        self, provider: FileScanProvider, schema: pa.Schema, table: str, inputs: Sequence[Operator] = (), *, changes: bool = False
    ) -> None:
        super().__init__(schema, inputs)
        self._provider = provider
        self._table = table
        self._files = TableFiles(provider, table)
        self._changes = changes

    @override
    def details(self) -> str:
        provider = self._provider
        text = f"table=[{self._table}], format=[{provider.format}], fields=[{', '.join(self.schema.names)}]"
        if provider.filters:
            text += f", filters=[{', '.join(map(str, provider.filters))}]"
        text += f", limit=[{provider.limit}]" if provider.limit is not None else ""
        return text + filter_text(self.inputs)

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        files = self._files.listed(collect_filters(self.inputs, context), context.snapshots)
        context.snapshots.end_listing()
        ignored = Ignored()
        pieces = map_ordered(lambda piece: piece(), self._pieces(files, ignored, context), context)
        try:
            yield from numbered_changes(pieces, self.schema) if self._changes else self._rows(pieces)
        finally:
            close_iterator(pieces)
            self._files.report(ignored)

    def _rows(self, pieces: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        remaining = self._provider.limit
        for batch in pieces:
            yield cast_to_schema(batch, self.schema)
            if remaining is not None:
                remaining -= batch.num_rows
                if remaining <= 0:
                    return

    def _pieces(self, files: Sequence[TableFile], ignored: Ignored, context: ExecutionContext) -> Iterator[Piece]:
        for number, file in enumerate(files):
            context.report(f"reading {file.path.name}", number / len(files))
            source = self._files.pieces(file, ignored)
            try:
                for piece in source:
                    context.check()
                    yield piece
            finally:
                close_iterator(source)
