"""Lookup functions: for a batch of keys or for one key, blocking or asynchronous."""

from __future__ import annotations

from collections.abc import Iterable

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.data import RowData
from table_common.exceptions import ValidationException
from table_common.functions import FunctionContext


class LookupFunction:
    """Looks up rows; define ``lookup_batch``, or for simple connectors ``lookup``.

    Must be picklable before ``open``: each task opens a copy of its own, and calls it from one thread at a time.

    Source: Flink's ``org.apache.flink.table.functions.LookupFunction``.

    Example:
        >>> from table_common.data import GenericRowData, StringData
        >>> class Names(LookupFunction):
        ...     def lookup(self, key_row):
        ...         number = key_row.get_int(0)
        ...         return [GenericRowData.of(number, StringData.from_string(f"name {number}"))]
        >>> Names().lookup(GenericRowData.of(7))
        [+I(7, StringData('name 7'))]
    """

    def open(self, context: FunctionContext) -> None:
        """Prepares the function, such as by connecting; called once per task, before the first lookup."""

    def close(self) -> None:
        """Is called once per task at its end, also if it failed."""

    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        """Returns the rows of all keys.

        ``keys`` has a column for each key of the ``LookupContext``, in its order; no key is NULL and none is there twice. The first
        column of the result is the position of the row's key in ``keys`` (any integer type); the columns of the produced row follow. Keys
        without rows do not occur in it; the order of rows is free.

        Raises:
            ValidationException: the class defines neither this method nor ``lookup``.
        """
        raise _undefined(self, "lookup_batch", "lookup")

    def lookup(self, key_row: RowData) -> Iterable[RowData]:
        """Returns the rows of one key, given as a row of the key columns. Not called if ``lookup_batch`` is defined.

        Raises:
            ValidationException: the class defines neither this method nor ``lookup_batch``.
        """
        raise _undefined(self, "lookup_batch", "lookup")

    @property
    def is_batched(self) -> bool:
        """Whether ``lookup_batch`` is defined."""
        return type(self).lookup_batch is not LookupFunction.lookup_batch


class AsyncLookupFunction:
    """Looks up rows without blocking; define ``async_lookup_batch``, or ``async_lookup``. All calls are on one event loop of the task's.

    Source: Flink's ``org.apache.flink.table.functions.AsyncLookupFunction``.

    Example:
        >>> import asyncio
        >>> from table_common.data import GenericRowData
        >>> class Squares(AsyncLookupFunction):
        ...     async def async_lookup(self, key_row):
        ...         number = key_row.get_int(0)
        ...         return [GenericRowData.of(number, number * number)]
        >>> asyncio.run(Squares().async_lookup(GenericRowData.of(7)))
        [+I(7, 49)]
    """

    async def open(self, context: FunctionContext) -> None:
        """Is called once per task, on the event loop, before the first lookup."""

    async def close(self) -> None:
        """Is called once per task at its end, also if it failed."""

    async def async_lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        """Returns the rows of all keys, as ``LookupFunction.lookup_batch`` does; several batches may be under way at once.

        Raises:
            ValidationException: the class defines neither this method nor ``async_lookup``.
        """
        raise _undefined(self, "async_lookup_batch", "async_lookup")

    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        """Returns the rows of one key; many may be under way at once. Not called if ``async_lookup_batch`` is defined.

        Raises:
            ValidationException: the class defines neither this method nor ``async_lookup_batch``.
        """
        raise _undefined(self, "async_lookup_batch", "async_lookup")

    @property
    def is_batched(self) -> bool:
        """Whether ``async_lookup_batch`` is defined."""
        return type(self).async_lookup_batch is not AsyncLookupFunction.async_lookup_batch


def _undefined(function: object, *methods: str) -> ValidationException:
    return ValidationException(f"The lookup function {type(function).__name__} defines neither {' nor '.join(methods)}.")
