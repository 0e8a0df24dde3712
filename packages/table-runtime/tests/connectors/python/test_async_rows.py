"""Asynchronous iterables as iterators."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from table_runtime.connectors.python.async_rows import AsyncRows


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(0)
        yield number


def test_items_come_in_their_order() -> None:
    assert list(AsyncRows(numbers(3))) == [0, 1, 2]


def test_a_failure_is_raised() -> None:
    async def failing() -> AsyncIterator[int]:
        yield 1
        raise KeyError("broken")

    rows = AsyncRows(failing())
    assert next(rows) == 1
    with pytest.raises(KeyError):
        next(rows)
    rows.close()
    rows.close()


def test_another_thread_can_end_the_waiting() -> None:
    waits = threading.Event()

    async def waiting() -> AsyncIterator[int]:
        waits.set()
        await asyncio.sleep(3_600)
        yield 1

    rows = AsyncRows(waiting())

    def cancel() -> None:
        waits.wait(10)
        rows.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    assert list(rows) == []
    thread.join()
    rows.close()
    rows.cancel()
