"""Rows of Python values as a query, and the types that they have if none are given."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from table_api.execution import TableSession
from table_api.expressions.literals import literal_of
from table_api.expressions.node_holder import NodeHolder, built_in, to_unresolved
from table_api.expressions.unresolved import Call, TypeLiteral, UnresolvedExpression
from table_api.operations import QueryOperation, ValuesQueryOperation
from table_api.resolution.operation_builder import OperationBuilder
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)

__all__ = ["elements_operation", "inferred_type"]


def elements_operation(
    session: TableSession, elements: Iterable[object], schema: DataType | LogicalType | Sequence[str] | None, verify_schema: bool
) -> QueryOperation:
    """Returns the rows as a plan; without types, each column has the type that holds all of its values.

    Raises:
        ValidationException: there are no rows and no types, rows are not of one width, or a value does not fit.
    """
    given = schema.logical_type if isinstance(schema, DataType) else schema
    rows = [_cells(element, given if isinstance(given, RowType) else None) for element in elements]
    if isinstance(given, RowType):
        row_type = given
    elif isinstance(given, LogicalType):
        row_type = RowType.of([("value", given)])
    else:
        row_type = _inferred_row(rows, given)
    for number, row in enumerate(rows, 1):
        if len(row) != len(row_type.fields):
            raise ValidationException(f"Row {number} has {len(row)} values, but the schema has {len(row_type.fields)} columns.")
    types = row_type.field_types
    trees = [[_tree(value, data_type, verify_schema) for value, data_type in zip(row, types, strict=True)] for row in rows]
    columns = ResolvedSchema.physical(zip(row_type.field_names, types, strict=True))
    if not trees:
        return ValuesQueryOperation((), columns, is_of_program=True)
    operation = OperationBuilder(session).values(trees, columns)
    assert isinstance(operation, ValuesQueryOperation)
    return replace(operation, is_of_program=True)


def _cells(element: object, row_type: RowType | None) -> list[Any]:
    if isinstance(element, Mapping):
        names = row_type.field_names if row_type is not None else tuple(element)
        return [element.get(name) for name in names]
    if isinstance(element, Row) and row_type is not None and element.get_field_names() is not None:
        return element.get_fields_by_names(row_type.field_names)
    return list(element) if isinstance(element, (list, tuple, Row)) else [element]


def _inferred_row(rows: Sequence[Sequence[Any]], names: Sequence[str] | None) -> RowType:
    if not rows:
        raise ValidationException("Without rows the columns need types.", hint="from_elements([], DataTypes.ROW([DataTypes.FIELD(…)]))")
    width = len(rows[0])
    if names is None:
        names = [f"_{position + 1}" for position in range(width)]
    if len(names) != width:
        raise ValidationException(f"{len(names)} names are given, but the rows have {width} values.")
    fields = []
    for position, name in enumerate(names):
        types = [inferred_type(row[position]) for row in rows if position < len(row) and row[position] is not None]
        fields.append((name, _merged(types, name)))
    return RowType.of(fields)


def _merged(types: Sequence[LogicalType], name: str) -> LogicalType:
    from table_common.types import find_common_type

    if not types:
        raise ValidationException(f"All values of column '{name}' are None, so its type is not known.", hint="give a schema with types")
    merged = find_common_type(list(types))
    if merged is None:
        shown = ", ".join(sorted({str(data_type) for data_type in types}))
        raise ValidationException(f"The values of column '{name}' have no common type: {shown}.", hint="give a schema with types")
    return merged.with_nullability(True)


def inferred_type(value: object) -> LogicalType:
    """Returns the type of a column with this value: the widest of its kind, such as BIGINT for ``int`` and STRING for ``str``.

    Raises:
        ValidationException: the value is of no class that has a SQL type, or is an empty collection.
    """
    for kind, data_type in _TYPES:
        if isinstance(value, kind):
            return data_type
    if isinstance(value, datetime.datetime):
        return TimestampType(6) if value.tzinfo is None else LocalZonedTimestampType(6)
    if isinstance(value, datetime.date):
        return DateType()
    if isinstance(value, list) and value:
        return ArrayType(_merged([inferred_type(item) for item in value if item is not None], "of a list"))
    if isinstance(value, dict) and value:
        keys = _merged([inferred_type(key) for key in value], "of a dict's keys")
        return MapType(keys, _merged([inferred_type(item) for item in value.values() if item is not None], "of a dict's values"))
    if isinstance(value, (tuple, Row)):
        names = value.get_field_names() if isinstance(value, Row) else None
        return RowType.of([(names[i] if names else f"_{i + 1}", inferred_type(item)) for i, item in enumerate(value)])
    raise ValidationException(
        f"The {type(value).__name__} {value!r} has no SQL type that can be told from it.", hint="give a schema with types"
    )


_TYPES: tuple[tuple[type | tuple[type, ...], LogicalType], ...] = (
    (bool, BooleanType()),
    (int, BigIntType()),
    (float, DoubleType()),
    (Decimal, DecimalType(38, 18)),
    (str, VarCharType()),
    ((bytes, bytearray), VarBinaryType()),
    (datetime.time, TimeType(6)),
    (datetime.timedelta, DayTimeIntervalType()),
)


def _tree(value: Any, data_type: LogicalType, verify: bool) -> UnresolvedExpression:
    if isinstance(value, NodeHolder):
        return value.unresolved
    if value is None:
        return literal_of(None, data_type.with_nullability(True))
    if isinstance(data_type, ArrayType):
        items = tuple(_tree(item, data_type.element_type, verify) for item in value)
        return _cast(Call(built_in("ARRAY"), items), data_type) if items else _empty(data_type)
    if isinstance(data_type, MapType):
        types = (data_type.key_type, data_type.value_type)
        pairs = tuple(_tree(part, kind, verify) for pair in value.items() for part, kind in zip(pair, types, strict=True))
        return _cast(Call(built_in("MAP"), pairs), data_type) if pairs else _empty(data_type)
    if isinstance(data_type, RowType):
        cells = zip(_cells(value, data_type), data_type.field_types, strict=True)
        return _cast(Call(built_in("ROW"), tuple(_tree(cell, kind, verify) for cell, kind in cells)), data_type)
    if isinstance(data_type, MultisetType):
        raise ValidationException("A MULTISET cannot be written as Python values.", hint="use a MAP of values to counts")
    try:
        return literal_of(value, data_type)
    except ValidationException:
        if verify:
            raise
        return _cast(to_unresolved(value), data_type)


def _empty(data_type: ArrayType | MapType) -> UnresolvedExpression:
    # SQL has no constant for it: it is what lies behind the end of an array.
    if isinstance(data_type, MapType):
        parts = (_empty(ArrayType(data_type.key_type)), _empty(ArrayType(data_type.value_type)))
        return _cast(Call(built_in("MAP_FROM_ARRAYS"), parts), data_type)
    two = literal_of(2, IntType(nullable=False))
    one_null = Call(built_in("ARRAY"), (literal_of(None, data_type.element_type.with_nullability(True)),))
    return _cast(Call(built_in("ARRAY_SLICE"), (one_null, two, two)), data_type)


def _cast(tree: UnresolvedExpression, data_type: LogicalType) -> UnresolvedExpression:
    return Call(built_in("CAST"), (tree, TypeLiteral(data_type)))
