"""The provider ``python``: which objects are models, and what they return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedSchema
from table_common.connector import AsyncPredictRuntimeProvider, PredictRuntimeProvider
from table_common.exceptions import ValidationException
from table_common.factories import ModelProviderFactory
from table_common.functions import FunctionContext
from table_common.types import IntType
from table_runtime.connectors.python import register_callable, unregister_callable
from table_runtime.connectors.python.models import PythonModelProviderFactory


class Plus:
    def __init__(self, options: dict[str, str]) -> None:
        self.number = int(options["number"])

    def __call__(self, column: Any) -> list[int]:
        return [value + self.number for value in column.to_pylist()]


async def later(column: Any) -> Any:
    return column


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    objects = {"plus": Plus, "later": later, "same": lambda column: column, "seven": 7}
    for name, target in objects.items():
        register_callable(name, target)
    yield
    for name in objects:
        unregister_callable(name)


def provider(outputs: tuple[str, ...] = ("n",), **options: str) -> Any:
    inputs, columns = ResolvedSchema.physical([("a", IntType())]), ResolvedSchema.physical([(name, IntType()) for name in outputs])
    given = {"provider": "python", **{key.replace("_", "-").replace("--", "."): value for key, value in options.items()}}
    context = ModelProviderFactory.Context(ObjectIdentifier("c", "d", "m"), CatalogModel(inputs, columns, given))
    return PythonModelProviderFactory().create_model_provider(context)


def test_a_class_is_made_with_its_options() -> None:
    found = provider(callable="plus", options__number="5")
    assert isinstance(found, PredictRuntimeProvider)
    function = found.create_predict_function()
    function.open(FunctionContext())
    result: Any = function.predict(pa.record_batch({"a": [1, 2]}))
    assert result.to_pydict() == {"n": [6, 7]}
    function.close()


def test_a_coroutine_is_asynchronous() -> None:
    found = provider(callable="later", batch_size="3")
    assert isinstance(found, AsyncPredictRuntimeProvider)
    assert found.create_async_predict_function().batch_size == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "missing: callable"),
        ({"callable": "sevn"}, "Did you mean 'seven'"),
        ({"callable": "seven"}, "'seven' is int, which cannot be called"),
        ({"callable": "same", "options__x": "1"}, "'same' takes no options, but the model has 'options.x'"),
        ({"callable": "same", "batch_size": "2"}, "'batch-size' of model c.d.m is for coroutines"),
        ({"callable": "later", "batch_size": "0"}, "'batch-size' of model c.d.m is 0"),
        ({"callable": "same", "calable": "x"}, r"unknown: 'calable' \(did you mean 'callable'\?\)"),
    ],
)
def test_what_is_wrong_with_the_options_is_said(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        provider(**options)


def test_several_columns_are_a_tuple_or_a_dict() -> None:
    for result in ((pa.array([1]), [2]), {"m": [2], "n": [1]}):
        register_callable("same", lambda column, result=result: result)
        function = provider(("n", "m"), callable="same").create_predict_function()
        function.open(FunctionContext())
        assert function.predict(pa.record_batch({"a": [1]})).to_pydict() == {"n": [1], "m": [2]}
    for wrong, message in (([1], "OUTPUT declares the columns n, m"), (([1],), "returned 1 columns"), ({"n": [1]}, "columns n, but")):
        register_callable("same", lambda column, result=wrong: result)
        function = provider(("n", "m"), callable="same").create_predict_function()
        function.open(FunctionContext())
        with pytest.raises(ValidationException, match=message):
            function.predict(pa.record_batch({"a": [1]}))
