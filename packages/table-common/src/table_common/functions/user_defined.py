"""The classes that authors of functions derive from."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, MutableMapping
from datetime import timedelta
from types import FunctionType
from typing import Any, ClassVar, Generic, TypeVar

from table_common.annotation import public_evolving
from table_common.exceptions import ValidationException
from table_common.functions.context import FunctionContext
from table_common.functions.definition import FunctionKind
from table_common.inference.type_inference import TypeInference
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType

T = TypeVar("T")
ACC = TypeVar("ACC")
_Method = TypeVar("_Method", bound=Callable[..., Any])

_METHODS = frozenset({"eval", "accumulate", "retract", "merge", "get_value", "emit_value", "create_accumulator", "on_timer"})


class _Namespace(dict[str, Any]):
    """A class body that refuses to define a method twice: Python would silently forget the first."""

    def __setitem__(self, key: str, value: Any) -> None:
        first = self.get(key)
        if key in _METHODS and isinstance(first, FunctionType) and isinstance(value, FunctionType) and not _is_overload(first):
            raise ValidationException(
                f"The class {self.get('__qualname__', '')} defines {key} twice; Python keeps only the last one.",
                hint=f"Write the signatures with typing.overload and one {key} after them that does the work.",
            )
        super().__setitem__(key, value)


def _is_overload(function: FunctionType) -> bool:
    return function.__module__ == "typing" or function.__qualname__ == "_overload_dummy"


def _declared(method: _Method) -> _Method:
    """Marks a method that a base class only declares: authors implement it."""
    vars(method)["is_declared"] = True
    return method


def implements(function: UserDefinedFunction | type[UserDefinedFunction], method: str) -> bool:
    """Returns whether a function has a method, and its base class does not only declare it.

    Example:
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> implements(Longest, "eval"), implements(ScalarFunction, "eval"), implements(Longest, "accumulate")
        (True, False, False)
    """
    found = getattr(function, method, None)
    return found is not None and not getattr(found, "is_declared", False)


def undefined(function: UserDefinedFunction, method: str) -> ValidationException:
    """Returns the error of a call of a method that the class does not define."""
    return ValidationException(f"{type(function).__qualname__} does not define {method}.")


class _FunctionClass(ABCMeta):
    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **kwargs: Any) -> MutableMapping[str, object]:
        return _Namespace()

    def __new__(metacls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> _FunctionClass:
        return super().__new__(metacls, name, bases, dict(namespace), **kwargs)


@public_evolving
class UserDefinedFunction(metaclass=_FunctionClass):
    """The base of user functions: opened, called, and closed; one instance is used by one thread at a time.

    Source: Flink's ``org.apache.flink.table.functions.UserDefinedFunction``.

    Example:
        >>> class Numbered(ScalarFunction):
        ...     def open(self, function_context):
        ...         self.prefix = function_context.get_job_parameter("prefix", "no. ")
        ...     def eval(self, number: int) -> str:
        ...         return f"{self.prefix}{number}"
        >>> issubclass(Numbered, UserDefinedFunction)
        True
    """

    KIND: ClassVar[FunctionKind] = FunctionKind.OTHER
    func_type: str = "general"
    """``general``: a call per row; ``arrow`` or ``pandas``: a call per batch with columns as arguments."""

    def open(self, function_context: FunctionContext) -> None:
        """Prepares for calls; called once in each worker, before the first call."""

    def close(self) -> None:
        """Releases resources; called after the last call."""

    def is_deterministic(self) -> bool:
        """Whether equal arguments always produce equal results; calls may then be evaluated once for many rows."""
        return True

    def get_type_inference(self) -> TypeInference | None:
        """Returns the type inference of a class that defines its own (FLIP-65); None: it is extracted from annotations and hints."""
        return None


@public_evolving
class ScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value: implement ``eval``.

    Source: Flink's ``org.apache.flink.table.functions.ScalarFunction``.

    Example:
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> Longest().eval("to", "question")
        'question'
    """

    KIND = FunctionKind.SCALAR

    @_declared
    def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the value for the arguments of a row, or with ``func_type`` ``arrow`` or ``pandas`` those of a batch.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval")


