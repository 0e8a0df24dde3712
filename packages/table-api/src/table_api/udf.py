"""User functions: ``udf``, ``udtf``, ``udaf`` and ``udtaf``, and the base classes of functions, as in ``pyflink.table.udf``.

Types declared by a decorator override annotations; a parameter with neither accepts arguments of any type.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, overload

from table_api.expressions.api import call
from table_api.expressions.expression import Expression
from table_common.annotation import public
from table_common.exceptions import ValidationException, WrongKindException
from table_common.functions import (
    AggregateFunction,
    ArgumentHint,
    ArgumentTrait,
    AsyncScalarFunction,
    AsyncTableFunction,
    ChangelogContext,
    DataTypeHint,
    FunctionContext,
    FunctionHint,
    ListView,
    MapView,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    ScalarFunction,
    StateHint,
    TableAggregateFunction,
    TableFunction,
    TableSemantics,
    TimeContext,
    UserDefinedFunction,
    UserFunction,
    function_hint,
    function_metrics,
)
from table_common.types import DataType, LogicalType, RowType, parse_logical_type

__all__ = [
    "AggregateFunction",
    "ArgumentHint",
    "ArgumentTrait",
    "AsyncScalarFunction",
    "AsyncTableFunction",
    "ChangelogContext",
    "DataTypeHint",
    "FunctionContext",
    "ListView",
    "MapView",
    "OnTimerContext",
    "ProcessBatchContext",
    "ProcessContext",
    "ProcessTableFunction",
    "ScalarFunction",
    "StateHint",
    "TableAggregateFunction",
    "TableFunction",
    "TableSemantics",
    "TimeContext",
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
        self.eval = self.wrapped = function  # type: ignore[method-assign]  # the function implements it


class _OfCoroutine(AsyncScalarFunction):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.eval = self.wrapped = function  # type: ignore[method-assign]  # the function implements it


class _RowsOfCallable(TableFunction[Any]):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.eval = self.wrapped = function  # type: ignore[method-assign]  # the function implements it


class _OfColumns(AggregateFunction[Any, Any]):
    """A vectorized aggregate: a function of a group's columns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.wrapped = function

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, accumulator: Any, *columns) -> None:  # type: ignore[no-untyped-def]  # of any type
        accumulator.append(self.wrapped(*columns))

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0] if accumulator else None


@public
class UserDefinedFunctionWrapper:
    """A user function with its types, the result of ``udf`` and the like: call it with expressions, or register it under a name.

    Example:
        >>> @udf(result_type="BIGINT")
        ... def plus_one(i):
        ...     return None if i is None else i + 1
        >>> numbers = env.sql_query("SELECT a FROM (VALUES (1), (NULL)) AS t (a)")
        >>> list(numbers.select(plus_one(col("a")).alias("b")).execute().collect())
        [Row(b=2), Row(b=None)]
    """

    def __init__(self, definition: UserFunction, alias_names: tuple[str, ...] = ()) -> None:
        self.definition = definition
        self.alias_names = alias_names
        self.__doc__ = definition.function.__doc__

    @property
    def _func(self) -> Any:
        """The function itself, which programs of PyFlink call in their tests."""
        function = self.definition.function
        return getattr(function, "wrapped", function)

    def alias(self, name: str, *extra_names: str) -> UserDefinedFunctionWrapper:
        """Returns the function with names for the result columns of its calls."""
        return UserDefinedFunctionWrapper(self.definition, (name, *extra_names))

    def __call__(self, *args: object) -> Expression:
        """Returns a call of the function; the arguments are expressions or constants."""
        expression = call(self.definition, *args)
        return expression.alias(*self.alias_names) if self.alias_names else expression

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.definition.name})"


