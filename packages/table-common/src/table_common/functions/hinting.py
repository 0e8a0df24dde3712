"""``@function_hint``: declares the input, accumulator and output types of a class or a method (FLIP-65)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.data_type import DataType
from table_common.types.extraction import DataTypeHint
from table_common.types.logical import LogicalType

_ATTRIBUTE = "__table_function_hints__"
_T = TypeVar("_T", bound=Callable[..., Any])
TypeLike = DataTypeHint | DataType | LogicalType | str
"""The forms of a type in a hint; all but ``DataTypeHint`` are short for ``DataTypeHint(...)``."""


@dataclass(frozen=True, slots=True)
class FunctionHint:
    """One hint; parts that are None are extracted from annotations. ``argument_names`` are the names of ``input``.

    Source: Flink's ``org.apache.flink.table.annotation.FunctionHint``.

    Example:
        >>> FunctionHint(output=DataTypeHint("BIGINT")).input is None
        True
    """

    input: tuple[DataTypeHint, ...] | None = None
    argument_names: tuple[str, ...] | None = None
    is_var_args: bool | None = None
    accumulator: DataTypeHint | None = None
    output: DataTypeHint | None = None


def as_hint(value: TypeLike) -> DataTypeHint:
    """Returns the value if it is a hint, or a hint for the type that it declares."""
    return value if isinstance(value, DataTypeHint) else DataTypeHint(value)


def function_hint(
    *,
    input: Sequence[TypeLike] | Mapping[str, TypeLike] | None = None,
    is_var_args: bool | None = None,
    accumulator: TypeLike | None = None,
    output: TypeLike | None = None,
) -> Callable[[_T], _T]:
    """Adds a hint to a function class or to one of its methods; several hints are overloads.

    A method's hint takes precedence over its class's, which completes it.

    Source: Flink's ``org.apache.flink.table.annotation.FunctionHint``.

    Args:
        input: The types of the arguments, in order, or by name.
        is_var_args: Whether the last argument is variadic.
        accumulator: The type of an aggregate's accumulator.
        output: The type of the result.

    Raises:
        ValidationException: An argument has an empty hint.

    Example:
        >>> from table_common.functions import ScalarFunction, UserFunction
        >>> class Parse(ScalarFunction):
        ...     @function_hint(input=["STRING"], output="DECIMAL(10, 2)")
        ...     def eval(self, text):
        ...         return text
        >>> UserFunction(Parse()).name
        'Parse'
    """
    names = tuple(input) if isinstance(input, Mapping) else None
    values = list(input.values() if isinstance(input, Mapping) else input) if input is not None else None
    if isinstance(input, (str, DataTypeHint)):
        raise ValidationException("function_hint takes a list for input.", hint="input=['INT']")
    hints = tuple(as_hint(value) for value in values) if values is not None else None
    for position, hint in enumerate(hints or (), 1):
        if hint.is_empty:
            raise ValidationException(
                f"Argument {position} of function_hint(input=…) is an empty DataTypeHint, which declares no type.",
                hint="Leave input out to have all arguments extracted.",
            )
    made = FunctionHint(
        hints,
        names,
        is_var_args,
        None if accumulator is None else as_hint(accumulator),
        None if output is None else as_hint(output),
    )

    def decorate(target: _T) -> _T:
        # Decorators run from the bottom up; the hints are kept as they are read.
        setattr(target, _ATTRIBUTE, (made, *vars(target).get(_ATTRIBUTE, ())))
        return target

    return decorate


def hints_of(target: Any) -> tuple[FunctionHint, ...]:
    """Returns the hints of a method, or of a class and its base classes."""
    if isinstance(target, type):
        return next((vars(base)[_ATTRIBUTE] for base in target.__mro__ if _ATTRIBUTE in vars(base)), ())
    found: tuple[FunctionHint, ...] = getattr(target, _ATTRIBUTE, ())
    return found
