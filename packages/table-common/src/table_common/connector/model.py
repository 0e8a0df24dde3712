"""The SPI of models: what a provider gives to ML_PREDICT.

One walk of data: ``ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(text))`` finds the model in its catalog and the factory of its ``provider``, which makes a
``ModelProvider`` while the statement is planned. The plan has the UNNEST of a call of a table function (``PredictFunction`` inside) over the column
``text``. The provider is pickled into the tasks of either engine; there it makes the function, which is opened once. Each record batch of the
column gives a record batch of the model's OUTPUT columns, which stand behind those of ``t``. An asynchronous function gets slices of the batch,
many of them at once. Arrow data has a structural type, so this module needs no pyarrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from table_common.annotation import override
from table_common.connector.arrow_array import SupportsArrowArray
from table_common.frozen_dataclass import dataclass
from table_common.functions import AsyncTableFunction, FunctionContext, TableFunction
from table_common.inference import ArgumentTypeStrategy, TypeInference, any_type, explicit, sig
from table_common.types import RowType

if TYPE_CHECKING:
    import asyncio

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Predictions:
    """Rows of a model that are not one for each row of its input: ``counts`` says how many of ``rows`` each row of the input has.

    Example:
        >>> import pyarrow
        >>> Predictions(pyarrow.record_batch({"label": ["a", "b"]}), counts=(2, 0)).counts
        (2, 0)
    """

    rows: SupportsArrowArray
    counts: Sequence[int]


class PredictFunction(ABC):
    """Runs a model over batches of rows; one instance is used by one thread at a time.

    Source: Flink's ``org.apache.flink.table.functions.PredictFunction``.

    Example:
        >>> class Upper(PredictFunction):
        ...     def predict(self, batch):
        ...         import pyarrow.compute as pc
        ...         import pyarrow
        ...         return pyarrow.record_batch({"upper": pc.utf8_upper(batch.column(0))})
        >>> import pyarrow
        >>> Upper().predict(pyarrow.record_batch({"text": ["a"]})).column(0).to_pylist()
        ['A']
    """

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Prepares for calls; called once in each task, before the first call."""

    def close(self) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Releases resources; called after the last call."""

    @abstractmethod
    def predict(self, batch: Any) -> SupportsArrowArray | Predictions:
        """Returns a record batch of the OUTPUT columns, in their order, for a ``pyarrow.RecordBatch`` of the INPUT columns."""


class AsyncPredictFunction(ABC):
    """Runs a model over slices of batches, many at once; all calls run in one event loop.

    Source: Flink's ``org.apache.flink.table.functions.AsyncPredictFunction``.

    Example:
        >>> class Echo(AsyncPredictFunction):
        ...     async def predict(self, batch):
        ...         return batch
        >>> Echo().batch_size
        1
    """

    batch_size: int = 1
    """The maximal number of rows of a call."""

    async def open(self, context: FunctionContext) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Prepares for calls; called once in each task, in the loop of the calls."""

    async def close(self) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Releases resources; called after the last call, in the loop of the calls."""

    @abstractmethod
    async def predict(self, batch: Any) -> SupportsArrowArray | Predictions:
        """Returns a record batch of the OUTPUT columns, in their order, for a ``pyarrow.RecordBatch`` of the INPUT columns."""


class ModelProvider(ABC):  # noqa: B024  # as in Flink, its subclasses say what it can do
    """What runs a model; it can be pickled. A provider is a ``PredictRuntimeProvider``, an ``AsyncPredictRuntimeProvider``, or both.

    Source: Flink's ``org.apache.flink.table.ml.ModelProvider``.

    Example:
        >>> issubclass(PredictRuntimeProvider, ModelProvider), issubclass(AsyncPredictRuntimeProvider, ModelProvider)
        (True, True)
    """


class PredictRuntimeProvider(ModelProvider):
    """A provider that computes one batch after the other.

    Source: Flink's ``org.apache.flink.table.ml.PredictRuntimeProvider``.

    Example:
        >>> class UpperProvider(PredictRuntimeProvider):
        ...     def create_predict_function(self):
        ...         return Upper()
        >>> issubclass(UpperProvider, ModelProvider)
        True
    """

    @abstractmethod
    def create_predict_function(self) -> PredictFunction:
        """Returns a function that is not open; called in each task."""


class AsyncPredictRuntimeProvider(ModelProvider):
    """A provider that waits for many answers at once, such as those of a server.

    Source: Flink's ``org.apache.flink.table.ml.AsyncPredictRuntimeProvider``.

    Example:
        >>> class EchoProvider(AsyncPredictRuntimeProvider):
        ...     def create_async_predict_function(self):
        ...         return Echo()
        >>> issubclass(EchoProvider, ModelProvider)
        True
    """

    @abstractmethod
    def create_async_predict_function(self) -> AsyncPredictFunction:
        """Returns a function that is not open; called in each task."""


@dataclass(frozen=True, slots=True)
class PredictCall:
    """What a call of ML_PREDICT says: the parts of the model's name, its columns, and the options of the call as they are written.

    Example:
        >>> PredictCall(("m",), RowType.of([]), RowType.of([]), (("async", "true"),)).config
        (('async', 'true'),)
    """

    model: tuple[str, ...]
    inputs: RowType
    outputs: RowType
    config: tuple[tuple[str, str], ...] = ()


class BatchCall(Protocol):
    """A call over batches: ``PredictCall``, or that of a vector search."""

    @property
    def inputs(self) -> RowType:
        """The columns of the batch."""

    @property
    def outputs(self) -> RowType:
        """The columns of the rows that the call gives."""


class PredictTableFunction(TableFunction[Any]):
    """The table function that a plan has for ML_PREDICT and VECTOR_SEARCH. Engines call ``predict_batch``, never ``eval``.

    Example:
        >>> PredictTableFunction(PredictCall(("m",), RowType.of([]), RowType.of([])), None).is_deterministic()
        False
    """

    func_type = "arrow"

    def __init__(self, call: BatchCall, provider: PredictRuntimeProvider) -> None:
        self.prediction = call
        self.provider = provider
        self._function: PredictFunction | None = None

    @override
    def open(self, function_context: FunctionContext) -> None:
        self._function = self.provider.create_predict_function()
        self._function.open(function_context)

    @override
    def close(self) -> None:
        if self._function is not None:
            self._function.close()

    @override
    def is_deterministic(self) -> bool:
        return False

    @override
    def get_type_inference(self) -> TypeInference:
        return _inference(self.prediction)

    @override
    def eval(self, *args: Any) -> Any:
        raise NotImplementedError

    def predict_batch(self, batch: Any) -> SupportsArrowArray | Predictions:
        """Returns what the model returns for a batch."""
        assert self._function is not None
        return self._function.predict(batch)


class AsyncPredictTableFunction(AsyncTableFunction[Any]):
    """As ``PredictTableFunction``, for an asynchronous model: ``run`` runs coroutines in the loop in which the function is opened.

    Example:
        >>> call = PredictCall(("m",), RowType.of([]), RowType.of([]))
        >>> AsyncPredictTableFunction(call, None, 10, timedelta(seconds=5)).capacity
        10
    """

    def __init__(self, call: BatchCall, provider: AsyncPredictRuntimeProvider, capacity: int, timeout: timedelta) -> None:
        self.prediction = call
        self.provider = provider
        self.capacity = capacity
        self.timeout = timeout
        self._loop: asyncio.AbstractEventLoop | None = None
        self._function: AsyncPredictFunction | None = None

    @property
    def batch_size(self) -> int:
        """The maximal number of rows of a call."""
        assert self._function is not None
        return max(1, self._function.batch_size)

    @override
    def open(self, function_context: FunctionContext) -> None:
        import asyncio  # few functions need it

        self._loop = asyncio.new_event_loop()
        self._function = self.provider.create_async_predict_function()
        self.run(self._function.open(function_context))

    @override
    def close(self) -> None:
        import asyncio  # few functions need it
        from threading import Thread

        loop, function = self._loop, self._function
        if loop is None or function is None:
            return

        def finish() -> None:
            try:
                loop.run_until_complete(function.close())
            finally:
                loop.close()

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            finish()
        else:
            # The garbage collector closes it within a coroutine of another function, which may hold a lock, as of an import, that this one needs.
            Thread(target=finish, name="model", daemon=True).start()

    @override
    def is_deterministic(self) -> bool:
        return False

    @override
    def get_type_inference(self) -> TypeInference:
        return _inference(self.prediction)

    @override
    async def eval(self, *args: Any) -> Any:
        raise NotImplementedError

    async def predict_batch(self, batch: Any) -> SupportsArrowArray | Predictions:
        """Returns what the model returns for a slice of a batch."""
        assert self._function is not None
        return await self._function.predict(batch)

    def run(self, work: Awaitable[_T]) -> _T:
        """Returns the result of a coroutine, which runs in the loop of this function.

        Raises:
            BaseException: what the coroutine raises.
        """
        import asyncio  # few functions need it
        from threading import Thread

        loop = self._loop
        assert loop is not None

        async def awaited() -> _T:
            return await work

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return loop.run_until_complete(awaited())
        results: list[_T] = []
        errors: list[BaseException] = []

        def in_thread() -> None:
            try:
                results.append(loop.run_until_complete(awaited()))
            except BaseException as error:
                errors.append(error)

        thread = Thread(target=in_thread, name="model")
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
        return results[0]


def _inference(call: BatchCall) -> TypeInference:
    arguments: list[ArgumentTypeStrategy] = [any_type() for _ in call.inputs.fields]
    return TypeInference(sig(*arguments), explicit(call.outputs))
