"""Late materialization: a top-n reads its keys and row numbers first, then the other columns of the selected rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import replace
from table_common.types import RowType
from table_runtime.columns.batches import concat_arrays, make_batch, rechunk, take_batch
from table_runtime.files import TableFile, TableFiles
from table_runtime.formats import Ignored, Piece, ReadProgress
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered
from table_runtime.scans.scan_files import ScanFiles

ROW_NUMBER = pa.field("$row", pa.int64(), nullable=False)
FILE_ROWS = 1 << 40
"""More rows than a file has: a row's number is that of its file times this, plus its position in the file."""


class NumberedScan(Operator):
    """Yields some columns of all rows of a table's files, and the number of each row."""

    def __init__(self, provider: FileScanProvider, schema: pa.Schema, table: str, columns: Sequence[int]) -> None:
        super().__init__(pa.schema([*(schema.field(column) for column in columns), ROW_NUMBER]))
        produced = RowType(tuple(provider.produced_type.fields[column] for column in columns), nullable=False)
        self._files = TableFiles(replace(provider, produced_type=produced), table)
        self._text = f"table=[{table}], format=[{provider.format}], fields=[{', '.join(self.schema.names)}]"

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        files = self._files.listed((), context.snapshots)
        context.snapshots.end_listing()
        pieces = map_ordered(lambda piece: (piece[0], piece[1]()), self._pieces(files, context), context)
        position, last = 0, -1
        try:
            for number, batch in pieces:
                position, last = (position if number == last else number * FILE_ROWS), number
                numbers = pa.arange(position, position + batch.num_rows)
                position += batch.num_rows
                yield make_batch([*batch.columns, numbers], self.schema, batch.num_rows)
        finally:
            close_iterator(pieces)

    def _pieces(self, files: Sequence[TableFile], context: ExecutionContext) -> Iterator[tuple[int, Piece]]:
        for number, file in enumerate(files):
            context.report(f"reading {file.path.name}", number / len(files))
            for piece in self._files.pieces(file, Ignored(), ReadProgress()):
                context.check()
                yield number, piece


class FetchRows(Operator):
    """Yields the rows of ``scan`` whose numbers are in the last column of the input, in the order of the input, which has few rows.

    The other columns of the input are those of the scan at ``columns``; that they are the same says that the files have not changed.
    """

    def __init__(self, child: Operator, scan: ScanFiles, columns: Sequence[int]) -> None:
        super().__init__(scan.schema, (child,))
        self._files = TableFiles(scan.provider, scan.table)
        self._table = scan.table
        self._columns = tuple(columns)

    @override
    def details(self) -> str:
        return f"table=[{self._table}], fields=[{', '.join(self.schema.names)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        top = rechunk(list(child.batches(context)), child.schema)
        numbers = top.columns[-1].to_pylist()
        if not numbers:
            return
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        pieces = map_ordered(lambda piece: piece(), self._pieces([numbers[place] for place in order], context), context)
        try:
            found = list(pieces)
        finally:
            close_iterator(pieces)
        fields = list(self.schema)
        columns = [concat_arrays([batch.column(index) for batch in found], field.type) for index, field in enumerate(fields)]
        rows = make_batch(columns, self.schema, sum(batch.num_rows for batch in found))
        if rows.num_rows != len(numbers):
            raise self._changed()
        place_of = {place: row for row, place in enumerate(order)}
        rows = take_batch(rows, pa.array([place_of[place] for place in range(len(numbers))], pa.int64()))
        for column, key in zip(self._columns, top.columns, strict=False):
            if repr(rows.column(column).to_pylist()) != repr(key.to_pylist()):  # NaN is not equal to itself
                raise self._changed()
        yield rows

    def _pieces(self, numbers: Sequence[int], context: ExecutionContext) -> Iterator[Piece]:
        files = self._files.listed((), context.snapshots)
        for number, rows in groupby(numbers, lambda row: row // FILE_ROWS):
            if number >= len(files):
                raise self._changed()
            for piece in self._files.rows(files[number], [row % FILE_ROWS for row in rows]):
                context.check()
                yield piece

    def _changed(self) -> TableRuntimeException:
        return TableRuntimeException(f"A file of the table {self._table} changed while the query read it.", hint="Run the query again.")
