"""Scans a connector's splits as Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import conform_array, import_batches
from table_common.connector import ArrowScanProvider, InProcessScanProvider, InputSplit
from table_common.exceptions import TableError, TableRuntimeException
from table_common.types import RowField, RowType, TinyIntType
from table_runtime.cancellation import calling
from table_runtime.columns.batches import make_batch
from table_runtime.formats import ROW_KIND_FIELD, numbered_changes, retracts
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.prefetch import prefetch
from table_runtime.scans.dynamic_filters import collect_filters, filter_text

_T = TypeVar("_T")


class ScanArrow(Operator):
    """Yields the batches of all splits in the order of the splits; several splits are read in parallel.

    ``inputs`` are runtime filters: they run first, and the source prunes splits without their values.
    With ``changes``, the last column of the source is the row kind; it is replaced by the number of the change, see ``numbered_changes``.
    """

    def __init__(
        self,
        provider: ArrowScanProvider,
        row_type: RowType,
        schema: pa.Schema,
        table: str,
        source: str,
        inputs: Sequence[Operator] = (),
        *,
        changes: bool = False,
    ) -> None:
        super().__init__(schema, inputs)
        self._changes = changes
        self._provider = provider
        self.is_bounded = provider.is_bounded
        self._row_type = row_type
        self.table = table
        self._source = source

    @override
    def details(self) -> str:
        text = f"table=[{self.table}], source=[{self._source}], fields=[{', '.join(self.schema.names)}]"
        return text + filter_text(self.inputs)

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        try:
            if self.inputs:
                filters = collect_filters(self.inputs, context)
                splits = self.with_table_in_errors(lambda: self._provider.filtered_splits(filters))
            else:
                splits = self.with_table_in_errors(self._provider.splits)
            batches = prefetch([partial(self._read, split, context) for split in splits], context)
            yield from numbered_changes(batches, self.schema) if self._changes else batches
        finally:
            self._provider.close()

    @property
    def is_in_process(self) -> bool:
        """Whether the rows are in this process, so that no other one can read them."""
        return isinstance(self._provider, InProcessScanProvider)

    @property
    def carries_user_code(self) -> bool:
        """Whether code of the program reads the rows."""
        return self._provider.carries_user_code

    def splits(self) -> Sequence[InputSplit]:
        """Returns the splits, for tasks that read them with ``read`` in other processes."""
        return self.with_table_in_errors(self._provider.splits)

    def read(self, split: InputSplit, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a split in the schema of the scan."""
        batches = self._read(split, context)
        yield from numbered_changes(batches, self.schema) if self._changes else batches

    def close(self) -> None:
        """Ends the use of the source, whose splits have been read."""
        self._provider.close()

    def _read(self, split: InputSplit, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        reader = f"{type(self._provider).__name__}.read"
        with calling(reader):
            batches = self.with_table_in_errors(
                lambda: import_batches(self._provider.read(split), f"Reading {self.table} failed: {reader}")
            )
        while True:
            context.check()
            with calling(reader):
                batch = self.with_table_in_errors(lambda: next(batches, None))
            if batch is None:
                return
            yield self.conform(batch)

    def conform(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Returns a batch of the source in the schema of the scan; with ``changes`` the last column is the row kind.

        Rows that retract may have the key alone: they are NULL also in columns that are NOT NULL.

        Raises:
            TableRuntimeException: the batch has other columns, or a row that adds has NULL in a column that is NOT NULL.
        """
        fields = self._row_type.fields
        schema = self.schema
        if self._changes:
            fields = (*fields[:-1], RowField(fields[-1].name, TinyIntType(nullable=False)))
            schema = schema.set(len(fields) - 1, ROW_KIND_FIELD)
        if batch.num_columns != len(fields):
            raise TableRuntimeException(
                f"The source of {self.table} returned a batch with {batch.num_columns} columns. Expected: {len(fields)}."
            )
        adds: pa.Array | None = None
        columns = []
        for column, field in zip(batch.columns, fields, strict=True):
            type_, where = field.type, f"Column '{field.name}' of {self.table}"
            if self._changes and not type_.nullable and column.null_count:
                adds = pc.invert(retracts(batch.column(len(fields) - 1))) if adds is None else adds
                conform_array(column.filter(adds), type_, where)
                type_ = type_.with_nullability(True)
            columns.append(conform_array(column, type_, where))
        return make_batch(columns, schema, batch.num_rows)

    def with_table_in_errors(self, call: Callable[[], _T]) -> _T:
        """Returns ``call()``; a failure of the connector becomes an error that names the table."""
        try:
            return call()
        except TableError:
            raise
        except Exception as error:
            raise TableRuntimeException(f"Reading {self.table} failed: {type(error).__name__}: {error}") from error
