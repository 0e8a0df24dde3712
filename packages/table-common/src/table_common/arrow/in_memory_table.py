"""In-memory tables: Arrow data of any library, or a pandas data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import pyarrow as pa
import pyarrow.types as pat

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow.conforming import conform_array
from table_common.arrow.schema import from_arrow_schema, to_arrow_schema, to_arrow_type
from table_common.arrow.table_source import ArrowTableSource
from table_common.connector import InProcessData, InProcessScanProvider, InputSplit, ScanTableSource, SupportsArrowArray
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsStatisticReport
from table_common.connector.source.statistics import TableStats
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType, RowType

BATCH_ROWS = 65_536
_ACCEPTED = "a table, record batch or reader of pyarrow, anything with __arrow_c_stream__ or __arrow_c_array__, or a pandas.DataFrame"


class _Owner:
    """Lives as long as the rows of a table are used."""


@dataclass(eq=False)
class InMemoryTable(ArrowTableSource, SupportsStatisticReport):
    """Reads the batches in pieces, whose number is given.

    Example:
        >>> table = in_memory_table(pa.table({"n": [1, 2]}))
        >>> str(table.row_type)
        'ROW<`n` BIGINT> NOT NULL'
    """

    row_type: RowType
    batches: tuple[pa.RecordBatch, ...]
    pieces: int = 1
    filters: tuple[ResolvedExpression, ...] = ()
    """The conditions that were pushed down."""
    owner: _Owner = field(default_factory=_Owner)

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        result = super().apply_filters(filters)
        self.filters = tuple(result.accepted_filters)
        return result

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> InProcessScanProvider:
        return _InMemoryScan(self)

    @override
    def splits(self) -> Sequence[InputSplit]:
        pieces = max(min(self.pieces, len(self.batches)), 1)
        bounds = [len(self.batches) * piece // pieces for piece in range(pieces + 1)]
        return list(pairwise(bounds))

    @override
    def read(self, split: InputSplit) -> Iterable[SupportsArrowArray]:
        assert isinstance(split, tuple)
        start, stop = split
        return self.batches[start:stop]

    @override
    def report_statistics(self) -> TableStats:
        if self.selection.condition is not None:
            return TableStats.UNKNOWN
        rows = sum(batch.num_rows for batch in self.batches)
        return TableStats(row_count=rows if self.selection.limit is None else min(rows, self.selection.limit))


@dataclass(frozen=True, eq=False)
class _InMemoryScan(InProcessScanProvider):
    source: InMemoryTable

    @property
    @override
    def data(self) -> InProcessData:
        batches = self.source.batches
        return InProcessData(self.source.row_type, self.source.owner, None, lambda: batches)

    @property
    @override
    def filters(self) -> Sequence[ResolvedExpression]:
        return self.source.filters

    @property
    @override
    def columns(self) -> Sequence[Sequence[int]]:
        positions = self.source.selection.positions
        return [(position,) for position in (range(len(self.source.row_type.fields)) if positions is None else positions)]

    @override
    def splits(self) -> Sequence[InputSplit]:
        return self.source.splits()

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        return self.source.selected(split)


def in_memory_table(
    data: object, names: Sequence[str] | None = None, types: Sequence[LogicalType] | None = None, pieces: int = 1
) -> InMemoryTable:
    """Returns the data as a source.

    Args:
        data: Arrow data or a pandas data frame, whose index is dropped. A stream, which can be read only once, is read here.
        names: the names of the columns by position; None: those of the data.
        types: their types by position, to which numbers are converted if nothing is lost; None: those of the data.
        pieces: how many tasks may read it.

    Raises:
        ValidationException: the data is of another class, a column's type has no SQL type, or the columns do not match names and types.
    """
    if pieces < 1:
        raise ValidationException(f"A table is read in 1 piece or more, but got {pieces}.")
    table = _table(data)
    if not table.num_columns:
        raise ValidationException("The data has no columns, of which a table has one at least.")
    for given in (names, types):
        if given is not None and len(given) != table.num_columns:
            columns = ", ".join(table.column_names)
            raise ValidationException(f"The schema has {len(given)} columns, but the data has {table.num_columns}: {columns}.")
    used = list(table.column_names if names is None else names)
    twice = next((name for name in used if used.count(name) > 1), None)
    if twice is not None:
        raise ValidationException(f"Two columns have the name '{twice}'.", hint="schema=['…', …] names the columns.")
    table = table.rename_columns(used)
    row_type = from_arrow_schema(table.schema) if types is None else RowType.of(list(zip(used, types, strict=True)), nullable=False)
    schema = to_arrow_schema(row_type)
    batches = []
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        arrays = [
            _fitting(column, field.type, f"Column '{field.name}'") for column, field in zip(batch.columns, row_type.fields, strict=True)
        ]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return InMemoryTable(row_type, tuple(batches), pieces)


def _table(data: object) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    try:
        if type(data).__name__ == "DataFrame" and type(data).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(data, preserve_index=False)
        if type(data).__name__ == "LazyFrame" and not hasattr(data, "__arrow_c_stream__"):
            data = data.collect()  # type: ignore[attr-defined]  # a query of polars, whose result has the interface
        if hasattr(data, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(data).read_all()
        if hasattr(data, "__arrow_c_array__"):
            return pa.Table.from_batches([pa.record_batch(data)])
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ValidationException(f"The data cannot be read as a table: {error}") from error
    raise ValidationException(
        f"A table is made of {_ACCEPTED}, but got {type(data).__qualname__}.", hint="from_elements(rows) takes Python rows."
    )


def _fitting(array: pa.Array, type_: LogicalType, where: str) -> pa.Array:
    try:
        return conform_array(array, type_, where)
    except ValidationException:
        target = to_arrow_type(type_)
        if not (_is_number(array.type) and _is_number(target)):
            raise
        try:
            return conform_array(pc.cast(array, target), type_, where)
        except pa.ArrowInvalid as error:
            raise ValidationException(f"{where} is declared as {type_}, but a value of its data does not fit: {error}") from error


def _is_number(type_: pa.DataType) -> bool:
    return any(test(type_) for test in (pat.is_integer, pat.is_floating, pat.is_decimal))
