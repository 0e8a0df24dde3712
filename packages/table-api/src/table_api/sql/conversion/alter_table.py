"""ALTER TABLE: computes the new table definition from the current one and the action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.expressions.unresolved import Reference, UnresolvedExpression
from table_api.sql.ast import (
    AddSchema,
    AlterAction,
    ColumnDef,
    DropColumns,
    DropConstraint,
    DropDistribution,
    DropPrimaryKey,
    DropWatermark,
    ModifySchema,
    RenameColumn,
    SchemaChange,
)
from table_api.sql.conversion.column_definitions import (
    distribution_of,
    primary_key_of,
    unresolved_column,
    watermark_of,
    without_primary_key,
)
from table_api.sql.conversion.dispatch import StatementContext
from table_api.sql.parser import parse_expression
from table_common.catalog import CatalogTable, Schema, UnresolvedColumn
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import preorder


def altered_table(table: CatalogTable, action: AlterAction, context: StatementContext) -> CatalogTable | None:
    """Returns the table after a change of its schema, or None for an action that changes something else.

    Raises:
        ValidationException: the change does not fit the table: a column, key or watermark is missing, there already, or still used.
    """
    schema = table.schema
    match action:
        case SchemaChange():
            return _changed(table, action, context)
        case DropColumns(columns=paths):
            names = [_single(path) for path in paths]
            for name in names:
                _position(schema.columns, name)
                _check_unused(table, name, "dropped", besides=names)
            kept = tuple(column for column in schema.columns if column.name not in names)
            return _with_schema(table, replace(schema, columns=kept))
        case RenameColumn(column=path, new_name=new_path):
            return _renamed(table, _single(path), _single(new_path))
        case DropPrimaryKey():
            if schema.primary_key is None:
                raise ValidationException("The table has no primary key.")
            return _with_schema(table, without_primary_key(schema))
        case DropConstraint(name=name):
            if schema.primary_key is None or schema.primary_key.constraint_name != name:
                known = [schema.primary_key.constraint_name] if schema.primary_key is not None else []
                raise ValidationException.unknown("Constraint", name, known, where="the table")
            return _with_schema(table, without_primary_key(schema))
        case DropWatermark():
            if not schema.watermark_specs:
                raise ValidationException("The table has no watermark.")
            return _with_schema(table, replace(schema, watermark_specs=()))
        case DropDistribution():
            if table.distribution is None:
                raise ValidationException("The table has no distribution.")
            return replace(table, distribution=None, options=dict(table.options))
        case _:
            return None


def _with_schema(table: CatalogTable, schema: Schema) -> CatalogTable:
    return replace(table, schema=schema, options=dict(table.options))


def _changed(table: CatalogTable, change: SchemaChange, context: StatementContext) -> CatalogTable:
    modify = isinstance(change, ModifySchema)
    assert modify or isinstance(change, AddSchema)
    columns = list(table.schema.columns)
    for definition in change.columns:
        existing = next((i for i, column in enumerate(columns) if column.name == definition.name), None)
        if modify and existing is None:
            _position(columns, definition.name)
        if not modify and existing is not None:
            raise ValidationException(
                f"The table has a column '{definition.name}' already.",
                position=context.position(definition.span),
                hint="ALTER TABLE … MODIFY changes it",
            )
        added = unresolved_column(definition, context)
        if existing is not None:
            old = columns.pop(existing)
            added = replace(added, comment=added.comment if added.comment is not None else old.comment)
        columns.insert(_place(definition, columns, existing), added)
    schema = replace(table.schema, columns=tuple(columns))
    for constraint in change.constraints:
        if (schema.primary_key is not None) != modify:
            raise ValidationException("The table has no primary key to modify." if modify else "The table has a primary key already.")
        schema = replace(schema, primary_key=primary_key_of(constraint, [c.name for c in columns], context))
    for watermark in change.watermarks:
        if bool(schema.watermark_specs) != modify:
            raise ValidationException("The table has no watermark to modify." if modify else "The table has a watermark already.")
        schema = replace(schema, watermark_specs=(watermark_of(watermark, context),))
    result = _with_schema(table, schema)
    if change.distribution is not None:
        if (table.distribution is not None) != modify:
            raise ValidationException("The table has no distribution to modify." if modify else "The table has a distribution already.")
        result = replace(result, distribution=distribution_of(change.distribution), options=dict(result.options))
    return result


def _place(definition: ColumnDef, columns: Sequence[UnresolvedColumn], before: int | None) -> int:
    """Returns the position of a column: after FIRST or AFTER, else its current position, else the end."""
    if definition.first:
        return 0
    if definition.after is not None:
        return _position(columns, definition.after) + 1
    return before if before is not None else len(columns)


def _position(columns: Sequence[UnresolvedColumn], name: str) -> int:
    for index, column in enumerate(columns):
        if column.name == name:
            return index
    raise ValidationException.unknown("Column", name, [column.name for column in columns], where="the table")


def _single(path: tuple[str, ...]) -> str:
    if len(path) > 1:
        raise ValidationException(f"ALTER TABLE changes columns, not fields of rows: {'.'.join(path)}.")
    return path[0]


def _renamed(table: CatalogTable, name: str, new_name: str) -> CatalogTable:
    columns = table.schema.columns
    position = _position(columns, name)
    if any(column.name == new_name for column in columns):
        raise ValidationException(f"The table has a column '{new_name}' already.")
    _check_unused(table, name, "renamed", besides=(), keys=False)
    if name in table.partition_keys:
        raise ValidationException(f"Column '{name}' cannot be renamed: the table is partitioned by it.")
    key = table.schema.primary_key
    if key is not None:
        key = replace(key, column_names=tuple(new_name if column == name else column for column in key.column_names))
    changed = (*columns[:position], replace(columns[position], name=new_name), *columns[position + 1 :])
    return _with_schema(table, replace(table.schema, columns=changed, primary_key=key))


def _check_unused(table: CatalogTable, name: str, done: str, *, besides: Iterable[str], keys: bool = True) -> None:
    """Raises a ``ValidationException`` if a computed column, key, watermark or partition of the table uses the column."""
    users = [
        f"the computed column '{column.name}'"
        for column in table.schema.columns
        if column.name not in besides and _uses(column.expression, name)
    ]
    users += [
        f"the watermark of '{spec.column_name}'"
        for spec in table.schema.watermark_specs
        if spec.column_name == name or _uses(spec.expression, name)
    ]
    if keys and table.schema.primary_key is not None and name in table.schema.primary_key.column_names:
        users.append("the primary key")
    if keys and name in table.partition_keys:
        users.append("the partitioning")
    if keys and table.distribution is not None and name in table.distribution.columns:
        users.append("the distribution")
    if users:
        raise ValidationException(f"Column '{name}' cannot be {done}: {' and '.join(users)} needs it.")


def _uses(expression: object, name: str) -> bool:
    tree = parse_expression(expression) if isinstance(expression, str) else expression
    if not isinstance(tree, UnresolvedExpression):
        return False
    return any(isinstance(node, Reference) and node.path[0] == name for node in preorder(tree, UnresolvedExpression))
