"""Vector search sources: tables that find the rows whose vectors are nearest to a given one, for ``VECTOR_SEARCH``.

One walk of data: ``FROM q, LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), q.e, 10))`` creates the source of ``v`` while the statement is planned. If
it is a ``VectorSearchTableSource``, its provider makes the function; else the engine reads the table and compares all its vectors. As for models, the
plan has the UNNEST of a call of a table function over ``q.e``, and the provider is pickled into the tasks. Each batch of vectors gives the rows found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from table_common.annotation import override
from table_common.connector.model import (
    AsyncPredictFunction,
    AsyncPredictRuntimeProvider,
    PredictFunction,
    Predictions,
    PredictRuntimeProvider,
)
from table_common.connector.source.dynamic import DynamicTableSource
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType

if TYPE_CHECKING:
    from table_common.connector.arrow_array import SupportsArrowArray
    from table_common.functions import FunctionContext


class VectorSearchTableSource(DynamicTableSource):
    """A source that finds the rows nearest to a vector. It may be a ``ScanTableSource`` too.

    Source: Flink's ``org.apache.flink.table.connector.source.VectorSearchTableSource``.

    Example:
        >>> class Index(VectorSearchTableSource):
        ...     def get_search_runtime_provider(self, context):
        ...         return IndexProvider(context.search_positions[0])
        >>> class IndexProvider(VectorSearchFunctionProvider):
        ...     def __init__(self, column):
        ...         self.column = column
        ...     def create_vector_search_function(self):
        ...         raise NotImplementedError
        >>> Index().get_search_runtime_provider(VectorSearchTableSource.VectorSearchContext(((1,),))).column
        1
    """

    @dataclass(frozen=True, slots=True)
    class VectorSearchContext:
        """The context in which a source creates its provider of searches.

        ``search_columns`` are the columns of vectors, as paths of positions into the row that the source produces; there is one, of one step.
        ``runtime_config`` has the options of the call, as they are written.
        """

        search_columns: tuple[tuple[int, ...], ...]
        runtime_config: Mapping[str, str] = field(default_factory=dict, hash=False)

        @property
        def search_positions(self) -> tuple[int, ...]:
            """The positions of the columns of vectors in the produced row."""
            return tuple(path[0] for path in self.search_columns)

    class VectorSearchRuntimeProvider(ABC):  # noqa: B024  # as in Flink, its subclasses say what it can do
        """What searches; it can be pickled. A ``VectorSearchFunctionProvider``, an ``AsyncVectorSearchFunctionProvider``, or both."""

    @abstractmethod
    def get_search_runtime_provider(self, context: VectorSearchContext) -> VectorSearchRuntimeProvider:
        """Returns the provider of searches in the column of the context.

        Raises:
            ValidationException: the source does not support searches in this column, or an option of the call is wrong.
        """


class VectorSearchFunction(ABC):
    """Finds the rows nearest to vectors; one instance is used by one thread at a time.

    Source: Flink's ``org.apache.flink.table.functions.VectorSearchFunction``.

    Example:
        >>> class Last(VectorSearchFunction):
        ...     def vector_search(self, top_k, vectors):
        ...         import pyarrow
        ...         return Predictions(pyarrow.record_batch({"id": [7] * len(vectors), "score": [1.0] * len(vectors)}), [1] * len(vectors))
        >>> import pyarrow
        >>> Last().vector_search(3, pyarrow.array([[1.0, 0.0]])).counts
        [1]
    """

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Prepares for calls; called once in each task, before the first call."""

    def close(self) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Releases resources; called after the last call."""

    @abstractmethod
    def vector_search(self, top_k: int, vectors: Any) -> SupportsArrowArray | Predictions:
        """Returns the rows for a ``pyarrow.Array`` of vectors: the columns of the table, then the score; the nearest row first.

        At most ``top_k`` rows for each vector; a vector may be NULL.
        """


class AsyncVectorSearchFunction(ABC):
    """Finds the rows nearest to vectors, many at once; all calls run in one event loop.

    Source: Flink's ``org.apache.flink.table.functions.AsyncVectorSearchFunction``.

    Example:
        >>> class Nothing(AsyncVectorSearchFunction):
        ...     async def vector_search(self, top_k, vectors):
        ...         import pyarrow
        ...         return Predictions(pyarrow.record_batch({"id": [], "score": []}), [0] * len(vectors))
        >>> Nothing().batch_size
        1
    """

    batch_size: int = 1
    """The maximal number of vectors of a call."""

    async def open(self, context: FunctionContext) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Prepares for calls; called once in each task, in the loop of the calls."""

    async def close(self) -> None:  # noqa: B027  # as functions of users, it may have nothing to do
        """Releases resources; called after the last call, in the loop of the calls."""

    @abstractmethod
    async def vector_search(self, top_k: int, vectors: Any) -> SupportsArrowArray | Predictions:
        """Returns the rows for a slice of the vectors, as ``VectorSearchFunction.vector_search`` does."""


