"""Reading the methods of a function: parameters with resolved annotations, and the overloads."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions.extraction.signature import NO_DEFAULT
from table_common.types.extraction import DataTypeHint
from table_common.types.extraction.structured import annotations_of

NOTHING: Any = inspect.Parameter.empty
"""The annotation of a parameter without one."""


@dataclass(frozen=True, slots=True)
class MethodParameter:
    """One parameter as it is written."""

    name: str
    annotation: Any
    default: Any = NO_DEFAULT


@dataclass(frozen=True, slots=True)
class Method:
    """A method without ``self`` (and without the accumulator): its parameters, ``*args`` and result."""

    name: str
    parameters: tuple[MethodParameter, ...]
    var_args: MethodParameter | None
    result: Any
    function: Any

    def parameter(self, position: int) -> MethodParameter | None:
        """Returns the parameter that takes an argument; None if there is none."""
        return self.parameters[position] if position < len(self.parameters) else self.var_args


def read_method(function: Callable[..., Any], name: str, owner: str, skip: int, *, only_hints: bool = False) -> Method:
    """Returns the parameters of a function after the first ``skip`` ones.

    Args:
        function: The function or method.
        name: Its name in messages.
        owner: The name of the user function in messages.
        skip: The number of leading parameters that are no arguments.
        only_hints: Whether only annotations with a ``DataTypeHint`` count: the types are declared elsewhere, as in programs of PyFlink.

    Raises:
        ValidationException: A parameter can only be given by keyword, or an annotation cannot be resolved.
    """
    target = inspect.unwrap(function)
    if not inspect.isroutine(target) and not isinstance(target, type):
        target = type(target).__call__
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return Method(name, (), MethodParameter("args", NOTHING), NOTHING, function)  # a function of C says nothing
    if not hasattr(target, "__annotations__"):
        hints = {}
    else:
        hints = _hinted_annotations(target) if only_hints else annotations_of(target, f"{owner}.{name}")
    found: list[MethodParameter] = []
    var_args = None
    for parameter in parameters[skip:] if not _is_variable(parameters[:skip]) else parameters:
        read = MethodParameter(parameter.name, hints.get(parameter.name, NOTHING), parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            var_args = read
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is NOTHING:
            raise ValidationException(
                f"{owner}.{name} takes '{parameter.name}' by keyword only, but arguments are given by position.", hint="Remove the *."
            )
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            found.append(read)
    return Method(name, tuple(found), var_args, hints.get("return", NOTHING), function)


def _hinted_annotations(target: Any) -> dict[str, Any]:
    """Returns the annotations with a ``DataTypeHint``. Each is resolved alone: another one may name what only type checkers import."""
    found = {}
    for name, annotation in target.__annotations__.items():
        alone = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            resolved = typing.get_type_hints(alone, getattr(target, "__globals__", None), include_extras=True)[name]
        except (NameError, TypeError, SyntaxError, AttributeError):
            continue
        if any(isinstance(item, DataTypeHint) for item in getattr(resolved, "__metadata__", ())):
            found[name] = resolved
    return found


def _is_variable(parameters: list[inspect.Parameter]) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


def overloads_of(function: Any) -> list[Any]:
    """Returns the signatures declared with ``typing.overload``; the function itself where there are none."""
    plain = inspect.unwrap(function)
    return (list(typing.get_overloads(plain)) if inspect.isfunction(plain) or inspect.ismethod(plain) else []) or [function]
