"""The functions that plans have for searches: what a provider's function gets, opened and closed once."""

from __future__ import annotations

import asyncio
from typing import Any

from table_common.connector import (
    AsyncSearchRuntimeProvider,
    AsyncVectorSearchFunction,
    AsyncVectorSearchFunctionProvider,
    SearchRuntimeProvider,
    VectorSearchFunction,
    VectorSearchFunctionProvider,
)
from table_common.functions import FunctionContext


class Batch:
    def column(self, position: int) -> list[Any]:
        return [[1.0], None][position:]


class Seen(VectorSearchFunction, VectorSearchFunctionProvider):
    def __init__(self) -> None:
        self.calls: list[Any] = []

    def open(self, context: FunctionContext) -> None:
        self.calls.append("open")

    def close(self) -> None:
        self.calls.append("close")

    def vector_search(self, top_k: int, vectors: Any) -> Any:
        return top_k, vectors

    def create_vector_search_function(self) -> VectorSearchFunction:
        return self


class Awaited(AsyncVectorSearchFunction, AsyncVectorSearchFunctionProvider):
    batch_size = 7

    def __init__(self) -> None:
        self.calls: list[Any] = []

    async def open(self, context: FunctionContext) -> None:
        self.calls.append("open")

    async def close(self) -> None:
        self.calls.append("close")

    async def vector_search(self, top_k: int, vectors: Any) -> Any:
        return top_k, vectors

    def create_async_vector_search_function(self) -> AsyncVectorSearchFunction:
        return self


def test_a_function_gets_the_vectors_and_the_number_of_rows() -> None:
    seen = Seen()
    function = SearchRuntimeProvider(seen, 3).create_predict_function()
    function.open(FunctionContext())
    assert function.predict(Batch()) == (3, [[1.0], None])
    function.close()
    assert seen.calls == ["open", "close"]


def test_an_asynchronous_function_gets_slices_of_its_size() -> None:
    awaited = Awaited()
    function = AsyncSearchRuntimeProvider(awaited, 3).create_async_predict_function()

    async def run() -> Any:
        await function.open(FunctionContext())
        found = await function.predict(Batch())
        await function.close()
        return found

    assert asyncio.run(run()) == (3, [[1.0], None])
    assert function.batch_size == 7
    assert awaited.calls == ["open", "close"]