_FUNC_TYPES = ("general", "arrow", "pandas")
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
    """Creates a scalar function from a Python function, a coroutine, or an object of ``ScalarFunction`` or ``AsyncScalarFunction``.

    NULL arguments are passed as None, and a result of None is NULL.

    Args:
        f: the function; omitted if ``udf`` is used as a decorator with arguments.
        input_types: the types of the arguments; by default those of the annotations.
        result_type: the type of the result; by default that of the annotation.
        deterministic: whether equal arguments give equal results; by default what the function declares, else true.
        name: the name in plans and messages.
        func_type: ``general`` (one call per row), or ``arrow`` or ``pandas`` (one call per batch, with a column for each argument).
        udf_type: PyFlink's older name of ``func_type``.

    Raises:
        ValidationException: a type is missing or does not match the function, or ``f`` is another kind of function.

    Example:
        >>> shout = udf(lambda text: text.upper() + "!", result_type="STRING")
        >>> [row[0] for row in env.sql_query("SELECT 'hi' AS a").select(shout(col("a"))).execute().collect()]
        ['HI!']

    Source: PyFlink's ``pyflink.table.udf.udf``.
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
    """Creates a table function from a Python function or an object of ``TableFunction``; ``result_types`` are the types of its columns.

    A generator, a list or another iterable emits its elements as rows; a tuple or a ``Row`` is one row; None emits none.

    Raises:
        ValidationException: a type is missing or does not match the function, or ``f`` is another kind of function.

    Example:
        >>> split = udtf(lambda text: text.split(), result_types="STRING")
        >>> lines = env.sql_query("SELECT 'to be' AS line")
        >>> [row.word for row in lines.join_lateral(split(col("line")).alias("word")).execute().collect()]
        ['to', 'be']

    Source: PyFlink's ``pyflink.table.udf.udtf``.
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
    """Creates an aggregate function from an object of ``AggregateFunction``, or from a function over a group's columns.

    The latter needs ``func_type`` ``pandas`` or ``arrow`` and is called once per group, with a column for each argument.

    Raises:
        ValidationException: a type is missing or does not match the function, or ``f`` is another kind of function.

    Example:
        >>> longest = udaf(lambda column: max(column.to_pylist(), key=len), result_type="STRING", func_type="arrow")
        >>> names = env.sql_query("SELECT a FROM (VALUES ('Al'), ('Bea')) AS t (a)")
        >>> list(names.select(longest(col("a")).alias("b")).execute().collect())
        [Row(b='Bea')]

    Source: PyFlink's ``pyflink.table.udf.udaf``.
    """
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
    """Creates a table aggregate function from an object of ``TableAggregateFunction``.

    Raises:
        ValidationException: a type is missing or does not match the function, or ``f`` is another kind of function.

    Example:
        >>> class Extremes(TableAggregateFunction):
        ...     def create_accumulator(self):
        ...         return []
        ...     def accumulate(self, accumulator, value):
        ...         accumulator.append(value)
        ...     def emit_value(self, accumulator):
        ...         yield min(accumulator)
        ...         yield max(accumulator)
        >>> extremes = udtaf(Extremes(), result_type="ROW<v INT>", accumulator_type="ARRAY<INT>")
        >>> numbers = env.sql_query("SELECT a FROM (VALUES (1), (2), (3)) AS t (a)")
        >>> [row.v for row in numbers.flat_aggregate(extremes(col("a")).alias("v")).select(col("v")).execute().collect()]
        [1, 3]

    Source: PyFlink's ``pyflink.table.udf.udtaf``.
    """
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
                    f"The function {type(function).__qualname__} is of the kind '{function.KIND.value}'.",
                    hint="udf is for scalar, udtf for table, udaf for aggregate and udtaf for table aggregate functions.",
                )
            instance, default_name = function, type(function).__qualname__
        elif callable(function):
            instance, default_name = delegate(function), getattr(function, "__name__", type(function).__name__)
        else:
            raise WrongKindException(f"{function!r} is not a function.")
        _check_options(instance, default_name, deterministic, func_type)
        hint = types if any((types.input, types.output, types.accumulator)) else None
        definition = UserFunction(
            instance, name or default_name, hint=hint, takes_unannotated=True, deterministic=deterministic, func_type=func_type
        )
        return UserDefinedFunctionWrapper(definition)

    return wrap if f is None else wrap(f)


def _check_options(function: UserDefinedFunction, name: str, deterministic: bool | None, func_type: str) -> None:
    if func_type not in _FUNC_TYPES:
        raise ValidationException.unknown("The func_type", func_type, _FUNC_TYPES, where=f"the declaration of {name}")
    if func_type != "general" and isinstance(function, (AsyncScalarFunction, AsyncTableFunction)):
        raise ValidationException(
            f"The asynchronous function {name} cannot have func_type='{func_type}': it is called once per row.", hint="leave func_type out"
        )
    declares = type(function).is_deterministic is not UserDefinedFunction.is_deterministic
    if deterministic is not None and declares and bool(function.is_deterministic()) != deterministic:
        raise ValidationException(
            f"The declaration of {name} says deterministic={deterministic}, but its method is_deterministic returns {not deterministic}.",
            hint="leave deterministic out, or remove the method",
        )


def _hint(type_: TypeLike | None) -> DataTypeHint | None:
    if type_ is not None and not isinstance(type_, (str, DataType, LogicalType)):
        raise WrongKindException(f"A function is declared with types such as DataTypes.INT() or 'INT', but got {type_!r}.")
    return None if type_ is None else DataTypeHint(type_)


def _inputs(types: TypesLike | None) -> tuple[DataTypeHint, ...] | None:
    if types is None:
        return None
    type_list = [types] if isinstance(types, (str, DataType, LogicalType)) else list(types)
    return tuple(DataTypeHint(type_) for type_ in type_list)


def _row_of(types: TypesLike | None) -> TypeLike | None:
    """Returns the type of a row with these columns; a single type is the row itself."""
    if types is None or isinstance(types, (str, DataType, LogicalType)):
        return types
    logical_types = [_logical(type_) for type_ in types]
    if len(logical_types) == 1:
        return logical_types[0]
    return RowType.of([(f"f{i}", type_) for i, type_ in enumerate(logical_types)])


def _logical(type_: TypeLike) -> LogicalType:
    if isinstance(type_, str):
        return parse_logical_type(type_)
    return type_.logical_type if isinstance(type_, DataType) else type_
