"""Asynchronous iterables as iterators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterator
from contextlib import suppress
from typing import Any


class AsyncRows(Iterator[Any]):
    """Runs an asynchronous iterable in an event loop of its own, in the thread that reads it."""

    def __init__(self, rows: AsyncIterable[Any]) -> None:
        self._loop = asyncio.new_event_loop()
        self._rows = aiter(rows)
        self._waiting: asyncio.Task[Any] | None = None
        self._is_cancelled = False

    def __next__(self) -> Any:
        if self._is_cancelled or self._loop.is_closed():
            raise StopIteration
        self._waiting = self._loop.create_task(self._next())
        try:
            return self._loop.run_until_complete(self._waiting)
        except (_End, asyncio.CancelledError):
            raise StopIteration from None

    def cancel(self) -> None:
        """Ends the iteration, also one that waits; from any thread."""
        self._is_cancelled = True
        waiting = self._waiting
        if waiting is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(waiting.cancel)

    def close(self) -> None:
        """Closes the iterable, in the thread that reads it."""
        if self._loop.is_closed():
            return
        close = getattr(self._rows, "aclose", None)
        try:
            if close is not None:
                self._loop.run_until_complete(close())
        finally:
            self._loop.close()

    async def _next(self) -> Any:
        try:
            return await anext(self._rows)
        except StopAsyncIteration as end:
            raise _End from end  # a task cannot raise StopAsyncIteration


class _End(Exception):
    """The iterable has ended."""
