"""The choice between synchronous and asynchronous calls."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from table_api.resolution.batch_calls import REQUEST_OPTIONS, BatchCaller
from table_common.configuration import Configuration, ExecutionConfigOptions
from table_common.connector import (
    AsyncPredictFunction,
    AsyncPredictRuntimeProvider,
    AsyncPredictTableFunction,
    PredictFunction,
    PredictRuntimeProvider,
    PredictTableFunction,
    VectorSearchCall,
)
from table_common.exceptions import ValidationException
from table_common.factories import validate_options
from table_common.types import RowType


class Both(PredictRuntimeProvider, AsyncPredictRuntimeProvider):
    def create_predict_function(self) -> PredictFunction:
        raise AssertionError("nothing runs here")

    def create_async_predict_function(self) -> AsyncPredictFunction:
        raise AssertionError("nothing runs here")


def function(config: dict[str, str], *, can_wait: bool = True, can_block: bool = True) -> Any:
    call = VectorSearchCall(("v",), "e", 2, RowType.of([]), RowType.of([]), tuple(config.items()))
    caller = BatchCaller(
        "F over v",
        "its connector",
        "table",
        Configuration(),
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_VECTOR_SEARCH_MAX_CONCURRENT_OPERATIONS,
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_VECTOR_SEARCH_TIMEOUT,
    )
    options = validate_options(config, (), REQUEST_OPTIONS, "F")
    return caller.function(call, options, Both() if can_block else None, Both() if can_wait else None)


def test_requests_are_asynchronous_if_the_provider_can_with_the_values_of_the_session() -> None:
    found = function({})
    assert isinstance(found, AsyncPredictTableFunction)
    assert (found.capacity, found.timeout) == (10, timedelta(minutes=3))
    found = function({"max-concurrent-operations": "2", "timeout": "5 s"})
    assert (found.capacity, found.timeout) == (2, timedelta(seconds=5))
    assert type(function({"async": "false"})) is PredictTableFunction
    assert type(function({}, can_wait=False)) is PredictTableFunction


@pytest.mark.parametrize(
    ("config", "can", "message"),
    [
        (
            {"async": "true"},
            {"can_wait": False},
            "F over v asks for asynchronous requests, but its connector cannot make them for this table",
        ),
        ({"async": "false"}, {"can_block": False}, "its connector makes only asynchronous ones for this table"),
        ({"async": "false", "timeout": "1 s"}, {}, "'timeout' is for asynchronous requests"),
        ({"timeout": "0 s"}, {}, "'timeout' must be longer than 0"),
        ({"max-concurrent-operations": "0"}, {}, "must be at least 1"),
    ],
)
def test_what_the_provider_cannot_do_is_refused(config: dict[str, str], can: dict[str, bool], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        function(config, **can)
