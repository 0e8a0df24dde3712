"""The functions that plans have for models: opened once, run in a loop of their own."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from typing import Any

import pytest

from table_common.connector import AsyncPredictFunction, AsyncPredictRuntimeProvider, AsyncPredictTableFunction, PredictCall
from table_common.functions import FunctionContext
from table_common.types import RowType


class Answers(AsyncPredictFunction, AsyncPredictRuntimeProvider):
    closed = False

    async def open(self, context: FunctionContext) -> None:
        self.loop = asyncio.get_running_loop()

    async def predict(self, batch: Any) -> Any:
        assert asyncio.get_running_loop() is self.loop
        return batch

    async def close(self) -> None:
        self.closed = True

    def create_async_predict_function(self) -> AsyncPredictFunction:
        return self


def test_all_calls_run_in_the_loop_of_open_also_while_another_loop_runs() -> None:
    answers = Answers()
    call = PredictCall(("m",), RowType.of([]), RowType.of([]))
    function = AsyncPredictTableFunction(call, answers, 2, timedelta(seconds=1))
    function.open(FunctionContext())
    assert function.run(function.predict_batch(1)) == 1

    async def inside() -> Any:
        with pytest.raises(ZeroDivisionError):
            function.run(_fails())
        return function.run(function.predict_batch(2))

    assert asyncio.run(inside()) == 2
    function.close()
    assert answers.closed


async def _fails() -> None:
    raise ZeroDivisionError


def test_a_function_that_is_closed_within_a_coroutine_is_not_waited_for() -> None:
    may_close, has_closed = threading.Event(), threading.Event()

    class Slow(Answers):
        async def close(self) -> None:
            may_close.wait(10)
            has_closed.set()

    function = AsyncPredictTableFunction(PredictCall(("m",), RowType.of([]), RowType.of([])), Slow(), 2, timedelta(seconds=1))
    function.open(FunctionContext())

    async def inside() -> None:
        function.close()  # as the garbage collector may, while the coroutine holds what the function needs to close

    asyncio.run(inside())
    assert not has_closed.is_set()
    may_close.set()
    assert has_closed.wait(10)
