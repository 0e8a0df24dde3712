"""The rows of a result for ``async for``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from table_common.data import Row


async def rows_of(batches: Iterator[Sequence[Row]], close: Callable[[], None]) -> AsyncIterator[Row]:
    """Yields the rows of batches, waiting for each batch on a thread of its own. Closing the generator calls ``close``, which ends the waiting."""
    with ThreadPoolExecutor(1, thread_name_prefix="async-rows") as thread:
        loop = asyncio.get_running_loop()
        try:
            while (rows := await loop.run_in_executor(thread, next, batches, None)) is not None:
                for row in rows:
                    yield row
        finally:
            close()
