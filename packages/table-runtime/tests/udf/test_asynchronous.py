"""Asynchronous functions: order, capacity, time limit, attempts."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import AsyncScalarFunction, as_user_function
from table_common.types import BigIntType
from table_runtime.udf import Invocation, make_invoker


def call(function: type[AsyncScalarFunction], *values: int | None) -> list[Any]:
    invoker = make_invoker(Invocation(as_user_function(function), [BigIntType()], BigIntType()))
    result: list[Any] = invoker([pa.array(values, pa.int64())], len(values)).to_pylist()
    return result


class Reversed(AsyncScalarFunction):
    """Later rows are done earlier."""

    capacity = 4
    running = 0
    most = 0
    done: ClassVar[list[int]] = []

    async def eval(self, a: int) -> int:
        Reversed.running += 1
        Reversed.most = max(Reversed.most, Reversed.running)
        for _ in range(10 - a):
            await asyncio.sleep(0)
        Reversed.running -= 1
        Reversed.done.append(a)
        return a * 10


def test_results_are_in_the_order_of_the_rows_and_capacity_holds() -> None:
    assert call(Reversed, 0, 1, None, 2, 3, 4, 5) == [0, 10, None, 20, 30, 40, 50]
    assert Reversed.most == 4
    assert Reversed.done != sorted(Reversed.done)


class Hanging(AsyncScalarFunction):
    timeout = timedelta(milliseconds=20)

    async def eval(self, a: int) -> int:
        if a == 2:
            await asyncio.Event().wait()
        return a


def test_call_that_hangs_ends_in_a_clear_error() -> None:
    with pytest.raises(
        TableRuntimeException, match=r"Hanging failed in row 2 of the batch, called with \(2\): TimeoutError: no result within"
    ):
        call(Hanging, 1, 2)


class Flaky(AsyncScalarFunction):
    retry_delay = timedelta(0)
    attempts = 0

    async def eval(self, a: int) -> int:
        Flaky.attempts += 1
        if Flaky.attempts < 3:
            raise ConnectionError("not yet")
        return a


def test_failed_call_is_made_again() -> None:
    assert call(Flaky, 7) == [7]
    assert Flaky.attempts == 3


class Failing(AsyncScalarFunction):
    max_attempts = 1

    async def eval(self, a: int) -> int:
        raise ConnectionError("never")


def test_last_failure_is_the_error() -> None:
    with pytest.raises(TableRuntimeException, match="ConnectionError: never"):
        call(Failing, 7)
