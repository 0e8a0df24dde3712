"""Calls of models: a batch at once, or slices of a batch, many at once; the result has the list of rows of each row."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.connector import AsyncPredictTableFunction, Predictions
from table_common.exceptions import TableError, TableRuntimeException
from table_common.types import RowType
from table_runtime.cancellation import current_check
from table_runtime.udf.asynchronous import POLL_SECONDS
from table_runtime.udf.called_rows import Columns
from table_runtime.udf.errors import call_failed, wrong_result
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.vectorized import as_column, from_result


class PredictInvoker:
    """Runs a model over batches."""

    def __init__(self, invocation: Invocation) -> None:
        function = invocation.definition.function
        call = function.prediction  # type: ignore[attr-defined]  # the kinds of functions of models have it
        self._invocation = invocation
        self._inputs: RowType = call.inputs
        self._outputs: RowType = call.outputs
        self._arrow_type = to_arrow_type(invocation.output_type)

    def __call__(self, columns: Columns, rows: int) -> pa.Array:
        """Returns the list of rows that the model has for each row.

        Raises:
            TableRuntimeException: the model failed, timed out, or returned other columns than its OUTPUT.
        """
        invocation = self._invocation
        with invocation.lock, invocation.in_use():
            if rows == 0:
                return pa.nulls(0, self._arrow_type)
            function = invocation.function()
            arrays = [as_column(column, rows) if isinstance(column, pa.Scalar) else _whole(column) for column in columns]
            batch = pa.RecordBatch.from_arrays(arrays, names=list(self._inputs.field_names))
            if isinstance(function, AsyncPredictTableFunction):
                return function.run(self._predict_slices(function, batch))
            with _failures(invocation, 0, rows):
                result = function.predict_batch(batch)
            return self._lists(result, rows)

    async def _predict_slices(self, function: AsyncPredictTableFunction, batch: pa.RecordBatch) -> pa.Array:
        size = function.batch_size
        starts = range(0, batch.num_rows, size)
        results: list[Any] = [None] * len(starts)
        pending = iter(enumerate(starts))
        timeout = function.timeout

        async def work() -> None:
            for number, start in pending:
                part = batch.slice(start, size)
                with _failures(self._invocation, start, part.num_rows):
                    try:
                        result = await asyncio.wait_for(function.predict_batch(part), None if timeout is None else timeout.total_seconds())
                    except TimeoutError as error:
                        raise TimeoutError(f"no answer within {timeout}") from error
                results[number] = self._lists(result, part.num_rows)

        workers = [asyncio.ensure_future(work()) for _ in range(min(function.capacity, len(starts)))]
        check = current_check()
        try:
            while True:
                done, running = await asyncio.wait(workers, timeout=POLL_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
                check()
                if not running or any(worker.exception() is not None for worker in done):
                    break
            for worker in done:
                worker.result()
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return results[0] if len(results) == 1 else pa.concat_arrays(results)

    def _lists(self, result: Any, rows: int) -> pa.Array:
        counts: Any = None
        if isinstance(result, Predictions):
            counts, result = list(result.counts), result.rows
        batch = _batch(result, self._invocation)
        names, fields = list(batch.schema.names), self._outputs.fields
        if len(names) != len(fields):
            expected = ", ".join(f"{field.name} {field.type.summary()}" for field in fields)
            raise self._wrong(f"it returned the columns {', '.join(names) or 'none'}, but OUTPUT declares {expected}.")
        if counts is None and batch.num_rows != rows:
            raise self._wrong(f"it returned {batch.num_rows} rows for {rows}; Predictions says how many rows each row has.")
        if counts is not None and (len(counts) != rows or sum(counts) != batch.num_rows or min(counts, default=0) < 0):
            raise self._wrong(
                f"it returned {batch.num_rows} rows, but the counts of {len(counts)} for {rows} rows sum up to {sum(counts)}."
            )
        struct_type = self._arrow_type.value_type
        arrays = []
        for position, field in enumerate(fields):
            if batch.column(position).type == pa.null():
                array = pa.nulls(batch.num_rows, struct_type.field(position).type)
            else:
                array = from_result(
                    batch.column(position), struct_type.field(position).type, self._invocation, batch.num_rows, of=field.type
                )
            if not field.type.nullable and array.null_count:
                raise self._wrong(f"its column {field.name} has NULL, but OUTPUT declares it NOT NULL.")
            arrays.append(array)
        structs = pa.StructArray.from_arrays(arrays, fields=list(struct_type))
        lengths = pa.array([1] * rows if counts is None else counts, pa.int32())
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cast(pc.cumulative_sum(lengths), pa.int32())])
        return pa.ListArray.from_arrays(offsets, structs, type=self._arrow_type)

    def _wrong(self, reason: str) -> TableRuntimeException:
        return wrong_result(self._invocation.name, reason, None, None, masked=True)


class _failures:  # noqa: N801  # used like a function of contextlib
    """Gives an error of a model the name of the model and its rows."""

    __slots__ = ("_invocation", "_rows", "_start")

    def __init__(self, invocation: Invocation, start: int, rows: int) -> None:
        self._invocation, self._start, self._rows = invocation, start, rows

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, TableRuntimeException):
            if isinstance(error, TableError):
                raise TableRuntimeException(f"{self._invocation.name}: {error.message}", hint=error.hint) from error
            row = self._start + 1 if self._rows == 1 else None
            raise call_failed(self._invocation.name, error, row, None, masked=True) from error


def _whole(column: Any) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _batch(result: Any, invocation: Invocation) -> pa.RecordBatch:
    if isinstance(result, pa.RecordBatch):
        return result
    if isinstance(result, pa.Table):
        return pa.RecordBatch.from_arrays([_whole(column) for column in result.columns], names=result.column_names)
    convert: Callable[[Any], pa.RecordBatch] = pa.record_batch
    if hasattr(result, "__arrow_c_array__"):
        return convert(result)
    raise wrong_result(invocation.name, f"it returned {type(result).__name__}, but it must return a record batch.", None, None, masked=True)
