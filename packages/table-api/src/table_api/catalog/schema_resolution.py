"""Resolves a ``Schema`` to a ``ResolvedSchema``: types, computed columns, watermarks, primary key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from table_common.catalog import (
    CatalogTable,
    Column,
    ComputedColumn,
    MetadataColumn,
    PhysicalColumn,
    ResolvedCatalogTable,
    ResolvedSchema,
    Schema,
    UniqueConstraint,
    UnresolvedColumn,
    WatermarkSpec,
)
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression, calls_of
from table_common.types import (
    EXACT_INTEGERS,
    TIMESTAMPS,
    CharacterType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampKind,
    is_proctime,
    named_types,
    parse_logical_type,
    quote_identifier,
)

_MOST_KNOWN = 256
"""The size of the cache of resolved schemas: a catalog in memory returns the same object each time."""


class ExpressionResolver(Protocol):
    """Resolves an expression of a schema (Table API or SQL text) over columns."""

    def __call__(self, expression: Any, columns: Sequence[Column]) -> ResolvedExpression:
        """Returns the expression; its references point into ``columns`` by position."""


class SchemaResolver:
    """Resolves schemas. ``resolve_expression`` is needed for computed columns and watermarks, ``find_type`` for types of modules.

    Source: Flink's ``org.apache.flink.table.catalog.SchemaResolver``.
    """

    def __init__(
        self,
        resolve_expression: ExpressionResolver | None = None,
        is_streaming_mode: Callable[[], bool] = lambda: False,
        find_type: Callable[[str], LogicalType | None] = lambda name: None,
    ) -> None:
        self._resolve_expression = resolve_expression
        self._is_streaming_mode = is_streaming_mode
        self._find_type = find_type
        self._known: dict[int, tuple[Schema, ResolvedSchema]] = {}

    def resolve_table(self, table: CatalogTable) -> ResolvedCatalogTable:
        """Returns the table with its schema resolved; also checks partition and bucket columns.

        Raises:
            ValidationException: the schema is invalid; the message names the column.
        """
        schema = self.resolve(table.schema)
        physical = [column.name for column in schema.columns if column.is_persisted()]
        _check_columns("Partition key", table.partition_keys, physical)
        if table.distribution is not None:
            _check_columns("Bucket key", table.distribution.columns, physical)
        return ResolvedCatalogTable(table, schema)

    def resolve(self, schema: Schema) -> ResolvedSchema:
        """Returns the schema with types parsed and expressions resolved.

        Raises:
            ValidationException: the schema is invalid; the message names the column.
        """
        known = self._known.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        resolved = self._resolve(schema)
        if _is_context_free(schema):
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[id(schema)] = (schema, resolved)
        return resolved

    def _resolve(self, schema: Schema) -> ResolvedSchema:
        _check_unique([column.name for column in schema.columns])
        with named_types(self._find_type):
            columns = self._columns(schema)
        specs = tuple(self._watermark(spec.column_name, spec.expression, columns) for spec in schema.watermark_specs)
        if len(specs) > 1:
            raise ValidationException("A table has at most one watermark.")
        if self._is_streaming_mode():
            for spec in specs:
                columns = [_as_rowtime(column) if column.name == spec.rowtime_attribute else column for column in columns]
        return ResolvedSchema(tuple(columns), specs, self._primary_key(schema, columns))

    def _columns(self, schema: Schema) -> list[Column]:
        # Differs from Flink: a nullable key column becomes NOT NULL also where a Schema declares it, as it does in SQL.
        key = schema.primary_key.column_names if schema.primary_key is not None else ()
        stored = {column.name: _stored(column, column.name in key) for column in schema.columns if column.expression is None}
        visible = list(stored.values())
        return [stored[column.name] if column.name in stored else self._computed(column, visible, schema) for column in schema.columns]

    def _computed(self, column: UnresolvedColumn, visible: Sequence[Column], schema: Schema) -> ComputedColumn:
        expression = self._expression(column.expression, visible, f"computed column '{column.name}'", schema)
        return ComputedColumn(column.name, expression.output_type, column.comment, expression)

    def _watermark(self, column_name: str, expression: Any, columns: Sequence[Column]) -> WatermarkSpec:
        column = next((candidate for candidate in columns if candidate.name == column_name), None)
        if column is None:
            if any(column_name.startswith(f"{candidate.name}.") for candidate in columns):
                raise ValidationException(
                    f"A watermark cannot be defined for '{column_name}', a field of a row.",
                    hint=f"add a computed column, x AS {column_name}, and WATERMARK FOR x",
                )
            raise ValidationException.unknown("Column", column_name, [c.name for c in columns], where="the watermark")
        if is_proctime(column.data_type):
            raise ValidationException(
                f"A watermark cannot be defined for '{column_name}': '{column_name}' is processing time.",
                hint="processing time needs no watermark; WATERMARK FOR takes a column with the time of the rows",
            )
        _check_rowtime(f"The event time column '{column_name}'", column.data_type, column_name)
        resolved = self._expression(expression, columns, f"watermark of '{column_name}'", None)
        _check_rowtime(f"The watermark of '{column_name}'", resolved.output_type)
        if type(resolved.output_type) is not type(column.data_type):
            _check_is_of_source(resolved, column)
        return WatermarkSpec(column_name, resolved)

    def _expression(self, expression: Any, columns: Sequence[Column], where: str, schema: Schema | None) -> ResolvedExpression:
        if isinstance(expression, ResolvedExpression):
            return expression
        if self._resolve_expression is None:
            raise ValidationException(f"The {where} needs an expression, which this catalog manager cannot resolve.")
        try:
            return self._resolve_expression(expression, columns)
        except ValidationException as error:
            hint = error.hint
            computed = [c.name for c in schema.columns if c.expression is not None] if schema is not None else []
            if hint is None and len(computed) > 1:
                hint = f"A computed column cannot use another one; computed here: {', '.join(computed)}."
            raise ValidationException(f"Invalid {where}: {error.message}", position=error.position, hint=hint) from error

    def _primary_key(self, schema: Schema, columns: Sequence[Column]) -> UniqueConstraint | None:
        key = schema.primary_key
        if key is None:
            return None
        by_name: Mapping[str, Column] = {column.name: column for column in columns}
        _check_columns("Primary key column", key.column_names, list(by_name))
        for name in key.column_names:
            if not by_name[name].is_physical():
                raise ValidationException(f"Primary key '{key.constraint_name}': column '{name}' is not a physical column.")
        return UniqueConstraint(key.constraint_name, key.column_names)


def _is_context_free(schema: Schema) -> bool:
    """Returns whether the schema has resolved types only: type names and expressions may resolve differently the next time."""
    return not schema.watermark_specs and all(isinstance(column.data_type, LogicalType) for column in schema.columns)


def _stored(column: UnresolvedColumn, is_key: bool) -> Column:
    data_type = parse_logical_type(column.data_type) if isinstance(column.data_type, str) else column.data_type
    if data_type is None:
        raise ValidationException(f"Column '{column.name}' has neither a type nor an expression.")
    if column.is_metadata:
        return MetadataColumn(column.name, data_type, column.comment, column.metadata_key, column.is_virtual)
    return PhysicalColumn(column.name, data_type.not_null() if is_key else data_type, column.comment)


def _check_unique(names: Sequence[str]) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ValidationException(f"The columns of a schema must have different names, but these are repeated: {', '.join(repeated)}.")


def _check_columns(what: str, names: Sequence[str], accepted: Sequence[str]) -> None:
    for name in names:
        if name not in accepted:
            raise ValidationException.unknown(what, name, accepted, where="the schema")
        if names.count(name) > 1:
            raise ValidationException(f"{what} '{name}' occurs twice.")


def _check_is_of_source(watermark: ResolvedExpression, column: Column) -> None:
    """Checks that a watermark of another type than its column is that of the source."""
    from table_common.functions.builtin import temporal  # few watermarks have another type

    if not calls_of(temporal.SOURCE_WATERMARK, [watermark]):
        raise ValidationException(
            f"The watermark of '{column.name}' is {watermark.output_type}, but the column is {column.data_type}.",
            hint=f"write an expression of the column's type, such as {column.name} - INTERVAL '5' SECOND",
        )


def _check_rowtime(where: str, data_type: LogicalType, column: str | None = None) -> None:
    if isinstance(data_type, TIMESTAMPS) and getattr(data_type, "precision", 9) <= 3:
        return
    hint = None
    if column is not None:
        hint = f"add a computed column with the time, x AS {_as_time(column, data_type)}, and WATERMARK FOR x"
    raise ValidationException(
        f"{where} takes TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3, but the expression is of type {data_type}.", hint=hint
    )


def _as_time(column: str, data_type: LogicalType) -> str:
    """Returns an expression that makes event time of a column."""
    name = column if column.isidentifier() else quote_identifier(column)
    if isinstance(data_type, EXACT_INTEGERS):
        return f"TO_TIMESTAMP_LTZ({name}, 3)"
    if isinstance(data_type, CharacterType):
        return f"TO_TIMESTAMP({name})"
    return f"CAST({name} AS {'TIMESTAMP_LTZ' if isinstance(data_type, LocalZonedTimestampType) else 'TIMESTAMP'}(3))"


def _as_rowtime(column: Column) -> Column:
    # Differs from Flink: an event time with fewer than three digits keeps its type in a query; there it is a TIMESTAMP(3), and its text has milliseconds.
    rowtime: Any = column.data_type  # a timestamp, as checked before
    return replace(column, data_type=replace(rowtime, kind=TimestampKind.ROWTIME))


def with_sql_text(table: ResolvedCatalogTable) -> CatalogTable:
    """Returns the table with its expressions as SQL text: Table API expressions are printed, SQL text is kept."""
    schema, resolved = table.origin.schema, table.resolved_schema
    if all(isinstance(e, str | None) for e in (*(c.expression for c in schema.columns), *(w.expression for w in schema.watermark_specs))):
        return table.origin
    computed = {column.name: column.expression for column in resolved.columns if isinstance(column, ComputedColumn)}
    columns = tuple(replace(column, expression=_sql_text(column.expression, computed.get(column.name))) for column in schema.columns)
    watermarks = tuple(
        replace(spec, expression=_sql_text(spec.expression, of.expression))
        for spec, of in zip(schema.watermark_specs, resolved.watermark_specs, strict=True)
    )
    return replace(table.origin, schema=replace(schema, columns=columns, watermark_specs=watermarks), options=dict(table.options))


def _sql_text(expression: object, resolved: ResolvedExpression | None) -> object:
    return expression if resolved is None or isinstance(expression, str) else resolved.as_serializable_string()
