"""The provider ``python``: any callable or class over Arrow columns as a model.

``'callable' = 'package.module:name'`` is called with one ``pyarrow.Array`` for each column of INPUT. A class is instantiated once in each task, with
``options`` if it has this parameter, and the object is called. It returns a column, a tuple of columns, a dict of columns, a record batch, or
``Predictions``. ``async def`` makes the model asynchronous: its calls have ``batch-size`` rows each, and many run at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import (
    AsyncPredictFunction,
    AsyncPredictRuntimeProvider,
    ModelProvider,
    PredictFunction,
    Predictions,
    PredictRuntimeProvider,
)
from table_common.exceptions import ValidationException
from table_common.factories import ModelProviderFactory
from table_common.functions import FunctionContext
from table_runtime.connectors.python.references import find_object

CALLABLE = (
    ConfigOptions.key("callable")
    .string_type()
    .no_default_value()
    .with_description("The callable or class that predicts: 'package.module:name', or a name of register_callable.")
)
BATCH_SIZE = (
    ConfigOptions.key("batch-size")
    .int_type()
    .default_value(1)
    .with_description("The maximal number of rows of a call, for a callable that is a coroutine.")
)
OPTIONS_PREFIX = "options."
"""Prefix of the keys that are passed to a class in its argument ``options``."""


class PythonModelProviderFactory(ModelProviderFactory):
    """Makes models of Python objects."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "python"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (CALLABLE,)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (BATCH_SIZE,)

    @override
    def create_model_provider(self, context: ModelProviderFactory.Context) -> ModelProvider:
        config = self.validated_options(context, (OPTIONS_PREFIX,))
        where = f"The option 'callable' of {context.where}"
        name = config.get(CALLABLE) or ""
        target = find_object(name, where)
        if not callable(target):
            raise ValidationException(f"{where}: '{name}' is {type(target).__name__}, which cannot be called.")
        options = context.catalog_model.options
        given = {key.removeprefix(OPTIONS_PREFIX): value for key, value in options.items() if key.startswith(OPTIONS_PREFIX)}
        if given and not _takes_options(target):
            keys = ", ".join(f"'{OPTIONS_PREFIX}{key}'" for key in sorted(given))
            raise ValidationException(
                f"{where}: '{name}' takes no options, but the model has {keys}.",
                hint="Use a class whose __init__ has a parameter 'options', a dict of strings.",
            )
        names = tuple(context.catalog_model.output_schema.column_names)
        if not _is_coroutine(target):
            if BATCH_SIZE.key in options:
                raise ValidationException(
                    f"The option 'batch-size' of {context.where} is for coroutines; '{name}' gets whole batches.", hint="leave it out"
                )
            return _Provider(target, given, names)
        size = config.get(BATCH_SIZE) or 0
        if size < 1:
            raise ValidationException(f"The option 'batch-size' of {context.where} is {size}, but must be at least 1.")
        return _AsyncProvider(target, given, names, size)


def _takes_options(target: Any) -> bool:
    return isinstance(target, type) and "options" in inspect.signature(target).parameters


def _is_coroutine(target: Any) -> bool:
    called = getattr(target, "__call__", target) if isinstance(target, type) or not inspect.isroutine(target) else target  # noqa: B004
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(called)


def _made(target: Any, options: Mapping[str, str]) -> Any:
    if not isinstance(target, type):
        return target
    return target(options=dict(options)) if _takes_options(target) else target()


def _rows(result: Any, names: tuple[str, ...]) -> Any:
    if isinstance(result, (Predictions, pa.RecordBatch, pa.Table)):
        return result
    if isinstance(result, dict):
        missing = [name for name in names if name not in result]
        if missing or len(result) != len(names):
            raise ValidationException(
                f"The callable returned the columns {', '.join(map(str, result)) or 'none'}, but OUTPUT declares {', '.join(names)}."
            )
        columns = [result[name] for name in names]
    elif isinstance(result, tuple):
        columns = list(result)
        if len(columns) != len(names):
            raise ValidationException(f"The callable returned {len(columns)} columns, but OUTPUT declares {', '.join(names)}.")
    elif len(names) == 1:
        columns = [result]
    else:
        raise ValidationException(
            f"The callable returned {type(result).__name__}, but OUTPUT declares the columns {', '.join(names)}.",
            hint="Return a tuple of columns, a dict of columns, or a pyarrow.RecordBatch.",
        )
    return pa.RecordBatch.from_arrays([_column(column) for column in columns], names=list(names))


def _column(value: Any) -> pa.Array:
    if isinstance(value, pa.ChunkedArray):
        return value.combine_chunks()
    if isinstance(value, pa.Array):
        return value
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes)):
        raise ValidationException(
            f"The callable returned {type(value).__name__} as a column.", hint="Return a pyarrow.Array, a numpy array or a list."
        )
    return pa.array(value, from_pandas=True)


class _Function(PredictFunction):
    def __init__(self, provider: _Provider) -> None:
        self._provider = provider
        self._target: Any = None

    @override
    def open(self, context: FunctionContext) -> None:
        self._target = _made(self._provider.target, self._provider.options)

    @override
    def predict(self, batch: Any) -> Any:
        return _rows(self._target(*batch.columns), self._provider.names)

    @override
    def close(self) -> None:
        if isinstance(self._provider.target, type) and callable(getattr(self._target, "close", None)):
            self._target.close()


class _AsyncFunction(AsyncPredictFunction):
    def __init__(self, provider: _AsyncProvider) -> None:
        self._provider = provider
        self._target: Any = None
        self.batch_size = provider.size

    @override
    async def open(self, context: FunctionContext) -> None:
        self._target = _made(self._provider.target, self._provider.options)

    @override
    async def predict(self, batch: Any) -> Any:
        return _rows(await self._target(*batch.columns), self._provider.names)

    @override
    async def close(self) -> None:
        if isinstance(self._provider.target, type) and callable(getattr(self._target, "close", None)):
            closed = self._target.close()
            if inspect.isawaitable(closed):
                await closed


class _Provider(PredictRuntimeProvider):
    def __init__(self, target: Any, options: Mapping[str, str], names: tuple[str, ...]) -> None:
        self.target, self.options, self.names = target, options, names

    @override
    def create_predict_function(self) -> PredictFunction:
        return _Function(self)


class _AsyncProvider(AsyncPredictRuntimeProvider):
    def __init__(self, target: Any, options: Mapping[str, str], names: tuple[str, ...], size: int) -> None:
        self.target, self.options, self.names, self.size = target, options, names, size

    @override
    def create_async_predict_function(self) -> AsyncPredictFunction:
        return _AsyncFunction(self)
