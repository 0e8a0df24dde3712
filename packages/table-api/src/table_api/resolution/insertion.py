"""Matches the columns of a query with those of the target table of INSERT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.delegation import FoundTable, Session
from table_api.operations import ContextResolvedTable, ProjectQueryOperation, QueryOperation, SinkModifyOperation
from table_api.resolution.casting import cast_to, same_type
from table_common.catalog import CatalogMaterializedTable, Column
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.object_names import check_no_nul
from table_common.types import BinaryStringType, CharacterType, CharType, LogicalType, supports_implicit_cast, without_required_parts


def build_insert(
    session: Session,
    path: tuple[str, ...],
    query: QueryOperation,
    *,
    columns: Sequence[str] = (),
    static_partition: Mapping[str, ResolvedExpression] | None = None,
    overwrite: bool = False,
    options: Mapping[str, str] | None = None,
    position: SourcePosition | None = None,
) -> SinkModifyOperation:
    """Returns the insertion of a query's rows into a table.

    Args:
        columns: the target columns in the order of the query; empty means all that are not in ``static_partition``.
        static_partition: constants for partition columns, which the query must not provide.

    Raises:
        ValidationException: the table does not exist or is a view, or the columns do not fit by number or type.
    """
    found = session.tables.find_table(path)
    if found is None:
        raise session.tables.table_not_found(path, position)
    if not isinstance(found, FoundTable):
        raise ValidationException(f"{found.identifier} is a view: rows can only be inserted into tables.", position=position)
    refuse_materialized(found, position)
    return insert_into_table(
        ContextResolvedTable(found.identifier, found.table, found.is_temporary),
        query,
        columns=columns,
        static_partition=static_partition or {},
        overwrite=overwrite,
        options=options or {},
        position=position,
    )


def refuse_materialized(found: FoundTable, position: SourcePosition | None) -> None:
    """Raises a ``ValidationException`` if a table is a materialized one: only refreshes write its rows."""
    if isinstance(found.table.origin, CatalogMaterializedTable):
        raise ValidationException(
            f"{found.identifier} is a materialized table: its rows are those of its query, and only refreshes write them.",
            position=position,
            hint="ALTER MATERIALIZED TABLE … REFRESH computes them again, ALTER MATERIALIZED TABLE … AS changes the query",
        )


def insert_into_table(
    table: ContextResolvedTable,
    query: QueryOperation,
    *,
    columns: Sequence[str] = (),
    static_partition: Mapping[str, ResolvedExpression],
    overwrite: bool = False,
    options: Mapping[str, str],
    position: SourcePosition | None = None,
) -> SinkModifyOperation:
    """Returns the insertion into a resolved table.

    Raises:
        ValidationException: the columns of the query do not fit those of the table, a NOT NULL column gets no value, or the partition is wrong.
    """
    persisted = [column for column in table.table.resolved_schema.columns if column.is_persisted()]
    _check_partition(table, static_partition, position)
    targets = _targets(table, persisted, columns, static_partition, position)
    given = query.resolved_schema.columns
    if len(given) != len(targets):
        raise _mismatch(table, targets, given, "the number of columns differs", position)
    values: dict[str, ResolvedExpression] = dict(static_partition)
    for index, (source, target) in enumerate(zip(given, targets, strict=True)):
        if not _fits(source.data_type, target.data_type):
            raise _mismatch(table, targets, given, f"'{source.name}' of type {source.data_type} does not fit '{target.name}'", position)
        values[target.name] = FieldReferenceExpression(source.name, source.data_type, 0, index)
    expressions: list[ResolvedExpression] = []
    for column in persisted:
        value = values.get(column.name)
        if value is None:
            if not column.data_type.nullable:
                raise ValidationException(
                    f"Column '{column.name}' of {table.identifier} is NOT NULL, so INSERT must set it.", position=position
                )
            value = ValueLiteralExpression(None, column.data_type)
        expressions.append(cast_to(value, column.data_type))
    unchanged = len(given) == len(persisted) and all(
        isinstance(e, FieldReferenceExpression) and e.field_index == i for i, e in enumerate(expressions)
    )
    child = query if unchanged else ProjectQueryOperation(tuple(expressions), tuple(c.name for c in persisted), query)
    partition = {name: partition_text(value) for name, value in static_partition.items()}
    named = tuple(i for i, column in enumerate(persisted) if column.name in columns) if columns else None
    return SinkModifyOperation(child, table, partition, overwrite, dict(options), target_columns=named)


def _fits(source: LogicalType, target: LogicalType) -> bool:
    """Whether values can be inserted, by their types: the sink enforces NOT NULL, also inside of ROW, ARRAY and MAP, row by row.

    Character and binary strings of any length fit: they are padded or truncated, as by CAST.
    """
    if supports_implicit_cast(source, without_required_parts(target).with_nullability(True)) or same_type(source, target):
        return True
    return any(isinstance(source, one) and isinstance(target, one) for one in (CharacterType, BinaryStringType))


def _check_partition(table: ContextResolvedTable, partition: Mapping[str, ResolvedExpression], position: SourcePosition | None) -> None:
    keys = table.table.partition_keys
    for name in partition:
        if name not in keys:
            raise ValidationException.unknown("Partition column", name, keys, where=str(table.identifier), position=position)


def _targets(
    table: ContextResolvedTable,
    persisted: Sequence[Column],
    columns: Sequence[str],
    partition: Mapping[str, ResolvedExpression],
    position: SourcePosition | None,
) -> list[Column]:
    if not columns:
        return [column for column in persisted if column.name not in partition]
    by_name = {column.name: column for column in persisted}
    targets = []
    for name in columns:
        if name not in by_name:
            raise ValidationException.unknown("Column", name, by_name, where=str(table.identifier), position=position)
        if name in partition or by_name[name] in targets:
            raise ValidationException(f"INSERT lists column '{name}' twice.", position=position)
        targets.append(by_name[name])
    return targets


def _mismatch(
    table: ContextResolvedTable, targets: Sequence[Column], given: Sequence[Column], reason: str, position: SourcePosition | None
) -> ValidationException:
    def text(columns: Sequence[Column]) -> str:
        return ", ".join(f"{column.name}: {column.data_type}" for column in columns)

    return ValidationException(
        f"The query does not fit the table {table.identifier}: {reason}.\nQuery: [{text(given)}]\nTable: [{text(targets)}]",
        position=position,
        hint="list the target columns, or CAST the other types",
    )


def partition_text(value: ResolvedExpression) -> str:
    """Returns the text of a constant as used in a partition spec.

    Raises:
        ValidationException: it is not a constant, or NULL.
    """
    if not isinstance(value, ValueLiteralExpression) or value.value is None:
        raise ValidationException("A partition value must be a constant other than NULL.")
    text = str(value.value) if isinstance(value.output_type, CharType) else str(cast_text(value))
    check_no_nul(text, "the value of a partition")
    return text


def cast_text(literal: ValueLiteralExpression) -> str:
    """Returns the text of a constant without quotes around it."""
    text = literal.as_serializable_string()
    if text[:1] in "DT" and text.endswith("'"):  # DATE '2020-01-01', TIMESTAMP '…'
        return text.split("'", 1)[1][:-1]
    return text.lower() if isinstance(literal.value, bool) else text
