"""Reading a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import MetadataColumn, ObjectIdentifier, PhysicalColumn, ResolvedCatalogTable, ResolvedSchema
from table_common.connector import DynamicTableSource
from table_common.connector.source.abilities import PartitionValue
from table_common.expressions import AggregateExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import BigIntType, LogicalType, RowType

__all__ = ["ContextResolvedTable", "SourceQueryOperation"]


@dataclass(frozen=True, slots=True)
class ContextResolvedTable:
    """A table as it was found: its name, its definition, and whether it is temporary or anonymous."""

    identifier: ObjectIdentifier
    table: ResolvedCatalogTable
    is_temporary: bool = False
    is_anonymous: bool = False


@dataclass(frozen=True, slots=True)
class SourceQueryOperation(QueryOperation):
    """Reads the physical columns of a table, and behind them its metadata columns.

    ``source`` is made by the connector's factory when planning begins and replaced by a copy with each push-down; before that it is
    None. ``metadata_types`` are the types that the source gives the metadata columns; before it is made those of the columns. ``projection``
    None means all of these columns, else their positions in the order produced. ``filters`` are the conjuncts that the source has accepted
    (shown in plans; their references point into the physical columns), ``limit`` what it was given, ``partitions`` those that it reads.

    A source that was given fields inside rows or aggregates no longer produces a choice of its columns: ``produced`` says what it
    produces; ``nested_fields`` are the paths of positions, ``aggregates`` and ``grouping`` what it computes (shown in plans).

    ``dynamic_filters`` are queries that run before the scan: their columns have names of physical columns, and rows of the table whose values
    of these columns are in none of the filter's rows need not be read.

    ``watermark`` is the text of the watermark that the source makes, or takes from its system, and ``computed_columns`` are those that it adds
    to its rows because the watermark needs them: they stand behind the others in ``produced``.

    ``change_column`` names one more column behind the others, for sources of changes: a BIGINT that is the position of the change among
    all, times four, plus the code of its kind.
    """

    table: ContextResolvedTable
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: DynamicTableSource | None = field(default=None, compare=False)
    projection: tuple[int, ...] | None = None
    filters: tuple[ResolvedExpression, ...] = ()
    limit: int | None = None
    metadata_types: tuple[LogicalType, ...] | None = None
    partitions: tuple[Mapping[str, PartitionValue], ...] | None = field(default=None, hash=False)
    nested_fields: tuple[tuple[int, ...], ...] | None = None
    grouping: tuple[str, ...] = ()
    aggregates: tuple[AggregateExpression, ...] | None = None
    produced: ResolvedSchema | None = None
    change_column: str | None = None
    dynamic_filters: tuple[QueryOperation, ...] = ()
    watermark: str | None = None
    computed_columns: tuple[str, ...] = ()
    _physical_schema: ResolvedSchema | None = field(init=False, default=None, compare=False, repr=False)
    _resolved_schema: ResolvedSchema | None = field(init=False, default=None, compare=False, repr=False)

    @property
    def physical_schema(self) -> ResolvedSchema:
        """All physical columns of the table."""
        if self._physical_schema is None:
            columns = self.table.table.resolved_schema.columns
            physical = ResolvedSchema(tuple(column for column in columns if column.is_physical))
            object.__setattr__(self, "_physical_schema", physical)
        return self._physical_schema  # type: ignore[return-value]  # set just now

    @property
    def metadata_columns(self) -> tuple[MetadataColumn, ...]:
        """The metadata columns of the table, with their types as declared."""
        return tuple(column for column in self.table.table.resolved_schema.columns if isinstance(column, MetadataColumn))

    @property
    def readable_schema(self) -> ResolvedSchema:
        """All columns that the source can give: what ``projection`` counts."""
        declared = self.metadata_columns
        change = (PhysicalColumn(self.change_column, BigIntType(nullable=False)),) if self.change_column is not None else ()
        if not declared and not change:
            return self.physical_schema
        types = self.metadata_types or tuple(column.data_type for column in declared)
        columns = (PhysicalColumn(column.name, type_) for column, type_ in zip(declared, types, strict=True))
        return ResolvedSchema((*self.physical_schema.columns, *columns, *change))

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        if self._resolved_schema is None:
            object.__setattr__(self, "_resolved_schema", self._make_schema())
        return self._resolved_schema  # type: ignore[return-value]  # set just now

    def _make_schema(self) -> ResolvedSchema:
        if self.produced is not None:
            return self.produced
        schema = self.readable_schema
        if self.projection is None:
            return schema
        return ResolvedSchema(tuple(schema.columns[index] for index in self.projection))

    @property
    @override
    def summary_name(self) -> str:
        return "TableScan"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "table", self.table.identifier.as_summary_string()
        if self.source is not None:
            yield "source", self.source.as_summary_string()
        yield "fields", list(self.resolved_schema.column_names)
        if self.partitions is not None:
            yield "partitions", [_partition_text(partition) for partition in self.partitions]
        if self.nested_fields is not None:
            yield "nested", [self._path_text(path) for path in self.nested_fields if len(path) > 1]
        if self.aggregates is not None:
            if self.grouping:
                yield "groupBy", list(self.grouping)
            yield "aggregates", [str(aggregate) for aggregate in self.aggregates]
        if self.filters:
            yield "filters", [str(condition) for condition in self.filters]
        if self.limit is not None:
            yield "limit", self.limit
        if self.computed_columns:
            yield "computed", list(self.computed_columns)
        if self.watermark is not None:
            yield "watermark", [self.watermark]
        if self.dynamic_filters:
            yield "dynamicFilters", [name for query in self.dynamic_filters for name in query.resolved_schema.column_names]

    def _path_text(self, path: tuple[int, ...]) -> str:
        column = self.physical_schema.columns[path[0]]
        names, type_ = [column.name], column.data_type
        for position in path[1:]:
            assert isinstance(type_, RowType)
            names.append(type_.fields[position].name)
            type_ = type_.fields[position].type
        return ".".join(names)


def _partition_text(partition: Mapping[str, PartitionValue]) -> str:
    return "/".join(f"{key}={_value_text(value)}" for key, value in partition.items())


def _value_text(value: PartitionValue) -> str:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return "NULL" if value is None else value
