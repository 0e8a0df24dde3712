"""Streams that are read ahead on threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.cancellation import CancellationToken
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.prefetch import Reader, prefetch


def batch(value: int) -> pa.RecordBatch:
    return pa.record_batch({"a": pa.array([value])})


def stream(first: int, count: int) -> Any:
    return lambda: (batch(first + i) for i in range(count))


@pytest.mark.parametrize("parallelism", [1, 2, 4])
@pytest.mark.parametrize("streams", [0, 1, 3, 9])
def test_batches_come_in_the_order_of_the_streams(parallelism: int, streams: int) -> None:
    context = ExecutionContext(parallelism=parallelism)
    batches = prefetch([stream(10 * i, i % 4) for i in range(streams)], context)
    assert [b.column(0)[0].as_py() for b in batches] == [10 * i + j for i in range(streams) for j in range(i % 4)]
    context.close()


def test_a_failure_comes_after_the_batches_before_it() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield batch(1)
        raise OSError("disk")

    batches = prefetch([failing, stream(5, 1)], ExecutionContext(parallelism=2))
    assert next(batches).column(0)[0].as_py() == 1
    with pytest.raises(OSError, match="disk"):
        next(batches)


def test_a_reader_does_not_read_further_ahead_than_it_may() -> None:
    read: list[int] = []
    full = threading.Event()

    def numbers() -> Iterator[pa.RecordBatch]:
        for i in range(100):
            read.append(i)
            if i == 3:
                full.set()
            yield batch(i)

    reader = Reader(numbers, CancellationToken(), ahead=3)
    assert full.wait(10)
    reader.stop()
    assert len(read) <= 5


def test_a_stopped_reader_closes_its_stream(endless: Any, harness: Any) -> None:
    reader = Reader(lambda: endless.batches(harness.context), harness.context.token)
    assert reader.take() is not None
    reader.stop()
    assert endless.is_closed


def test_waiting_for_a_batch_ends_when_the_run_is_cancelled() -> None:
    token, release = CancellationToken(), threading.Event()

    def stuck() -> Iterator[pa.RecordBatch]:
        release.wait(10)
        yield batch(1)

    reader = Reader(stuck, token)
    token.cancel()
    with pytest.raises(JobCancelledException):
        reader.take()
    release.set()
    reader.stop()