class VectorSearchFunctionProvider(VectorSearchTableSource.VectorSearchRuntimeProvider):
    """A provider that searches for one batch of vectors after the other.

    Source: Flink's ``org.apache.flink.table.connector.source.search.VectorSearchFunctionProvider``.

    Example:
        >>> class LastProvider(VectorSearchFunctionProvider):
        ...     def create_vector_search_function(self):
        ...         return Last()
        >>> issubclass(LastProvider, VectorSearchTableSource.VectorSearchRuntimeProvider)
        True
    """

    @abstractmethod
    def create_vector_search_function(self) -> VectorSearchFunction:
        """Returns a function that is not open; called in each task."""


class AsyncVectorSearchFunctionProvider(VectorSearchTableSource.VectorSearchRuntimeProvider):
    """A provider that waits for many answers at once, such as those of a server.

    Source: Flink's ``org.apache.flink.table.connector.source.search.AsyncVectorSearchFunctionProvider``.

    Example:
        >>> class NothingProvider(AsyncVectorSearchFunctionProvider):
        ...     def create_async_vector_search_function(self):
        ...         return Nothing()
        >>> issubclass(NothingProvider, VectorSearchTableSource.VectorSearchRuntimeProvider)
        True
    """

    @abstractmethod
    def create_async_vector_search_function(self) -> AsyncVectorSearchFunction:
        """Returns a function that is not open; called in each task."""


@dataclass(frozen=True, slots=True)
class VectorSearchCall:
    """What VECTOR_SEARCH searches: ``column`` of ``table``. ``inputs`` is the row of the vector, ``outputs`` the table's row with the score.

    Example:
        >>> VectorSearchCall(("v",), "e", 10, RowType.of([]), RowType.of([])).top_k
        10
    """

    table: tuple[str, ...]
    column: str
    top_k: int
    inputs: RowType
    outputs: RowType
    config: tuple[tuple[str, str], ...] = ()


class SearchRuntimeProvider(PredictRuntimeProvider):
    """Runs searches as the function of a call over batches.

    Example:
        >>> class Provider(VectorSearchFunctionProvider):
        ...     def create_vector_search_function(self):
        ...         raise NotImplementedError
        >>> SearchRuntimeProvider(Provider(), 3).top_k
        3
    """

    def __init__(self, provider: VectorSearchFunctionProvider, top_k: int) -> None:
        self.provider = provider
        self.top_k = top_k

    @override
    def create_predict_function(self) -> PredictFunction:
        return _Search(self.provider.create_vector_search_function(), self.top_k)


class AsyncSearchRuntimeProvider(AsyncPredictRuntimeProvider):
    """Runs asynchronous searches as the function of a call over batches.

    Example:
        >>> class Provider(AsyncVectorSearchFunctionProvider):
        ...     def create_async_vector_search_function(self):
        ...         raise NotImplementedError
        >>> AsyncSearchRuntimeProvider(Provider(), 3).top_k
        3
    """

    def __init__(self, provider: AsyncVectorSearchFunctionProvider, top_k: int) -> None:
        self.provider = provider
        self.top_k = top_k

    @override
    def create_async_predict_function(self) -> AsyncPredictFunction:
        return _AsyncSearch(self.provider.create_async_vector_search_function(), self.top_k)


class _Search(PredictFunction):
    def __init__(self, function: VectorSearchFunction, top_k: int) -> None:
        self._function, self._top_k = function, top_k

    @override
    def open(self, context: FunctionContext) -> None:
        self._function.open(context)

    @override
    def close(self) -> None:
        self._function.close()

    @override
    def predict(self, batch: Any) -> SupportsArrowArray | Predictions:
        return self._function.vector_search(self._top_k, batch.column(0))


class _AsyncSearch(AsyncPredictFunction):
    def __init__(self, function: AsyncVectorSearchFunction, top_k: int) -> None:
        self._function, self._top_k = function, top_k
        self.batch_size = function.batch_size

    @override
    async def open(self, context: FunctionContext) -> None:
        await self._function.open(context)

    @override
    async def close(self) -> None:
        await self._function.close()

    @override
    async def predict(self, batch: Any) -> SupportsArrowArray | Predictions:
        return await self._function.vector_search(self._top_k, batch.column(0))
