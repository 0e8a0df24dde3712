"""The callable of a table: its optional arguments, and its error messages."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_runtime.connectors.python.references import find_object

_T = TypeVar("_T")
ARGUMENTS = ("columns", "filters", "limit", "options")
"""Keyword arguments that a row callable receives if its signature has them."""


@dataclass(frozen=True, eq=False)
class UserCode:
    """A callable or iterable, with its name in the options of the table ``table``."""

    name: str
    table: str
    target: Any
    arguments: frozenset[str] = frozenset()
    options: Mapping[str, str] | None = None

    def rows(self, arguments: Mapping[str, Any]) -> Any:
        """Returns the rows: the result of the callable with the arguments of its signature, or the iterable itself."""
        if not callable(self.target):
            return self.target
        known = {**arguments, "options": dict(self.options or {})}
        return self.guarded(lambda: self.target(**{name: known[name] for name in known if name in self.arguments}))

    def guarded(self, call: Callable[[], _T]) -> _T:
        """Returns the result of a call of the user's code.

        Raises:
            TableRuntimeException: the call failed; the message has the error and its location in the user's code.
        """
        try:
            return call()
        except Exception as error:
            frames = "".join(traceback.format_exception(type(error), error, _user_frames(error.__traceback__))).rstrip()
            raise TableRuntimeException(f"{self.described()} failed: {type(error).__name__}: {error}\n{frames}") from error

    def described(self) -> str:
        """Returns the description of the callable in messages."""
        return f"The Python callable '{self.name}' of table {self.table}"


def rows_giver(name: str, table: str, options: Mapping[str, str]) -> UserCode:
    """Returns the callable or iterable that returns the rows of a table; ``options`` are its options.

    Raises:
        ValidationException: the object does not exist, does not return rows, or needs other arguments.
    """
    where = f"The option 'callable' of table {table}"
    target = find_object(name, where)
    if not callable(target):
        _check_iterable(target, name, where)
        arguments: frozenset[str] = frozenset()
    else:
        if inspect.iscoroutinefunction(target):
            raise ValidationException(
                f"{where}: '{name}' is a coroutine.", hint="Use a function that returns or yields rows; it may be `async def` with yield."
            )
        arguments = _arguments(target, name, where)
    if options and "options" not in arguments:
        keys = ", ".join(f"'options.{key}'" for key in sorted(options))
        raise ValidationException(
            f"{where}: '{name}' takes no options, but the table has {keys}.",
            hint="Add a parameter 'options', a dict of strings, to the callable.",
        )
    return UserCode(name, table, target, arguments, dict(options))


def row_taker(name: str, table: str) -> UserCode:
    """Returns the callable that receives the rows of a table.

    Raises:
        ValidationException: the object does not exist, or cannot be called with one record batch.
    """
    where = f"The option 'sink.callable' of table {table}"
    target = find_object(name, where)
    hint = "It is called with each batch of rows, a pyarrow.RecordBatch, as its only argument."
    if not callable(target):
        raise ValidationException(f"{where}: '{name}' is of the class {type(target).__qualname__}, which cannot be called.", hint=hint)
    if inspect.iscoroutinefunction(target) or inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        raise ValidationException(
            f"{where}: '{name}' does nothing when it is called, because it is a generator or asynchronous.", hint=hint
        )
    signature = _signature(target)
    if signature is not None:
        try:
            signature.bind(None)
        except TypeError as error:
            raise ValidationException(f"{where}: '{name}{signature}' cannot be called with a batch: {error}.", hint=hint) from None
    return UserCode(name, table, target)


def _check_iterable(target: object, name: str, where: str) -> None:
    if isinstance(target, (Iterator, AsyncIterator)):
        raise ValidationException(
            f"{where}: '{name}' is of the class {type(target).__qualname__}, which can be read only once, but each scan reads it again.",
            hint="Use the function that creates it.",
        )
    if isinstance(target, (str, bytes)) or not (
        hasattr(target, "__iter__") or hasattr(target, "__aiter__") or hasattr(target, "__arrow_c_stream__")
    ):
        raise ValidationException(
            f"{where}: '{name}' is of the class {type(target).__qualname__}, which is neither a callable nor an iterable of rows."
        )


def _arguments(target: Callable[..., Any], name: str, where: str) -> frozenset[str]:
    signature = _signature(target)
    if signature is None:
        return frozenset()
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = signature.parameters.values()
    taken = frozenset(parameter.name for parameter in parameters if parameter.name in ARGUMENTS and parameter.kind in by_keyword)
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for parameter in parameters:
        if parameter.name not in taken and parameter.default is parameter.empty and parameter.kind not in optional:
            raise ValidationException(
                f"{where}: '{name}{signature}' needs the argument '{parameter.name}', which is not available.",
                hint=f"It is called without arguments, or with those of {', '.join(ARGUMENTS)} that its signature has.",
            )
    return taken


def _signature(target: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):  # some callables written in C have no signature
        return None


def _user_frames(trace: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the first frame outside of this package."""
    part = trace
    while part is not None and part.tb_frame.f_globals.get("__name__", "").startswith("table_runtime."):
        part = part.tb_next
    return part if part is not None else trace
