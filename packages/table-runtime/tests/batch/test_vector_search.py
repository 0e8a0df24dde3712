"""Comparing vectors with all rows of a table: against a comparison one by one, and what is wrong with vectors."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.connector import ArrowScanProvider, VectorSearchCall
from table_common.exceptions import TableRuntimeException
from table_common.types import ArrayType, DoubleType, FloatType, IntType, RowType
from table_runtime.batch import vector_search
from table_runtime.batch.vector_search import VectorComparison, vector_comparison

TABLE = [("id", IntType()), ("e", ArrayType(FloatType()))]


class Given(ArrowScanProvider):
    def __init__(self, vectors: list[Any]) -> None:
        self.vectors = vectors

    def splits(self) -> list[Any]:
        return [0, 1]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        schema = to_arrow_schema(RowType.of(TABLE, nullable=False))
        half = len(self.vectors) // 2
        ids = list(range(half) if split == 0 else range(half, len(self.vectors)))
        yield pa.record_batch([ids, [self.vectors[i] for i in ids]], schema=schema)


def found(vectors: list[Any], queries: list[Any], top_k: int = 2, metric: str = "COSINE") -> list[list[tuple[int, float]]]:
    call = VectorSearchCall(("c", "d", "v"), "e", top_k, RowType.of([]), RowType.of([*TABLE, ("score", DoubleType())], nullable=False))
    provider = vector_comparison(Given(vectors), call, metric)
    assert isinstance(provider, VectorComparison)
    function = pickle.loads(pickle.dumps(provider)).create_vector_search_function()
    predictions = function.vector_search(top_k, pa.array(queries, pa.list_(pa.float32())))
    rows = iter(predictions.rows.to_pylist())
    return [[(row["id"], row["score"]) for _, row in zip(range(count), rows, strict=False)] for count in predictions.counts]


def near(one: list[float], other: list[float], metric: str) -> float:
    product = math.fsum(a * b for a, b in zip(one, other, strict=True))
    if metric == "L2":
        return math.dist(one, other)
    return product / math.hypot(*one) / math.hypot(*other) if metric == "COSINE" else product


@pytest.mark.parametrize("metric", ["COSINE", "L2", "INNER_PRODUCT"])
def test_the_nearest_rows_are_those_of_a_comparison_one_by_one(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "_BLOCK", 7)
    draw = random.Random(5)
    vectors: list[Any] = [[float(draw.randint(-3, 3)) for _ in range(3)] for _ in range(200)]
    vectors = [vector if any(vector) else None for vector in vectors]
    queries = [[float(draw.randint(1, 3)) for _ in range(3)] for _ in range(50)]
    results = found(vectors, queries, 5, metric)
    for query, result in zip(queries, results, strict=True):
        scores = [(near(query, vector, metric), i) for i, vector in enumerate(vectors) if vector is not None]
        expected = sorted(scores, key=lambda one: (round(one[0] if metric == "L2" else -one[0], 9), one[1]))[:5]
        assert [score for _, score in result] == pytest.approx([score for score, _ in expected])
        if metric != "COSINE":  # scores of whole numbers are exact, so that ties are in the order of the rows
            assert [i for i, _ in result] == [i for _, i in expected]


def test_batches_do_not_change_what_is_found() -> None:
    draw = random.Random(6)
    vectors = [[draw.random() for _ in range(20)] for _ in range(100)] * 3
    queries = [[draw.random() for _ in range(20)] for _ in range(40)]
    assert found(vectors, queries, 4) == [found(vectors, [query], 4)[0] for query in queries]


def test_null_is_near_to_nothing_and_a_small_table_gives_all_its_rows() -> None:
    assert found([[1.0, 0.0], None, [0.0, 2.0]], [None, [3.0, 0.0]], 9) == [[], [(0, 1.0), (2, 0.0)]]
    assert found([], [[1.0], None]) == [[], []]
    assert found([[1.0]], []) == []


@pytest.mark.parametrize(
    ("vectors", "query", "metric", "message"),
    [
        (
            [[1.0, 2.0], [3.0]],
            [1.0, 2.0],
            "COSINE",
            "column 'e' of table c.d.v, the argument 'column_to_search', has 1 numbers in vector 2, but vector 1",
        ),
        ([[1.0, 2.0]], [1.0], "COSINE", "the argument 'column_to_query' has 1 numbers in vector 1, but column 'e' of table c.d.v has 2"),
        ([[1.0, None]], [1.0, 2.0], "L2", "'column_to_search', has NULL in vector 1"),
        ([[1.0, 2.0]], [1.0, None], "L2", "'column_to_query' has NULL in vector 1"),
        ([[1.0, 2.0]], [1.0, math.nan], "L2", "'column_to_query' has NaN or an infinite number in vector 1"),
        ([[1.0, 2.0], [0.0, 0.0]], [1.0, 2.0], "COSINE", "'column_to_search', has zeros only in vector 2, whose cosine is not defined"),
        ([[1.0, 2.0]], [0.0, 0.0], "COSINE", "'column_to_query' has zeros only in vector 1, whose cosine is not defined"),
    ],
)
def test_what_is_wrong_with_a_vector_is_said(vectors: list[Any], query: list[Any], metric: str, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        found(vectors, [query], 1, metric)


def test_zeros_have_a_distance() -> None:
    assert found([[3.0, 4.0]], [[0.0, 0.0]], 1, "L2") == [[(0, 5.0)]]


def test_rows_far_from_the_origin_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "_BLOCK", 64)
    vectors = [[2.0**33, float(i)] for i in random.Random(7).sample(range(1000), 1000)]
    for wanted in (3, 500, 997):
        nearest = found(vectors, [[2.0**33, float(wanted)]], 3, "L2")[0]
        assert [vectors[i][1] for i, _ in nearest] == [wanted, *sorted((wanted - 1, wanted + 1), key=[v[1] for v in vectors].index)]


@pytest.mark.parametrize("metric", ["COSINE", "L2", "INNER_PRODUCT"])
def test_of_many_equal_rows_the_first_are_found(metric: str) -> None:
    vectors = [[0.1, 0.7, 0.3]] * 300 + [[0.7, 0.1, 0.2]] * 300
    assert [i for i, _ in found(vectors, [[0.3, 0.9, 0.1]], 4, metric)[0]] == [0, 1, 2, 3]
