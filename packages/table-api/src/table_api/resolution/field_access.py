"""A field inside a row: ``row.field``, ``row['field']`` and ``row[1]``."""

from __future__ import annotations

from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression, infer_call
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import CharType, RowType, StructuredType


def field_of(row: ResolvedExpression, name: str) -> ResolvedExpression:
    """Returns the field of a row by its name.

    Raises:
        ValidationException: the expression is no row, or the row has no such field.
    """
    args = (row, ValueLiteralExpression(name, CharType(len(name), nullable=False)))
    return CallExpression(BUILT_INS_BY_NAME["GET"], args, infer_call(BUILT_INS_BY_NAME["GET"], args).output_type)


def field_at(row: ResolvedExpression, key: ResolvedExpression) -> ResolvedExpression:
    """Returns the field of a row by its name or by its position, counted from 1.

    Raises:
        ValidationException: the row has no such field, or the key is not a constant name or number.
    """
    type_ = row.output_type
    assert isinstance(type_, (RowType, StructuredType))
    names = [field.name for field in type_.fields]
    value = key.value if isinstance(key, ValueLiteralExpression) else None
    if isinstance(value, str):
        return field_of(row, value)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= len(names):
        return field_of(row, names[value - 1])
    raise ValidationException(
        f"[{key}] is not a field of {type_}.", hint=f"use a constant: the name of a field, or a position from 1 to {len(names)}"
    )
