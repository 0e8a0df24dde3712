"""The short text of an unresolved expression, for ``str`` and messages."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import (
    Alias,
    Call,
    Literal,
    NamedArgument,
    Over,
    Reference,
    ResolvedLeaf,
    SortKey,
    Star,
    Subquery,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_common.functions import FunctionDefinition
from table_common.tree import fold


def summary_of(expression: UnresolvedExpression) -> str:
    """Returns the expression as nested calls, such as ``PLUS(a, 1)``."""
    return fold(expression, UnresolvedExpression, _text)


def _text(node: UnresolvedExpression, parts: Sequence[str]) -> str:
    match node:
        case Reference(path):
            return ".".join(path)
        case Literal(value):
            return repr(value) if isinstance(value, (str, bytes)) else "NULL" if value is None else str(value)
        case TypeLiteral(data_type):
            return str(data_type)
        case Symbol(name):
            return name
        case Star(qualifier, excluded):
            return ".".join((*qualifier, "*")) + (f" EXCEPT ({', '.join(excluded)})" if excluded else "")
        case SortKey(_, ascending):
            return f"{'ASC' if ascending else 'DESC'}({parts[0]})"
        case NamedArgument(name):
            return f"{name} => {parts[0]}"
        case Alias(_, name, extra_names):
            return f"AS({', '.join((parts[0], name, *extra_names))})"
        case Over(_, window):
            return f"{parts[0]} OVER {window if isinstance(window, str) else '(…)'}"
        case Subquery(kind):
            return f"{kind.value}({', '.join((*parts, 'table'))})"
        case ResolvedLeaf(resolved):
            return str(resolved)
        case Call(function):
            name = function.name if isinstance(function, FunctionDefinition) else ".".join(function)
            inside = "*" if node.star else ", ".join(parts[: len(node.args)])
            return f"{name}({'DISTINCT ' if node.distinct else ''}{inside})"
        case _:
            return type(node).__name__.upper()
