"""The options of a WITH clause."""

from __future__ import annotations

from table_api.expressions.unresolved import Span
from table_api.sql.ast import Options
from table_api.sql.conversion.dispatch import StatementContext
from table_common.exceptions import ValidationException


def options_of(options: Options, context: StatementContext, span: Span | None) -> dict[str, str]:
    """Returns the options of a WITH clause by key.

    Raises:
        ValidationException: a key occurs twice.
    """
    result: dict[str, str] = {}
    for key, value in options:
        if key in result:
            raise ValidationException(f"Option '{key}' is given twice.", position=context.position(span))
        result[key] = value
    return result
