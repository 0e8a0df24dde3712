"""Calls an asynchronous lookup function with many concurrent requests, on the task's own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import columnar_rows, import_batch
from table_common.arrow import compute as pc
from table_common.connector import AsyncLookupFunction, AsyncLookupFunctionProvider
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionContext
from table_runtime.batch.lookup_join.finders import Finder, Found, Waiting, checked, repeat_failures, rows_of_keys, together
from table_runtime.batch.lookup_join.spec import LookupSpec

KEYS_AT_ONCE = 1024
"""Maximum keys per request of a batched function."""
_T = TypeVar("_T")


class AsyncFinder(Finder):
    """Splits the keys into requests, runs up to ``capacity`` of them concurrently, and returns the rows in the order of the keys."""

    def __init__(self, spec: LookupSpec, provider: AsyncLookupFunctionProvider, waiting: Waiting) -> None:
        self._spec = spec
        self._provider = provider
        self._waiting = waiting
        self._function: AsyncLookupFunction | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @override
    def open(self) -> None:
        # The loop has its own thread, because the caller's thread may already run an event loop, as in a notebook.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="table-lookup", daemon=True)
        self._thread.start()

    @override
    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._close_function(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                self._thread.join()
            loop.close()

    @override
    def find(self, keys: pa.RecordBatch) -> Found:
        return repeat_failures(self._spec, self._provider, self._waiting, lambda: self._run(self._find(keys)), self._reset)

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        assert self._loop is not None
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while True:
                try:
                    return future.result(timeout=0.1)
                except TimeoutError:
                    if future.done():  # the function raised it, or the result arrived after the wait
                        return future.result()
                    self._waiting.check()
        except BaseException:
            future.cancel()
            raise

    def _reset(self) -> None:
        self._run(self._close_function())

    async def _close_function(self) -> None:
        function, self._function = self._function, None
        if function is not None:
            await function.close()

    async def _find(self, keys: pa.RecordBatch) -> Found:
        if self._function is None:
            self._function = self._provider.create_async_lookup_function()
            await self._function.open(FunctionContext(self._spec.settings.job_parameters))
        function = self._function
        requests: list[Coroutine[Any, Any, Any]]
        if function.is_batched:
            starts = range(0, keys.num_rows, KEYS_AT_ONCE)
            batches = [keys.slice(start, KEYS_AT_ONCE) for start in starts]
            responses = await self._all([function.async_lookup_batch(batch) for batch in batches])
            origin = f"Looking up rows of {self._spec.table} failed: {type(function).__name__}.async_lookup_batch"
            found = [checked(import_batch(a, origin), batch.num_rows, self._spec) for a, batch in zip(responses, batches, strict=True)]
            in_key_order = [Found(pc.add(f.keys, pa.scalar(start, pa.int64())), f.rows) for start, f in zip(starts, found, strict=True)]
            return together(in_key_order, self._spec.produced)
        requests = [function.async_lookup(row) for row in columnar_rows(keys, self._spec.key_type)]
        return rows_of_keys(await self._all(requests), self._spec)

    async def _all(self, requests: list[Coroutine[Any, Any, Any]]) -> list[Any]:
        settings = self._spec.settings
        slots = asyncio.Semaphore(settings.capacity)
        seconds = settings.timeout.total_seconds()

        async def with_timeout(request: Coroutine[Any, Any, Any]) -> Any:
            async with slots:
                try:
                    async with asyncio.timeout(seconds):
                        return await request
                except TimeoutError as error:
                    raise TableRuntimeException(
                        f"A lookup in {self._spec.table} took longer than {seconds:g} s "
                        "(table.exec.async-lookup.timeout, or 'timeout' of the hint LOOKUP)."
                    ) from error

        tasks = [asyncio.ensure_future(with_timeout(request)) for request in requests]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for request in requests:
                request.close()
            raise
