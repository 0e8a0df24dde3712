"""VECTOR_SEARCH over a table without an index: each vector is compared with all rows, which a task reads once, before its first search.

Candidates come from products of blocks of matrices; their scores are then computed one by one, so that they do not depend on the batches. Where the rounding of
the products may have left out a nearer row, or the first of several equal ones, all scores are computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_schema, to_arrow_type
from table_common.connector import (
    ArrowScanProvider,
    FileScanProvider,
    InProcessScanProvider,
    Predictions,
    ScanTableSource,
    VectorSearchCall,
    VectorSearchFunction,
    VectorSearchFunctionProvider,
)
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.batch.lookup_join.reading import read_all

_BLOCK = 8192
_CELLS = 1 << 22
_SPARE = 16
"""Candidates beyond those asked for: products of matrices round differently from the scores, in the last digits."""
_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Indexes = np.ndarray[Any, np.dtype[np.int64]]


def vector_comparison(
    scan: ScanTableSource.ScanRuntimeProvider, call: VectorSearchCall, metric: str
) -> VectorSearchFunctionProvider | None:
    """Returns what compares vectors with the rows of a scan; None if a task cannot read it."""
    return VectorComparison(scan, call, metric) if isinstance(scan, ArrowScanProvider | FileScanProvider) else None


class VectorComparison(VectorSearchFunctionProvider):
    """Makes the functions that compare vectors with the rows of a scan. Rows of this process are pickled with it."""

    def __init__(self, scan: ScanTableSource.ScanRuntimeProvider, call: VectorSearchCall, metric: str) -> None:
        self.scan: ScanTableSource.ScanRuntimeProvider | None = scan
        self.call = call
        self.metric = metric
        self.rows: pa.Table | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if isinstance(self.scan, InProcessScanProvider):
            state["scan"], state["rows"] = None, self.read()
        return state

    def read(self) -> pa.Table:
        """Returns the rows of the table."""
        if self.rows is not None:
            return self.rows
        assert self.scan is not None
        row_type = RowType(self.call.outputs.fields[:-1], nullable=False)
        return pa.Table.from_batches(read_all(self.scan, row_type, ".".join(self.call.table)), to_arrow_schema(row_type))

    @override
    def create_vector_search_function(self) -> VectorSearchFunction:
        return _Comparison(self)


class _Comparison(VectorSearchFunction):
    def __init__(self, provider: VectorComparison) -> None:
        self._provider = provider
        self._index: _Index | None = None

    @override
    def vector_search(self, top_k: int, vectors: Any) -> Predictions:
        if self._index is None:
            self._index = _Index(self._provider)
        return self._index.search(top_k, vectors)

    @override
    def close(self) -> None:
        self._index = None


class _Index:
    """The rows of a table, and their vectors as a matrix."""

    def __init__(self, provider: VectorComparison) -> None:
        call = provider.call
        self._call, self._metric = call, provider.metric
        rows = provider.read()
        position = rows.schema.get_field_index(call.column)
        table = ".".join(call.table)
        self._name = f"VECTOR_SEARCH: column '{call.column}' of table {table}, the argument 'column_to_search',"
        self._query_name = "VECTOR_SEARCH: the argument 'column_to_query'"
        vectors = rows.column(position).combine_chunks()
        if vectors.null_count:
            rows = rows.filter(vectors.is_valid())  # a row without a vector is near to none
            vectors = vectors.drop_null()
        self._rows = rows.combine_chunks()
        self._width = len(vectors[0]) if len(vectors) else 0
        self._vectors = _matrix(vectors, self._width, self._name, f"vector 1 has {self._width}")
        self._lengths = _lengths(self._vectors)
        if self._metric == "COSINE":
            _refuse_zero(self._lengths, self._name)
        self._score_type = to_arrow_type(call.outputs.fields[-1].type)

    def search(self, top_k: int, vectors: pa.Array) -> Predictions:
        valid = np.asarray(vectors.is_valid())
        there = vectors.drop_null() if vectors.null_count else vectors
        count = min(top_k, len(self._vectors)) if len(there) else 0
        counts = np.where(valid, count, 0)
        if count == 0:
            found, scores = np.zeros(0, np.int64), np.zeros(0)
        else:
            expected = f"column '{self._call.column}' of table {'.'.join(self._call.table)} has {self._width}"
            queries = _matrix(there, self._width, self._query_name, expected).astype(np.float64, copy=False)
            if self._metric == "COSINE":
                _refuse_zero(_lengths(queries), self._query_name)
            size = max(1, min(_CELLS // _BLOCK, _CELLS // ((count + _SPARE) * max(1, self._width))))
            parts = [self._nearest(queries[start : start + size], count) for start in range(0, len(queries), size)]
            found, scores = (np.concatenate([part[side] for part in parts]).ravel() for side in (0, 1))
        rows = self._rows.take(pa.array(found))
        columns = [column.combine_chunks() if column.num_chunks != 1 else column.chunk(0) for column in rows.columns]
        names = list(self._call.outputs.field_names)
        batch = pa.RecordBatch.from_arrays([*columns, pa.array(scores, self._score_type)], names=names)
        return Predictions(batch, counts.tolist())

    def _nearest(self, queries: _Floats, count: int) -> tuple[_Indexes, _Floats]:
        """Returns the rows nearest to each vector, nearest first and of equal ones the first, and their scores."""
        wanted = min(count + _SPARE, len(self._vectors))
        best = np.empty((len(queries), 0))
        rows = np.empty((len(queries), 0), np.int64)
        for start in range(0, len(self._vectors), _BLOCK):
            block = self._vectors[start : start + _BLOCK].astype(np.float64, copy=False)
            products = queries @ block.T
            lengths = self._lengths[start : start + _BLOCK]
            if self._metric == "COSINE":
                products /= lengths
            elif self._metric == "L2":
                products = 2 * products - lengths**2
            numbers = np.broadcast_to(np.arange(start, start + len(block)), products.shape)
            best, rows = np.hstack([best, products]), np.hstack([rows, numbers])
            if best.shape[1] > wanted:
                kept = np.argpartition(-best, wanted - 1, axis=1)[:, :wanted]
                best, rows = np.take_along_axis(best, kept, 1), np.take_along_axis(rows, kept, 1)
        left_out = best.min(axis=1) if wanted < len(self._vectors) else np.full(len(queries), -np.inf)
        rows.sort(axis=1)
        scores = self._scores(queries, rows)
        order = np.argsort(scores if self._metric == "L2" else -scores, axis=1, kind="stable")[:, :count]
        found, scores = np.take_along_axis(rows, order, 1), np.take_along_axis(scores, order, 1)
        for query in np.flatnonzero(self._may_be_wrong(queries, scores[:, -1], left_out)):
            found[query], scores[query] = self._nearest_of_all(queries[query : query + 1], count)
        return found, scores

    def _may_be_wrong(self, queries: _Floats, last: _Floats, left_out: _Floats) -> Any:
        """Whether the rounding of the products is more than what lies between the last score that was found and the best product that was left out."""
        lengths, longest = _lengths(queries), float(self._lengths.max())
        if self._metric == "L2":
            products, size = lengths**2 - last**2, (lengths + longest) ** 2
        elif self._metric == "COSINE":
            products, size = last * lengths, lengths
        else:
            products, size = last, lengths * longest
        return products - 4 * (self._width + 8) * np.finfo(np.float64).eps * size <= left_out

    def _nearest_of_all(self, query: _Floats, count: int) -> tuple[_Indexes, _Floats]:
        """Returns the rows nearest to one vector and their scores, of which all are computed."""
        numbers = np.arange(len(self._vectors))
        parts = [self._scores(query, numbers[None, start : start + _BLOCK])[0] for start in range(0, len(numbers), _BLOCK)]
        scores = np.concatenate(parts)
        rows = np.argsort(scores if self._metric == "L2" else -scores, kind="stable")[:count]
        return rows, scores[rows]

    def _scores(self, queries: _Floats, rows: _Indexes) -> _Floats:
        vectors = self._vectors[rows].astype(np.float64, copy=False)
        if self._metric == "L2":
            distances: _Floats = np.sqrt(((vectors - queries[:, None, :]) ** 2).sum(axis=2))
            return distances
        products: _Floats = (vectors * queries[:, None, :]).sum(axis=2)
        if self._metric == "COSINE":
            products = np.clip(products / (self._lengths[rows] * _lengths(queries)[:, None]), -1.0, 1.0)
        return products


def _matrix(vectors: pa.Array, width: int, name: str, expected: str) -> np.ndarray[Any, Any]:
    """Returns vectors as the rows of a matrix."""
    lengths = np.asarray(vectors.value_lengths())
    other = np.flatnonzero(lengths != width)
    if len(other):
        raise TableRuntimeException(
            f"{name} has {lengths[other[0]]} numbers in vector {other[0] + 1}, but {expected}.",
            hint="all vectors of a search must have the same length",
        )
    values = vectors.flatten()
    if values.null_count:
        _refuse(name, width, values.is_null(), "NULL")
    numbers = values.to_numpy(zero_copy_only=False)
    _refuse(name, width, ~np.isfinite(numbers), "NaN or an infinite number")
    matrix: np.ndarray[Any, Any] = numbers.reshape(len(vectors), width)
    return matrix


def _refuse(name: str, width: int, wrong: Any, what: str) -> None:
    places = np.flatnonzero(wrong)
    if len(places):
        raise TableRuntimeException(
            f"{name} has {what} in vector {places[0] // width + 1}.", hint="filter these rows: a NULL instead of the vector is accepted"
        )


def _refuse_zero(lengths: _Floats, name: str) -> None:
    places = np.flatnonzero(lengths == 0)
    if len(places):
        raise TableRuntimeException(
            f"{name} has zeros only in vector {places[0] + 1}, whose cosine is not defined.",
            hint="CONFIG => MAP['metric', 'l2'], or NULL instead of the vector",
        )


def _lengths(vectors: np.ndarray[Any, Any]) -> _Floats:
    lengths: _Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return lengths
