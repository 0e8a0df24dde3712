"""Rows of Python values as a query, and type inference for them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

from table_api.execution import TableSession
from table_api.expressions.literals import literal_of
from table_api.expressions.node_holder import NodeHolder, built_in, to_unresolved
from table_api.expressions.unresolved import Call, TypeLiteral, UnresolvedExpression
from table_api.operations import QueryOperation, ValuesQueryOperation
from table_api.python_data.element_rows import bound_to, field_names, names_of_rows
from table_api.python_data.element_values import cells_of_row_expression, scaled_columns
from table_api.python_data.user_defined_type import serialized_cells
from table_api.resolution.operation_builder import OperationBuilder
from table_common.catalog import ResolvedSchema
from table_common.data import Row, nanosecond_of
from table_common.exceptions import ValidationException, WrongKindException
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

MOST_CONSTANTS = 1_000
"""The largest number of values that are constants of the plan. A constant costs an engine microseconds, and Spark far more."""


def elements_operation(
    session: TableSession, elements: Iterable[object], schema: DataType | LogicalType | Sequence[str] | None, verify_schema: bool
) -> QueryOperation:
    """Returns the rows as a plan; without types, the type of a column is the common type of its values.

    Args:
        session: the session of the plan.
        elements: the rows, each a tuple, list, dict or ``Row``, or the value of the only column.
        schema: a ROW type, the type of the only column, the names of the columns, or None.
        verify_schema: if true, a value whose class does not match the column's type is an error; if false, it is cast.

    Raises:
        ValidationException: neither rows nor types exist, rows have different lengths, or a value does not match its column's type.
    """
    declared = schema.logical_type if isinstance(schema, DataType) else schema
    if isinstance(declared, str) or (declared is not None and not isinstance(declared, (LogicalType, Sequence))):
        raise WrongKindException(
            f"The schema of from_elements is a ROW type or a list of names, but got {schema!r}.", hint="DataTypes.ROW([DataTypes.FIELD(…)])"
        )
    if not isinstance(elements, Iterable):
        raise WrongKindException(
            f"from_elements takes rows, but got {elements!r}.", hint="from_elements([(1, 'a'), (2, 'b')], ['id', 'name'])"
        )
    elements = list(elements)
    elements = [element if (cells := cells_of_row_expression(element)) is None else cells for element in elements]
    if isinstance(declared, RowType):
        row_type = declared
        rows = _rows(elements, row_type.field_names)
    elif isinstance(declared, LogicalType):
        row_type = RowType.of([("value", declared)])
        rows = [[_single_value(element, declared)] for element in elements]
    else:
        names = names_of_rows(elements) if declared is None else tuple(declared)
        rows = _rows(elements, names)
        if any(isinstance(cell, NodeHolder) for row in rows for cell in row):
            return _of_expressions(session, rows, names)
        row_type = _inferred_row(serialized_cells(rows), names)
    for number, row in enumerate(rows, 1):
        if len(row) != len(row_type.fields):
            raise ValidationException(f"Row {number} has {len(row)} values, but the schema has {len(row_type.fields)} columns.")
    if verify_schema:
        _refuse_null(rows, row_type)
    types = row_type.field_types
    rows = scaled_columns(serialized_cells(rows), types)
    if len(rows) * len(types) > MOST_CONSTANTS:
        scan = _scan_of_arrow_data(session, rows, row_type, verify_schema)
        if scan is not None:
            return scan
    trees = [[_tree(value, data_type, verify_schema) for value, data_type in zip(row, types, strict=True)] for row in rows]
    columns = ResolvedSchema.physical(zip(row_type.field_names, types, strict=True))
    if not trees:
        return ValuesQueryOperation((), columns, is_of_program=True)
    operation = OperationBuilder(session).values(trees, columns)
    assert isinstance(operation, ValuesQueryOperation)
    return replace(operation, is_of_program=True)


def _refuse_null(rows: Sequence[Sequence[Any]], row_type: RowType) -> None:
    """Refuses None in columns that are declared NOT NULL, as PyFlink does."""
    for position, field in enumerate(row_type.fields):
        if field.type.nullable:
            continue
        number = next((number for number, row in enumerate(rows, 1) if row[position] is None), None)
        if number is not None:
            raise ValidationException(
                f"Column '{field.name}' is declared {field.type}, but row {number} has None there.", hint="declare it nullable"
            )


def _of_expressions(session: TableSession, rows: Sequence[Sequence[Any]], names: Sequence[str] | None) -> QueryOperation:
    builder = OperationBuilder(session)
    operation = builder.values([[to_unresolved(cell) for cell in row] for row in rows])
    width = len(operation.resolved_schema.columns)
    return builder.alias(operation, names if names is not None else [f"_{position + 1}" for position in range(width)])


def _scan_of_arrow_data(session: TableSession, rows: Sequence[Sequence[Any]], row_type: RowType, verify: bool) -> QueryOperation | None:
    """Returns a scan of the rows as Arrow data; None if a value is an expression, or needs a cast or the conversion of a constant.

    Raises:
        ValidationException: a value does not match its column's type.
    """
    if find_spec("pyarrow") is None:
        return None
    from table_api.python_data.arrow_scan import operation_of_columns
    from table_api.python_data.element_columns import are_plain

    columns = list(zip(*rows, strict=True))
    if all(map(are_plain, columns, row_type.field_types)):
        with suppress(ValidationException):
            return operation_of_columns(session, columns, row_type)
    for values, data_type in zip(columns, row_type.field_types, strict=True):
        for value in values:
            _tree(value, data_type, verify)
    return None


def _rows(elements: Sequence[object], names: Sequence[str] | None) -> Sequence[Sequence[Any]]:
    if set(map(type, elements)) <= {tuple, list}:
        return elements  # type: ignore[return-value]  # the classes are known
    if names is None:
        return [list(element) if isinstance(element, (list, tuple, Row)) else [element] for element in elements]
    return [bound_to(element, names, f"row {number}") for number, element in enumerate(elements, 1)]


def _single_value(element: object, data_type: LogicalType) -> object:
    """Returns the value of a row with one column; the row may be a tuple, list or ``Row`` of length 1, or the value itself."""
    if isinstance(element, (tuple, Row)) and len(element) == 1 and not isinstance(data_type, ArrayType):
        return element[0]
    if isinstance(element, list) and len(element) == 1 and not isinstance(data_type, (ArrayType, MultisetType)):
        return element[0]
    return element


def _inferred_row(rows: Sequence[Sequence[Any]], names: Sequence[str] | None) -> RowType:
    if not rows:
        raise ValidationException(
            "Without rows, the types of the columns cannot be inferred.", hint="from_elements([], DataTypes.ROW([DataTypes.FIELD(…)]))"
        )
    width = len(rows[0])
    if names is None:
        names = [f"_{position + 1}" for position in range(width)]
    if len(names) != width:
        # Differs from Flink: from_elements takes as many names as values. PyFlink names the values after the last name _2, _3, … and drops further names.
        raise ValidationException(f"The schema has {len(names)} names, but the first row has {width} values.")
    fields = []
    for position, name in enumerate(names):
        values = [row[position] for row in rows if position < len(row) and row[position] is not None]
        fields.append((name, _merged(_types_of(values), name)))
    return RowType.of(fields)


def _types_of(values: Sequence[Any]) -> list[LogicalType]:
    """Returns the types of the values; values of the same class, and therefore the same type, occur once."""
    first = dict(zip(reversed(list(map(type, values))), reversed(values), strict=True))
    if not any(issubclass(class_, _VARIED) for class_ in first):
        return [inferred_type(value) for value in reversed(first.values())]
    return [inferred_type(value) for value in values]


def _merged(types: Sequence[LogicalType], name: str) -> LogicalType:
    from table_common.types import find_common_type

    if not types:
        raise ValidationException(
            f"All values of column '{name}' are None, so its type cannot be inferred.", hint="pass a schema with types"
        )
    rows = [data_type for data_type in types if isinstance(data_type, RowType)]
    if len(rows) == len(types) and len({row.field_names for row in rows}) > 1:
        return _merged_rows(rows, name)
    merged = find_common_type(list(types))
    if merged is None:
        shown = ", ".join(sorted({str(data_type) for data_type in types}))
        raise ValidationException(f"The values of column '{name}' have no common type: {shown}.", hint="pass a schema with types")
    return merged.with_nullability(True)


def _merged_rows(types: Sequence[RowType], name: str) -> LogicalType:
    """Returns the row type with the fields of all row types, matched by name."""
    types_by_field: dict[str, list[LogicalType]] = {}
    for data_type in types:
        for field in data_type.fields:
            types_by_field.setdefault(field.name, []).append(field.type)
    return RowType.of([(field, _merged(field_types, f"{name}.{field}")) for field, field_types in types_by_field.items()])


def inferred_type(value: object) -> LogicalType:
    """Returns the type of a column with this value: the widest of its kind, such as BIGINT for ``int`` and STRING for ``str``.

    Raises:
        ValidationException: the class of the value has no SQL type, or it is an empty collection.
    """
    for kind, data_type in _TYPES:
        if isinstance(value, kind):
            return data_type
    if isinstance(value, (datetime.datetime, datetime.time, datetime.timedelta)):
        digits = 9 if nanosecond_of(value) else 6
        if isinstance(value, datetime.time):
            return TimeType(digits)
        if isinstance(value, datetime.timedelta):
            return DayTimeIntervalType(fractional_precision=digits)
        return TimestampType(digits) if value.tzinfo is None else LocalZonedTimestampType(digits)
    if isinstance(value, datetime.date):
        return DateType()
    if isinstance(value, list) and value:
        return ArrayType(_merged([inferred_type(item) for item in value if item is not None], "of a list"))
    if isinstance(value, dict) and value:
        keys = _merged([inferred_type(key) for key in value], "of a dict's keys")
        return MapType(keys, _merged([inferred_type(item) for item in value.values() if item is not None], "of a dict's values"))
    if isinstance(value, (tuple, Row)):
        names = field_names(value)
        return RowType.of([(names[i] if names else f"_{i + 1}", inferred_type(item)) for i, item in enumerate(value)])
    raise ValidationException(f"The SQL type of the {type(value).__name__} {value!r} cannot be inferred.", hint="pass a schema with types")


_VARIED = (list, dict, tuple, Row, datetime.datetime)
"""Classes whose instances can have different SQL types."""

_TYPES: tuple[tuple[type | tuple[type, ...], LogicalType], ...] = (
    (bool, BooleanType()),
    (int, BigIntType()),
    (float, DoubleType()),
    (Decimal, DecimalType(38, 18)),
    (str, VarCharType()),
    ((bytes, bytearray), VarBinaryType()),
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
        values = bound_to(value, data_type.field_names, f"the type {data_type.summary()}")
        if len(values) != len(data_type.fields):
            raise ValidationException(f"{value!r} has {len(values)} values, but {data_type.summary()} has {len(data_type.fields)} fields.")
        cells = zip(values, data_type.field_types, strict=True)
        return _cast(Call(built_in("ROW"), tuple(_tree(cell, kind, verify) for cell, kind in cells)), data_type)
    if isinstance(data_type, MultisetType):
        raise ValidationException("Python values cannot be read as a MULTISET.", hint="use a MAP of values to counts")
    try:
        return literal_of(value, data_type)
    except ValidationException:
        if verify:
            raise
        return _cast(to_unresolved(value), data_type)


def _empty(data_type: ArrayType | MapType) -> UnresolvedExpression:
    # SQL has no constant for an empty array: take the slice after the end of an array.
    if isinstance(data_type, MapType):
        parts = (_empty(ArrayType(data_type.key_type)), _empty(ArrayType(data_type.value_type)))
        return _cast(Call(built_in("MAP_FROM_ARRAYS"), parts), data_type)
    two = literal_of(2, IntType(nullable=False))
    one_null = Call(built_in("ARRAY"), (literal_of(None, data_type.element_type.with_nullability(True)),))
    return _cast(Call(built_in("ARRAY_SLICE"), (one_null, two, two)), data_type)


def _cast(tree: UnresolvedExpression, data_type: LogicalType) -> UnresolvedExpression:
    return Call(built_in("CAST"), (tree, TypeLiteral(data_type)))
