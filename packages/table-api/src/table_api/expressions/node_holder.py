"""The base class of expression methods, and conversion of Python values to unresolved expressions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Self

from table_api.expressions.literals import literal_of
from table_api.expressions.unresolved import Call, Reference, Symbol, UnresolvedExpression
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition


class NodeHolder:
    """Holds one unresolved expression; immutable."""

    __slots__ = ("_node",)

    _node: UnresolvedExpression

    def __init__(self, node: UnresolvedExpression) -> None:
        self._node = node

    @property
    def unresolved(self) -> UnresolvedExpression:
        """The tree that this expression stands for."""
        return self._node

    def _of(self, node: UnresolvedExpression) -> Self:
        return type(self)(node)

    def _call(self, name: str, *args: object, optional: Sequence[object] = ()) -> Self:
        """Returns the call of a built-in function with this expression as its first argument; the others as ``call_of`` takes them."""
        return type(self)(call_of(name, self, *args, optional=optional))


def built_in(name: str) -> FunctionDefinition:
    """Returns the built-in function of this name; the registry is loaded when the first expression is written, not at import."""
    from table_common.functions.builtin import BUILT_INS_BY_NAME

    return BUILT_INS_BY_NAME[name]


def call_of(name: str, *args: object, optional: Sequence[object] = (), **details: Any) -> Call:
    """Returns the call of a built-in function; arguments that are no expressions become constants, None is NULL.

    Arguments in ``optional`` that are None are left out, unless one of them follows that is not.
    """
    given = len(optional)
    while given and optional[given - 1] is None:
        given -= 1
    return Call(built_in(name), tuple(map(to_unresolved, (*args, *optional[:given]))), **details)


def to_unresolved(value: object) -> UnresolvedExpression:
    """Returns the tree of an expression, a keyword for an enum member, an array, map or row for a list, dict or tuple, else a constant.

    Raises:
        ValidationException: the value is of no class that has a SQL type.
    """
    if isinstance(value, NodeHolder):
        return value.unresolved
    if isinstance(value, UnresolvedExpression):
        return value
    if isinstance(value, Enum):
        return Symbol(str(value.value))
    if isinstance(value, (list, tuple, dict)):
        return _constructed(value)
    if hasattr(value, "query_operation"):
        raise ValidationException("A Table cannot be an argument here.", hint="in_(table) asks whether a value is among its rows")
    return literal_of(value)


def name_of(alias: object) -> str:
    """Returns the name that a text, or an expression such as ``col("w")``, gives to a window.

    Raises:
        ValidationException: it is no name.
    """
    if isinstance(alias, str):
        return alias
    tree = to_unresolved(alias)
    if isinstance(tree, Reference) and len(tree.path) == 1:
        return tree.path[0]
    raise ValidationException("The alias of a window is a name.")


def _constructed(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> Call:
    name = "ARRAY" if isinstance(value, list) else "MAP" if isinstance(value, dict) else "ROW"
    items = [part for pair in value.items() for part in pair] if isinstance(value, dict) else value
    return Call(built_in(name), tuple(to_unresolved(item) for item in items))