@public_evolving
class AsyncScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value, asynchronously: implement ``async def eval``.

    Results keep the order of the rows. A call that takes longer than ``timeout`` (None: no limit), over all attempts, fails the job.

    Source: Flink's ``org.apache.flink.table.functions.AsyncScalarFunction``.

    Example:
        >>> class Double(AsyncScalarFunction):
        ...     async def eval(self, value: int) -> int:
        ...         return 2 * value
        >>> import asyncio
        >>> asyncio.run(Double().eval(21))
        42
    """

    KIND = FunctionKind.ASYNC_SCALAR
    capacity: int = 10
    """The maximal number of concurrent calls."""
    timeout: timedelta | None = timedelta(minutes=3)
    max_attempts: int = 3
    """The maximal number of attempts of a call that raises."""
    retry_delay: timedelta = timedelta(milliseconds=100)

    @_declared
    async def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the value for the arguments of a row.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval")


@public_evolving
class TableFunction(UserDefinedFunction, Generic[T]):
    """Maps the values of a row to any number of rows: implement ``eval``, which yields, returns an iterable, or calls ``collect``.

    Source: Flink's ``org.apache.flink.table.functions.TableFunction``.

    Example:
        >>> class Words(TableFunction[str]):
        ...     def eval(self, text: str) -> list[str]:
        ...         return text.split()
        >>> Words().eval("to be")
        ['to', 'be']
    """

    KIND = FunctionKind.TABLE

    @_declared
    def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Yields or returns the rows for the arguments of a row, or emits them with ``collect``.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval")

    def collect(self, row: T) -> None:
        """Emits a row of the result."""
        vars(self).setdefault("_collected", []).append(row)

    def take_collected(self) -> list[T]:
        """Returns and clears the rows that were collected since the last call."""
        taken: list[T] = vars(self).pop("_collected", [])
        return taken


@public_evolving
class AsyncTableFunction(UserDefinedFunction, Generic[T]):
    """Maps the values of a row to any number of rows, asynchronously: implement ``async def eval``, which returns an iterable.

    Source: Flink's ``org.apache.flink.table.functions.AsyncTableFunction``.

    Example:
        >>> class Letters(AsyncTableFunction[str]):
        ...     async def eval(self, word: str) -> list[str]:
        ...         return list(word)
        >>> import asyncio
        >>> asyncio.run(Letters().eval("be"))
        ['b', 'e']
    """

    KIND = FunctionKind.ASYNC_TABLE
    capacity: int = 10
    timeout: timedelta | None = timedelta(minutes=3)
    max_attempts: int = 3
    retry_delay: timedelta = timedelta(milliseconds=100)

    @_declared
    async def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the rows for the arguments of a row.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval")


class _Aggregating(UserDefinedFunction, Generic[T, ACC]):
    """The base of aggregates: ``accumulate(accumulator, *args)``, and optionally ``retract`` and ``merge``."""

    def create_accumulator(self) -> ACC:
        """Returns the initial accumulator, an object that ``accumulate`` changes.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "create_accumulator")

    @_declared
    def accumulate(self, *args: Any, **kwargs: Any) -> None:
        """Adds the arguments of a row to an accumulator, the first argument.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "accumulate")

    @_declared
    def retract(self, *args: Any, **kwargs: Any) -> None:
        """Removes the arguments of a row from an accumulator; needed over inputs with updates, and by sliding OVER frames.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "retract")

    @_declared
    def merge(self, *args: Any, **kwargs: Any) -> None:
        """Adds other accumulators, the second argument, to the first; aggregation before a shuffle and session windows use it.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "merge")

    def get_result_type(self) -> DataType | LogicalType | str | None:
        """Returns the result type, if neither annotations nor hints declare it."""
        return None

    def get_accumulator_type(self) -> DataType | LogicalType | str | None:
        """Returns the accumulator's type, if neither annotations nor hints declare it."""
        return None


@public_evolving
class AggregateFunction(_Aggregating[T, ACC]):
    """Maps many rows to one value: implement ``create_accumulator``, ``accumulate`` and ``get_value``.

    Source: Flink's ``org.apache.flink.table.functions.AggregateFunction``.

    Example:
        >>> class Sum(AggregateFunction[int, list[int]]):
        ...     def create_accumulator(self) -> list[int]:
        ...         return [0]
        ...     def accumulate(self, accumulator: list[int], value: int) -> None:
        ...         accumulator[0] += value
        ...     def get_value(self, accumulator: list[int]) -> int:
        ...         return accumulator[0]
        >>> accumulator = Sum().create_accumulator()
        >>> Sum().accumulate(accumulator, 42)
        >>> Sum().get_value(accumulator)
        42
    """

    KIND = FunctionKind.AGGREGATE

    def get_value(self, accumulator: ACC) -> T:
        """Returns the result.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "get_value")


@public_evolving
class TableAggregateFunction(_Aggregating[T, ACC]):
    """Maps many rows to any number of rows: implement ``create_accumulator``, ``accumulate`` and ``emit_value``.

    Source: Flink's ``org.apache.flink.table.functions.TableAggregateFunction``.

    Example:
        >>> class Extremes(TableAggregateFunction[int, list[int]]):
        ...     def create_accumulator(self) -> list[int]:
        ...         return []
        ...     def accumulate(self, accumulator: list[int], value: int) -> None:
        ...         accumulator.append(value)
        ...     def emit_value(self, accumulator: list[int]) -> list[int]:
        ...         return [min(accumulator), max(accumulator)]
        >>> Extremes().emit_value([3, 1, 2])
        [1, 3]
    """

    KIND = FunctionKind.TABLE_AGGREGATE

    def emit_value(self, accumulator: ACC) -> Iterable[T]:
        """Returns the rows of the result.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "emit_value")
