"""Reading a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.pushed_down import PushedAbility, PushedDown
from table_common.annotation import override
from table_common.catalog import MetadataColumn, ObjectIdentifier, PhysicalColumn, ResolvedCatalogTable, ResolvedSchema
from table_common.configuration import resolve_references
from table_common.connector import DynamicTableSource
from table_common.expressions import ResolvedExpression
from table_common.factories import WatermarkParams
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.tree import holds_only
from table_common.types import BigIntType


@dataclass(frozen=True, slots=True)
class ContextResolvedTable:
    """A table as it was found: its name, its definition, and whether it is temporary or anonymous."""

    identifier: ObjectIdentifier
    table: ResolvedCatalogTable
    is_temporary: bool = False
    is_anonymous: bool = False


@dataclass(frozen=True, slots=True)
class SourceQueryOperation(QueryOperation):
    """Reads the physical columns of a table, and after them its metadata columns, unless ``produced`` says otherwise.

    ``source`` is made by the connector's factory when planning begins and replaced by a copy with each push-down; before that it is
    None. ``produced`` are the columns that it gives; None: all that can be read, with the types of the table. ``pushed`` is what it was given
    to do; expressions in it refer to the columns that were produced when they were pushed.

    ``change_column`` names one more column after the others, for sources of changes: a BIGINT that is the position of the change among
    all, times four, plus the code of its kind.

    ``dynamic_filters`` are the inputs of a scan: queries that run before it. Their columns have names of physical columns, and rows of the
    table whose values of these columns are in none of the filter's rows need not be read.
    """

    table: ContextResolvedTable
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: DynamicTableSource | None = field(default=None, compare=False)
    produced: ResolvedSchema | None = None
    pushed: PushedDown = field(default=PushedDown(), metadata=holds_only(ResolvedExpression))
    change_column: str | None = None
    dynamic_filters: tuple[QueryOperation, ...] = ()
    _physical_schema: ResolvedSchema | None = field(init=False, default=None, compare=False, repr=False)
    _resolved_schema: ResolvedSchema | None = field(init=False, default=None, compare=False, repr=False)

    @property
    def physical_schema(self) -> ResolvedSchema:
        """All physical columns of the table."""
        if self._physical_schema is None:
            columns = self.table.table.resolved_schema.columns
            physical = ResolvedSchema(tuple(column for column in columns if column.is_physical()))
            object.__setattr__(self, "_physical_schema", physical)
        return self._physical_schema  # type: ignore[return-value]  # set just now

    @property
    def metadata_columns(self) -> tuple[MetadataColumn, ...]:
        """The metadata columns of the table, with their types as declared."""
        return tuple(column for column in self.table.table.resolved_schema.columns if isinstance(column, MetadataColumn))

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        if self._resolved_schema is None:
            object.__setattr__(self, "_resolved_schema", self._make_schema())
        return self._resolved_schema  # type: ignore[return-value]  # set just now

    @property
    def watermark_params(self) -> WatermarkParams:
        """When watermarks of the table are emitted, and which others they wait for: from its options and those of hints."""
        where = f"table {self.table.identifier}"
        return WatermarkParams.of(resolve_references({**self.table.table.options, **self.options}, where), where)

    def _make_schema(self) -> ResolvedSchema:
        if self.produced is not None:
            return self.produced
        declared = self.metadata_columns
        if not declared:
            return self.physical_schema
        metadata = (PhysicalColumn(column.name, column.data_type) for column in declared)
        return ResolvedSchema((*self.physical_schema.columns, *metadata))

    def with_pushed(self, source: DynamicTableSource, told: PushedAbility, produced: ResolvedSchema | None = None) -> SourceQueryOperation:
        """Returns the scan with one more push-down in a copy of its source; ``produced`` are the new columns, if they change."""
        produced = produced if produced is not None else self.produced
        return replace(self, source=source, pushed=self.pushed.with_ability(told), produced=produced)

    def with_changes(self, column: str) -> SourceQueryOperation:
        """Returns the scan with the column that says what each row changes."""
        columns = (*self.resolved_schema.columns, PhysicalColumn(column, BigIntType(nullable=False)))
        return replace(self, change_column=column, produced=ResolvedSchema(columns))

    @property
    @override
    def summary_name(self) -> str:
        return "TableScan"

    @property
    @override
    def pact(self) -> str:
        return "Data Source"  # the inputs of a scan are its runtime filters

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "table", self.table.identifier.as_summary_string()
        if self.source is not None:
            yield "source", self.source.as_summary_string()
        yield "fields", list(self.resolved_schema.column_names)
        yield from self.pushed.summary_details()
        if self.dynamic_filters:
            yield "dynamicFilters", [name for query in self.dynamic_filters for name in query.resolved_schema.column_names]
