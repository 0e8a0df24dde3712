"""Lookup joins: each row is joined with the rows that a connector looks up by key."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.join import JoinType
from table_api.operations.query.source import SourceQueryOperation
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.connector import LookupTableSource
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import Part


@dataclass(frozen=True, slots=True)
class LookupHint:
    """The options of a LOOKUP hint; None leaves the choice to the session's options and the connector.

    ``max_attempts`` is set if a lookup that finds nothing is repeated, ``fixed_delay`` later, and then counts all lookups of a key.
    """

    is_async: bool | None = None
    allows_unordered: bool | None = None
    capacity: int | None = None
    timeout: timedelta | None = None
    fixed_delay: timedelta | None = None
    max_attempts: int | None = None

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields the options that are set, for EXPLAIN."""
        if self.is_async is not None:
            yield "async", self.is_async
        if self.allows_unordered is not None:
            yield "output-mode", "ALLOW_UNORDERED" if self.allows_unordered else "ORDERED"
        if self.capacity is not None:
            yield "capacity", self.capacity
        if self.timeout is not None:
            yield "timeout", str(self.timeout)
        if self.max_attempts is not None:
            yield "retry", [f"lookup_miss, {self.max_attempts} attempts, {self.fixed_delay} apart"]


@dataclass(frozen=True, slots=True)
class LookupKey(Part):
    """A column of the looked-up row, by position, and what it must equal: an expression over the left row, perhaps a constant."""

    column: int
    value: ResolvedExpression


@dataclass(frozen=True, slots=True)
class LookupSide(Part):
    """The looked-up table: its source, and the filters and projection over the rows found.

    ``filters`` are conditions over the row produced (of the scan's schema), ``projection`` the columns made of it, under ``names``.
    """

    table: str
    source: LookupTableSource
    source_schema: ResolvedSchema
    filters: tuple[ResolvedExpression, ...]
    projection: tuple[ResolvedExpression, ...]
    names: tuple[str, ...]
    pushed: tuple[str, ...] = ()
    """The abilities pushed into the source, for EXPLAIN."""

    @classmethod
    def of(
        cls,
        scan: SourceQueryOperation,
        source: LookupTableSource,
        filters: tuple[ResolvedExpression, ...],
        projection: tuple[ResolvedExpression, ...],
        names: tuple[str, ...],
        pushed: tuple[str, ...] = (),
    ) -> LookupSide:
        """Returns the side that looks up rows in the source of a scan."""
        return cls(
            scan.table.identifier.as_summary_string(),
            source,
            _with_primary_key(scan),
            filters,
            projection,
            names,
            pushed,
        )

    @property
    def schema(self) -> ResolvedSchema:
        """The columns that join the left ones."""
        return ResolvedSchema(tuple(PhysicalColumn(n, e.output_type) for n, e in zip(self.names, self.projection, strict=True)))


def _with_primary_key(scan: SourceQueryOperation) -> ResolvedSchema:
    """Returns the columns that a scan produces, with the primary key of its table if they have all its columns."""
    primary_key = scan.table.table.resolved_schema.primary_key
    names = scan.resolved_schema.column_names
    if primary_key is None or not all(name in names for name in primary_key.columns):
        return scan.resolved_schema
    return replace(scan.resolved_schema, primary_key=primary_key)


@dataclass(frozen=True, slots=True)
class LookupJoinQueryOperation(QueryOperation):
    """Joins each row of the child with the rows that ``side`` finds for its keys; ``join_type`` is INNER or LEFT_OUTER.

    A row whose key is NULL finds nothing. ``condition`` is what else must be true of a pair: input 0 is the child, input 1 the columns of
    ``side.projection``. The schema is that of a join.
    """

    child: QueryOperation
    side: LookupSide
    keys: tuple[LookupKey, ...]
    join_type: JoinType
    condition: ResolvedExpression | None
    hint: LookupHint = LookupHint()

    @override
    def _make_schema(self) -> ResolvedSchema:
        right = self.side.schema.columns
        if self.join_type is JoinType.LEFT_OUTER:
            right = tuple(PhysicalColumn(column.name, column.data_type.with_nullability(True)) for column in right)
        return ResolvedSchema((*self.child.resolved_schema.columns, *right))

    @property
    @override
    def summary_name(self) -> str:
        return "LookupJoin"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        side = self.side
        columns = side.source_schema.column_names
        yield "table", side.table
        yield "source", side.source.as_summary_string()
        yield "joinType", self.join_type.value
        yield "lookup", [f"{columns[key.column]}={key.value}" for key in self.keys]
        if side.pushed:
            yield "filters", list(side.pushed)
        if side.filters:
            yield "where", list(map(str, side.filters))
        if self.condition is not None:
            yield "condition", self.condition
        yield "select", list(side.names)
        yield from self.hint.summary_details()
