"""The error for a call of an expression: a misspelt method is a field of a row, which cannot be called."""

from __future__ import annotations

from collections.abc import Iterable

from table_api.expressions.unresolved import Call, Literal, UnresolvedExpression
from table_common.exceptions import closest


def not_callable(node: UnresolvedExpression, methods: Iterable[str]) -> str:
    """Returns the message for a call of an expression; it suggests the most similar method.

    Example:
        >>> from table_api.expressions.api import col
        >>> not_callable(col("a").upper_cas._node, ["upper_case", "lower_case"])
        "An expression has no method 'upper_cas'. Did you mean 'upper_case'?"
    """
    is_field = isinstance(node, Call) and not isinstance(node.function, tuple) and node.function.name == "GET"
    field = node.args[1] if is_field and isinstance(node, Call) else None
    if not isinstance(field, Literal) or not isinstance(field.value, str):
        return "An expression cannot be called: it is a value of a query. call('name', …) calls a function."
    similar = closest(field.value, methods, limit=1)
    message = f"An expression has no method '{field.value}'."
    return f"{message} Did you mean '{similar[0]}'?" if similar else message
