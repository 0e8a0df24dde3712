"""PyFlink's ``udf``, ``udtf``, ``udaf`` and ``udtaf``, and the classes that functions derive from.

Programs written for ``pyflink.table.udf`` import the same names from here. Types that the decorators say go before annotations; a
parameter with neither takes arguments of any type.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, overload

from table_api.expressions.api import call
from table_api.expressions.expression import Expression
from table_common.annotation import public
from table_common.exceptions import ValidationException
from table_common.functions import (
    AggregateFunction,
    AsyncScalarFunction,
    AsyncTableFunction,
    DataTypeHint,
    FunctionContext,
    FunctionHint,
    ListView,
    MapView,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    UserFunction,
    function_hint,
    function_metrics,
)
from table_common.types import DataType, LogicalType, RowType, parse_logical_type

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "AsyncTableFunction",
    "DataTypeHint",
    "FunctionContext",
    "ListView",
    "MapView",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunction",
    "UserDefinedFunctionWrapper",
    "function_hint",
    "function_metrics",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]

TypeLike = DataType | LogicalType | str
TypesLike = TypeLike | Sequence[TypeLike]


class _OfCallable(ScalarFunction):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.eval = function


class _OfCoroutine(AsyncScalarFunction):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.eval = function


class _RowsOfCallable(TableFunction[Any]):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.eval = function


class _OfColumns(AggregateFunction[Any, Any]):
    """A vectorised aggregate: a function of a group's columns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, accumulator: Any, *columns) -> None:  # type: ignore[no-untyped-def]  # of any type
        accumulator.append(self._function(*columns))

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0] if accumulator else None


@public
class UserDefinedFunctionWrapper:
    """A function with its types: call it with expressions, or register it under a name."""

    def __init__(self, definition: UserFunction, alias_names: tuple[str, ...] = ()) -> None:
        self.definition = definition
        self.alias_names = alias_names
        self.__doc__ = definition.function.__doc__

    def alias(self, name: str, *extra_names: str) -> UserDefinedFunctionWrapper:
        """Returns the function whose calls have these names for the columns of their results."""
        return UserDefinedFunctionWrapper(self.definition, (name, *extra_names))

    def __call__(self, *args: object) -> Expression:
        """Returns the call of the function with these arguments: columns, expressions or constants."""
        made = call(self.definition, *args)
        return made.alias(*self.alias_names) if self.alias_names else made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.definition.name})"


_Decorator = Callable[[Any], UserDefinedFunctionWrapper]


@overload
def udf(
    f: Callable[..., Any] | UserDefinedFunction | type[UserDefinedFunction],
    input_types: TypesLike | None = None,
    result_type: TypeLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    udf_type: str | None = None,
) -> UserDefinedFunctionWrapper: ...
@overload
def udf(
    f: None = None,
    input_types: TypesLike | None = None,
    result_type: TypeLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    udf_type: str | None = None,
) -> _Decorator: ...
@public
def udf(
    f: Any = None,
    input_types: TypesLike | None = None,
    result_type: TypeLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    udf_type: str | None = None,
) -> UserDefinedFunctionWrapper | _Decorator:
    """Makes a scalar function of a Python function or of an object of ``ScalarFunction`` or ``AsyncScalarFunction``.

    Args:
        f: The function; left out where ``udf`` is used as a decorator.
        input_types: The types of the arguments; by default those of the annotations.
        result_type: The type of the result; by default that of the annotation.
        deterministic: Whether equal arguments give equal results; by default what the function says, else true.
        name: What it is called in plans and messages.
        func_type: ``general`` (a call per row), ``arrow`` or ``pandas`` (a call per batch, with columns).
        udf_type: PyFlink's older name of ``func_type``.

    Raises:
        ValidationException: A type is missing, or does not fit to the function.
    """
    delegate = lambda g: _OfCoroutine(g) if inspect.iscoroutinefunction(g) else _OfCallable(g)  # noqa: E731
    types = FunctionHint(input=_inputs(input_types), output=_hint(result_type))
    made: UserDefinedFunctionWrapper | _Decorator = _wrapped(
        f, delegate, (ScalarFunction, AsyncScalarFunction), types, deterministic, name, udf_type or func_type
    )
    return made


