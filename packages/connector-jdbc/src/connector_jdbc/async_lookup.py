"""Lookups over several connections at once, so that batches of keys do not wait for each other."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any

from connector_jdbc.lookup import JdbcLookupFunction
from table_common.annotation import override
from table_common.connector import AsyncLookupFunction, SupportsArrowArray
from table_common.functions import FunctionContext

_CONNECTIONS = 4
"""The most connections of a task; each is opened when all others are in use."""


class JdbcAsyncLookupFunction(AsyncLookupFunction):
    """Runs a lookup function in threads, each with a connection of its own: the driver has no asynchronous calls."""

    def __init__(self, function: JdbcLookupFunction) -> None:
        self._function = function
        self._threads: ThreadPoolExecutor | None = None
        self._idle: list[JdbcLookupFunction] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return JdbcAsyncLookupFunction, (self._function,)

    @override
    async def open(self, context: FunctionContext) -> None:
        self._threads = ThreadPoolExecutor(_CONNECTIONS, "table-jdbc-lookup")

    @override
    async def close(self) -> None:
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)  # a query that runs closes its connection at its end
        with self._lock:
            idle, self._idle = self._idle, []
        for function in idle:
            function.close()

    @override
    async def async_lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._looked_up, keys)

    def _looked_up(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        with self._lock:
            function = self._idle.pop() if self._idle else copy(self._function)
        try:
            return function.lookup_batch(keys)
        finally:
            with self._lock:
                is_open = self._threads is not None
                if is_open:
                    self._idle.append(function)
            if not is_open:
                function.close()
