"""Type checks of the fields of a compiled plan against their declared types."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

from table_common.functions import FunctionDefinition


def misfits(cls: type, values: Mapping[str, Any]) -> list[str]:
    """Returns the names of the values whose types differ from the declared types of a class's fields."""
    declared = _declared(cls)
    return sorted(name for name, value in values.items() if not fits(value, declared[name]))


def fits(value: Any, declared: Any) -> bool:
    """Returns whether a value has a declared type, including the items of tuples and mappings."""
    if declared is Any:
        return True
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin in (types.UnionType, typing.Union):
        return any(fits(value, one) for one in arguments)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if arguments[1:] == (...,):
            return all(fits(item, arguments[0]) for item in value)
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(fits(key, arguments[0]) and fits(item, arguments[1]) for key, item in value.items())
    if declared in (bool, int, str):
        return type(value) is declared  # bool is a subclass of int
    return isinstance(value, declared)


@cache
def _declared(cls: type) -> dict[str, Any]:
    # Some modules import the name under TYPE_CHECKING only.
    return typing.get_type_hints(cls, localns={"FunctionDefinition": FunctionDefinition})