@public
def udtf(
    f: Any = None,
    input_types: TypesLike | None = None,
    result_types: TypesLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Makes a table function of a Python function or of an object of ``TableFunction``; ``result_types`` are those of a row's columns.

    A generator, a list or another iterable gives rows; a tuple or a ``Row`` is one row.
    """
    types = FunctionHint(input=_inputs(input_types), output=_hint(_row_of(result_types)))
    return _wrapped(f, _RowsOfCallable, (TableFunction, AsyncTableFunction), types, deterministic, name, "general")


@public
def udaf(
    f: Any = None,
    input_types: TypesLike | None = None,
    result_type: TypeLike | None = None,
    accumulator_type: TypeLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes an aggregate of an object of ``AggregateFunction``, or of a function of a group's columns (``func_type`` pandas or arrow)."""
    types = FunctionHint(input=_inputs(input_types), output=_hint(result_type), accumulator=_hint(accumulator_type))

    def delegate(function: Callable[..., Any]) -> UserDefinedFunction:
        if func_type == "general":
            raise ValidationException(
                "udaf takes an object of AggregateFunction.", hint="A function of columns needs func_type='pandas' or func_type='arrow'."
            )
        return _OfColumns(function)

    return _wrapped(f, delegate, (AggregateFunction,), types, deterministic, name, func_type)


@public
def udtaf(
    f: Any = None,
    input_types: TypesLike | None = None,
    result_type: TypeLike | None = None,
    accumulator_type: TypeLike | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes a table aggregate of an object of ``TableAggregateFunction``."""
    types = FunctionHint(input=_inputs(input_types), output=_hint(result_type), accumulator=_hint(accumulator_type))

    def delegate(function: Callable[..., Any]) -> UserDefinedFunction:
        raise ValidationException("udtaf takes an object of TableAggregateFunction.")

    return _wrapped(f, delegate, (TableAggregateFunction,), types, deterministic, name, func_type)


def _wrapped(
    f: Any,
    delegate: Callable[[Callable[..., Any]], UserDefinedFunction],
    accepted: tuple[type[UserDefinedFunction], ...],
    types: FunctionHint,
    deterministic: bool | None,
    name: str | None,
    func_type: str,
) -> Any:
    def wrap(function: Any) -> UserDefinedFunctionWrapper:
        if isinstance(function, type) and issubclass(function, UserDefinedFunction):
            function = function()
        if isinstance(function, UserDefinedFunction):
            if not isinstance(function, accepted):
                raise ValidationException(
                    f"{type(function).__qualname__} is a {function.KIND.value} function.",
                    hint="udf is for scalar, udtf for table, udaf for aggregate and udtaf for table aggregate functions.",
                )
            made, given = function, type(function).__qualname__
        elif callable(function):
            made, given = delegate(function), getattr(function, "__name__", type(function).__name__)
        else:
            raise ValidationException(f"{function!r} is no function.")
        hint = types if any((types.input, types.output, types.accumulator)) else None
        definition = UserFunction(made, name or given, hint=hint, takes_unannotated=True, deterministic=deterministic, func_type=func_type)
        return UserDefinedFunctionWrapper(definition)

    return wrap if f is None else wrap(f)


def _hint(type_: TypeLike | None) -> DataTypeHint | None:
    return None if type_ is None else DataTypeHint(type_)


def _inputs(types: TypesLike | None) -> tuple[DataTypeHint, ...] | None:
    if types is None:
        return None
    given = [types] if isinstance(types, (str, DataType, LogicalType)) else list(types)
    return tuple(DataTypeHint(type_) for type_ in given)


def _row_of(types: TypesLike | None) -> TypeLike | None:
    """Returns the type of a row with these columns; a single type is the row itself."""
    if types is None or isinstance(types, (str, DataType, LogicalType)):
        return types
    given = [_logical(type_) for type_ in types]
    if len(given) == 1:
        return given[0]
    return RowType.of([(f"f{i}", type_) for i, type_ in enumerate(given)])


def _logical(type_: TypeLike) -> LogicalType:
    if isinstance(type_, str):
        return parse_logical_type(type_)
    return type_.logical_type if isinstance(type_, DataType) else type_
