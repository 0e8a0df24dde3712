"""A field inside a row."""

from __future__ import annotations

from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.inference import infer_call
from table_common.types import CharType

__all__ = ["field_of"]


def field_of(row: ResolvedExpression, name: str) -> ResolvedExpression:
    """Returns the field of a row by its name.

    Raises:
        ValidationException: the expression is no row, or the row has no such field.
    """
    args = (row, ValueLiteralExpression(name, CharType(len(name), nullable=False)))
    return CallExpression(BUILT_INS_BY_NAME["GET"], args, infer_call(BUILT_INS_BY_NAME["GET"], args).output_type)
