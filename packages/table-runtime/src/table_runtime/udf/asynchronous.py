"""Asynchronous calls: many rows are in flight at once; results are in input order."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionKind
from table_runtime.cancellation import current_check
from table_runtime.udf.called_rows import Columns, with_called_rows
from table_runtime.udf.errors import call_failed
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.rows import rows_of_result
from table_runtime.udf.rowwise import argument_lists, results_column, row_arguments

POLL_SECONDS = 0.1
"""Seconds between two checks for cancellation."""


class AsyncInvoker:
    """Runs the calls of a batch, up to ``capacity`` concurrently. Failed calls are retried; the timeout covers all attempts of a call."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._readers = invocation.readers()
        self._arrow_type = to_arrow_type(invocation.output_type)
        self._is_table = invocation.definition.kind is FunctionKind.ASYNC_TABLE

    def __call__(self, columns: Columns, rows: int) -> pa.Array:
        """Returns the results.

        Raises:
            TableRuntimeException: all attempts of a call failed, it timed out, or its result is not of the declared type.
        """
        invocation = self._invocation
        with invocation.lock, invocation.in_use():
            return with_called_rows(columns, rows, invocation.skipping, self._arrow_type, self._compute)

    def _compute(self, columns: Columns, rows: int) -> pa.Array:
        function = self._invocation.function()
        lists = argument_lists(self._invocation, self._readers, columns)
        calls = list(itertools.islice(zip(*lists, strict=False), rows)) if lists else [()] * rows
        results = asyncio.run(self._call_all(function, calls, lists))
        if self._is_table:
            results = [rows_of_result(function, result, self._invocation.output_type) for result in results]
        return results_column(self._invocation, results, lists)

    async def _call_all(self, function: Any, calls: Sequence[tuple[Any, ...]], lists: Sequence[Any]) -> list[Any]:
        results: list[Any] = [None] * len(calls)
        pending = iter(enumerate(calls))

        async def work() -> None:
            for row, arguments in pending:
                results[row] = await self._call(function, arguments, row, lists)

        workers = [asyncio.ensure_future(work()) for _ in range(min(max(1, function.capacity), len(calls)))]
        check = current_check()
        try:
            while True:
                done, running = await asyncio.wait(workers, timeout=POLL_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
                check()
                if not running or any(worker.exception() is not None for worker in done):
                    break
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return results

    async def _call(self, function: Any, arguments: tuple[Any, ...], row: int, lists: Sequence[Any]) -> Any:
        timeout = function.timeout
        invocation = self._invocation
        try:
            return await asyncio.wait_for(self._attempts(function, arguments), None if timeout is None else timeout.total_seconds())
        except TableRuntimeException:
            raise
        except TimeoutError as error:
            failed_arguments = row_arguments(lists, row)
            timeout_error = TimeoutError(f"no result within {timeout}")
            raise call_failed(invocation.name, timeout_error, row + 1, failed_arguments, masked=invocation.masked) from error
        except Exception as error:
            raise call_failed(invocation.name, error, row + 1, row_arguments(lists, row), masked=invocation.masked) from error

    async def _attempts(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        for attempt in range(1, max(1, function.max_attempts) + 1):
            try:
                result = function.eval(*arguments)
                if inspect.isasyncgen(result):
                    return [item async for item in result]
                return await result
            except Exception:
                if attempt >= function.max_attempts:
                    raise
                await asyncio.sleep(function.retry_delay.total_seconds())
        return None
