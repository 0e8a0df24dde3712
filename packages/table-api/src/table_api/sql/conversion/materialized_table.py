"""CREATE [OR ALTER] and ALTER MATERIALIZED TABLE."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NoReturn

from table_api.delegation import FoundTable
from table_api.expressions.unresolved import Literal
from table_api.operations import Operation, QueryOperation, SourceQueryOperation
from table_api.operations.ddl import (
    AlterMaterializedTableOperation,
    CreateMaterializedTableOperation,
    RefreshMaterializedTableOperation,
    ResumeMaterializedTableOperation,
    SuspendMaterializedTableOperation,
)
from table_api.sql.ast import (
    AlterStatement,
    ChangeQuery,
    CreateMaterializedTable,
    CreateTable,
    QueryNode,
    Refresh,
    Resume,
    Suspend,
)
from table_api.sql.conversion.alter_table import altered_table
from table_api.sql.conversion.create_table import create_table_as
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.options import options_of
from table_api.sql.conversion.partition import partition_spec_of
from table_api.sql.conversion.view import stored_query
from table_common.catalog import (
    PARTITION_FIELDS,
    CatalogMaterializedTable,
    CatalogPartitionSpec,
    CatalogTable,
    IntervalFreshness,
    LogicalRefreshMode,
    ObjectIdentifier,
    RefreshMode,
    ResolvedSchema,
    UnresolvedColumn,
    partition_of_time,
)
from table_common.configuration import MaterializedTableConfigOptions as Options
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import nodes_of
from table_common.types import CharacterType, LogicalType, parse_logical_type

_FRESHNESS = re.compile(r"INTERVAL\s+'\s*(-?\d+)\s*'\s+(\w+?)S?", re.IGNORECASE)


@convert.register(CreateMaterializedTable)
def _create(node: CreateMaterializedTable, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path)
    if node.start_mode is not None:
        raise _no_start_mode(node.span and context.position(node.span))
    query, definition = _definition(node.query, identifier, context)
    table = create_table_as(_as_table(node), context).table.catalog_table
    _check_columns(table, query.resolved_schema, identifier, context.position(node.span))
    freshness, logical, mode = _refresh(node, identifier, context)
    new = CatalogMaterializedTable(
        table.schema,
        table.comment,
        table.options,
        table.partition_keys,
        table.distribution,
        definition,
        node.query_text,
        freshness,
        logical,
        mode,
    )
    _check_partition_fields(new, identifier, context.position(node.span))
    found = context.session.tables.find_table(node.path) if node.or_alter else None
    if found is None:
        return CreateMaterializedTableOperation(identifier, new, node.if_not_exists)
    old = _materialized(found, node.path_span and context.position(node.path_span))
    _check_same(node, new, old, identifier, context.position(node.span))
    altered = _with_query(old, query.resolved_schema, identifier, context.position(node.span))
    altered = replace(altered, definition_query=definition, original_query=node.query_text, options=dict(old.options))
    if node.freshness is not None:
        altered = replace(altered, freshness=freshness, options=dict(old.options))
    return AlterMaterializedTableOperation(identifier, altered, old)


def _as_table(node: CreateMaterializedTable) -> CreateTable:
    """Returns the CREATE TABLE AS with the same columns."""
    return CreateTable(
        node.path,
        node.columns,
        node.constraints,
        node.watermarks,
        node.comment,
        node.distribution,
        node.partitioned_by,
        node.options,
        query=node.query,
        identifiers_only=node.identifiers_only,
        span=node.span,
        path_span=node.path_span,
    )


def _definition(node: QueryNode, identifier: ObjectIdentifier, context: StatementContext) -> tuple[QueryOperation, str]:
    """Returns the query and its text with full names."""
    queries = context.queries()
    query = queries.convert(node)
    position = context.position(node.span)
    queries.written.require_different(query, f"materialized table {identifier}", position)
    for scan in nodes_of(query, QueryOperation, SourceQueryOperation):
        if scan.table.identifier == identifier:
            raise ValidationException(f"The query of the materialized table {identifier} reads that table.", position=position)
        if scan.table.is_temporary or scan.table.is_anonymous:
            raise _temporary(identifier, scan.table.identifier, position)
    for _, name in queries.table_names:
        found = context.session.tables.find_table(name.parts)
        if found is not None and found.is_temporary:
            raise _temporary(identifier, name, position)
    return query, stored_query(node, query, queries, context)


def _temporary(identifier: ObjectIdentifier, name: ObjectIdentifier, position: SourcePosition | None) -> ValidationException:
    return ValidationException(
        f"The materialized table {identifier} reads {name}, which is temporary: other sessions could not refresh it.",
        position=position,
        hint="CREATE TABLE or VIEW it without TEMPORARY",
    )


# --- freshness and mode -----------------------------------------------------------------------------------------------------------


def _refresh(
    node: CreateMaterializedTable, identifier: ObjectIdentifier, context: StatementContext
) -> tuple[IntervalFreshness, LogicalRefreshMode, RefreshMode]:
    configuration = context.session.configuration
    logical = LogicalRefreshMode(node.refresh_mode or "AUTOMATIC")
    freshness = _freshness(node.freshness, identifier, context) if node.freshness is not None else None
    if logical is not LogicalRefreshMode.AUTOMATIC:
        mode = RefreshMode(logical.value)
    elif freshness is None or freshness.duration < configuration.get(Options.REFRESH_MODE_FRESHNESS_THRESHOLD):
        mode = RefreshMode.CONTINUOUS
    else:
        mode = RefreshMode.FULL
    if freshness is None:
        default = Options.DEFAULT_FRESHNESS_FULL if mode is RefreshMode.FULL else Options.DEFAULT_FRESHNESS_CONTINUOUS
        freshness = IntervalFreshness.of_duration(configuration.get(default))
    if mode is RefreshMode.FULL:
        freshness.check_schedule(f"the materialized table {identifier}")
    return freshness, logical, mode


def _freshness(literal: Literal, identifier: ObjectIdentifier, context: StatementContext) -> IntervalFreshness:
    assert literal.span is not None
    text = context.text[literal.span.start : literal.span.end]
    found = _FRESHNESS.fullmatch(text.strip())
    try:
        if found is None:
            raise ValidationException(f"A freshness is a whole number of seconds, minutes, hours or days, but got {text}.")
        return IntervalFreshness(int(found[1]), found[2].upper())
    except ValidationException as error:
        raise ValidationException(
            f"The freshness of the materialized table {identifier} is wrong: {error.message}",
            position=context.position(literal.span),
            hint="FRESHNESS = INTERVAL '1' MINUTE",
        ) from None


def _check_partition_fields(table: CatalogMaterializedTable, identifier: ObjectIdentifier, position: SourcePosition | None) -> None:
    """Checks the options ``partition.fields.<column>.date-formatter``."""
    types = {column.name: column.data_type for column in table.schema.columns}
    for key, pattern in table.options.items():
        if not key.startswith(PARTITION_FIELDS):
            continue
        column = key.removeprefix(PARTITION_FIELDS).removesuffix(".date-formatter")
        if not key.endswith(".date-formatter") or column not in table.partition_keys:
            known = [f"{PARTITION_FIELDS}{name}.date-formatter" for name in table.partition_keys]
            raise ValidationException.unknown("Option", key, known, where=f"the materialized table {identifier}", position=position)
        if not isinstance(_type_of(types[column]), CharacterType):
            raise ValidationException(
                f"The option '{key}' of the materialized table {identifier} needs a column of type STRING, but '{column}' is {types[column]}.",
                position=position,
            )
        try:
            partition_of_time(pattern, datetime(2000, 1, 1))
        except ValidationException as error:
            raise ValidationException(
                f"The option '{key}' of the materialized table {identifier}: {error.message}", position=position
            ) from None


def _type_of(data_type: LogicalType | str | None) -> LogicalType | None:
    return parse_logical_type(data_type) if isinstance(data_type, str) else data_type


# --- columns ----------------------------------------------------------------------------------------------------------------------


def _persisted(table: CatalogTable) -> list[UnresolvedColumn]:
    return [column for column in table.schema.columns if column.expression is None and not (column.is_metadata and column.is_virtual)]


def _check_columns(table: CatalogTable, query: ResolvedSchema, identifier: ObjectIdentifier, position: SourcePosition | None) -> None:
    for column in _persisted(table):
        if column.name not in query.column_names:
            raise ValidationException.unknown(
                "Column", column.name, query.column_names, where=f"the query of the materialized table {identifier}", position=position
            )


def _with_query(
    old: CatalogMaterializedTable, query: ResolvedSchema, identifier: ObjectIdentifier, position: SourcePosition | None
) -> CatalogMaterializedTable:
    """Returns the table with the columns that a new query adds, at the end and nullable."""
    types = dict(zip(query.column_names, query.column_types, strict=True))
    for column in _persisted(old):
        type_ = types.pop(column.name, None)
        if type_ is None:
            raise ValidationException(
                f"The new query of the materialized table {identifier} lacks the column '{column.name}': its columns stay, and others may be added.",
                position=position,
                hint="DROP MATERIALIZED TABLE and CREATE it for other columns",
            )
        declared = _type_of(column.data_type)
        if declared is not None and type_.with_nullability(True) != declared.with_nullability(True):
            raise ValidationException(
                f"Column '{column.name}' of the materialized table {identifier} is {declared}, but the new query gives {type_}.",
                position=position,
                hint="CAST it in the query",
            )
    added = tuple(UnresolvedColumn(name, type_.with_nullability(True)) for name, type_ in types.items())
    return replace(old, schema=replace(old.schema, columns=(*old.schema.columns, *added)), options=dict(old.options))


def _check_same(
    node: CreateMaterializedTable,
    new: CatalogMaterializedTable,
    old: CatalogMaterializedTable,
    identifier: ObjectIdentifier,
    position: SourcePosition | None,
) -> None:
    """Checks that CREATE OR ALTER changes query and freshness only."""
    options = {key for key, value in new.options.items() if old.options.get(key) != value}
    different = {
        "REFRESH_MODE": new.refresh_mode is not old.refresh_mode,
        "PARTITIONED BY": new.partition_keys != old.partition_keys,
        f"the options {', '.join(sorted(options))}": bool(options),
        "the primary key": bool(node.constraints) and new.schema.primary_key != old.schema.primary_key,
        "the watermark": bool(node.watermarks) and new.schema.watermark_specs != old.schema.watermark_specs,
        "the comment": node.comment is not None and new.comment != old.comment,
        "the distribution": new.distribution != old.distribution,
    }
    for what, differs in different.items():
        if differs:
            raise ValidationException(
                f"CREATE OR ALTER changes query and freshness of the materialized table {identifier}, but {what} differs.",
                position=position,
                hint="ALTER MATERIALIZED TABLE … ADD, MODIFY or DROP changes keys and watermarks; for the rest DROP it and CREATE it",
            )


# --- ALTER ------------------------------------------------------------------------------------------------------------------------


def alter_materialized_table(node: AlterStatement, context: StatementContext) -> Operation:
    """Returns the operation of ALTER MATERIALIZED TABLE."""
    identifier, action = context.session.tables.qualify(node.path), node.action
    position = context.position(node.path_span or node.span)
    found = context.session.tables.find_table(node.path)
    if found is None:
        if node.if_exists:
            return SuspendMaterializedTableOperation(identifier, ignore_if_not_exists=True)
        raise context.session.tables.table_not_found(node.path, position)
    old = _materialized(found, position)
    match action:
        case Suspend():
            return SuspendMaterializedTableOperation(identifier)
        case Resume(options=options):
            return ResumeMaterializedTableOperation(identifier, options=options_of(options, context, node.span))
        case Refresh(partition=partition):
            spec = partition_spec_of(partition, context) if partition is not None else CatalogPartitionSpec({})
            return RefreshMaterializedTableOperation(identifier, partition=_checked(spec, old, identifier, position))
        case ChangeQuery(start_mode=mode) if mode is not None:
            raise _no_start_mode(position)
        case ChangeQuery(query=query_node, query_text=text):
            query, definition = _definition(query_node, identifier, context)
            new = _with_query(old, query.resolved_schema, identifier, context.position(query_node.span))
            return AlterMaterializedTableOperation(
                identifier, replace(new, definition_query=definition, original_query=text, options=dict(old.options)), old
            )
    changed = altered_table(old, action, context)
    if not isinstance(changed, CatalogMaterializedTable):
        _refuse(node, identifier, position)
    if [(c.name, c.data_type) for c in _persisted(changed)] != [(c.name, c.data_type) for c in _persisted(old)]:
        raise ValidationException(
            f"The stored columns of the materialized table {identifier} are those of its query: ADD, MODIFY and DROP change computed columns, "
            "virtual metadata columns, primary key, watermark and distribution.",
            position=position,
            hint="ALTER MATERIALIZED TABLE … AS SELECT …",
        )
    return AlterMaterializedTableOperation(identifier, changed, old)


def _checked(
    spec: CatalogPartitionSpec, table: CatalogMaterializedTable, identifier: ObjectIdentifier, position: SourcePosition | None
) -> CatalogPartitionSpec:
    for key in spec.partition_spec:
        if key not in table.partition_keys:
            raise ValidationException.unknown(
                "Partition column", key, table.partition_keys, where=f"the materialized table {identifier}", position=position
            )
    return spec


def _materialized(found: object, position: SourcePosition | None) -> CatalogMaterializedTable:
    assert hasattr(found, "identifier")
    if isinstance(found, FoundTable) and isinstance(found.table.origin, CatalogMaterializedTable):
        return found.table.origin
    kind = "table" if isinstance(found, FoundTable) else "view"
    raise ValidationException(f"{found.identifier} is a {kind}, not a materialized table.", position=position, hint=f"ALTER {kind.upper()}")


def _no_start_mode(position: SourcePosition | None) -> TableException:
    return TableException(
        "START_MODE is not supported: a materialized table is refreshed from the beginning of its sources.",
        position=position,
        hint="a condition in the query leaves old rows out, and options of the source say where a topic is read from",
    )


_INSTEAD: Mapping[str, str] = {
    "SetFreshness": "CREATE OR ALTER MATERIALIZED TABLE … FRESHNESS = … AS … changes the freshness",
    "SetRefreshMode": "DROP it and CREATE it with another REFRESH_MODE",
}


def _refuse(node: AlterStatement, identifier: ObjectIdentifier, position: SourcePosition | None) -> NoReturn:
    raise TableException(
        f"This form of ALTER MATERIALIZED TABLE is not supported for {identifier}.",
        position=position,
        hint=_INSTEAD.get(
            type(node.action).__name__, "SUSPEND, RESUME, REFRESH, AS, ADD, MODIFY, DROP; for anything else DROP it and CREATE it"
        ),
    )
