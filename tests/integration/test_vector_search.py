"""VECTOR_SEARCH on both engines, in both modes: Flink's programs, outer joins, sources that search themselves, and errors while rows are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector import (
    AsyncVectorSearchFunction,
    AsyncVectorSearchFunctionProvider,
    Predictions,
    VectorSearchFunction,
    VectorSearchFunctionProvider,
    VectorSearchTableSource,
)
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.module import Module

QUERIES: list[dict[str, Any]] = [
    {"id": 1, "content": "Spark", "vector": [5.0, 12.0, 13.0]},
    {"id": 2, "content": "Flink", "vector": [-5.0, -12.0, -13.0]},
]
VECTORS: list[dict[str, Any]] = [
    {"label": "Batch", "vector": [5.0, 12.0, 13.0]},
    {"label": "Streaming", "vector": [-5.0, -12.0, -13.0]},
    {"label": "Big Data", "vector": [1.0, 1.0, 0.0]},
]
PROGRAMS = {
    "sync-vector-search": "TABLE v, DESCRIPTOR(vector), src_t.vector, 2",
    "async-vector-search": "TABLE v, DESCRIPTOR(vector), src_t.vector, 2",
    "vector-search-with-runtime-config": """
        SEARCH_TABLE => TABLE v, COLUMN_TO_SEARCH => DESCRIPTOR(vector), COLUMN_TO_QUERY => src_t.vector, TOP_K => 2,
        CONFIG => MAP['async', 'false']
    """,
}
FOUND = [(1, "Spark", "Batch"), (1, "Spark", "Big Data"), (2, "Flink", "Streaming"), (2, "Flink", "Big Data")]


class Echo(VectorSearchFunction):
    """Finds the length of the vector, as often as asked."""

    def vector_search(self, top_k: int, vectors: Any) -> Predictions:
        lengths = [len(vector) for vector in vectors.to_pylist() for _ in range(top_k)]
        rows = pa.record_batch({"label": [str(n) for n in lengths], "vector": [[float(n)] for n in lengths], "score": [0.5] * len(lengths)})
        return Predictions(rows, [top_k] * len(vectors))


class AsyncEcho(AsyncVectorSearchFunction):
    async def vector_search(self, top_k: int, vectors: Any) -> Predictions:
        return Echo().vector_search(top_k, vectors)


class EchoProvider(VectorSearchFunctionProvider, AsyncVectorSearchFunctionProvider):
    def create_vector_search_function(self) -> VectorSearchFunction:
        return Echo()

    def create_async_vector_search_function(self) -> AsyncVectorSearchFunction:
        return AsyncEcho()


class EchoSource(VectorSearchTableSource):
    def get_search_runtime_provider(self, context: VectorSearchTableSource.VectorSearchContext) -> EchoProvider:
        assert context.search_positions == (1,)
        return EchoProvider()


class EchoFactory(DynamicTableSourceFactory):
    factory_identifier = "echo"
    required_options = frozenset()
    optional_options = frozenset()

    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> EchoSource:
        return EchoSource()


class EchoModule(Module):
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        return EchoFactory() if identifier == "echo" else None


def table(env: TableEnvironment, folder: Path, name: str, columns: str, rows: list[dict[str, Any]], more: str = "") -> None:
    (folder / name).mkdir()
    (folder / name / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    env.execute_sql(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', 'format' = 'json'{more})"
    )


@pytest.fixture(params=["arrow-batch", "arrow-streaming", "spark-batch", "spark-streaming"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TableEnvironment]:
    import test_vector_search

    cloudpickle.register_pickle_by_value(test_vector_search)  # workers do not have the folder of the tests
    planner, _, mode = request.param.partition("-")
    settings = EnvironmentSettings.new_instance().with_planner(planner)
    settings = settings.in_streaming_mode() if mode == "streaming" else settings.in_batch_mode()
    external = {"spark": request.getfixturevalue("spark")} if planner == "spark" else {}
    made = TableEnvironment.create(settings.build(), external=external)
    table(made, tmp_path, "src_t", "id BIGINT, content STRING, vector ARRAY<FLOAT>", QUERIES)
    table(made, tmp_path, "v", "label STRING, vector ARRAY<FLOAT>", VECTORS)
    yield made
    made.close()


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


@pytest.mark.parametrize("call", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_gives_what_flink_gives(env: TableEnvironment, call: str) -> None:
    found = rows(env, f"SELECT id, content, label FROM src_t, LATERAL TABLE(VECTOR_SEARCH({call}))")
    assert sorted(found, key=lambda row: row[0]) == FOUND


def test_a_vector_that_is_null_finds_nothing_and_a_left_join_keeps_its_row(env: TableEnvironment, tmp_path: Path) -> None:
    table(env, tmp_path, "q", "id INT, e ARRAY<DOUBLE>", [{"id": 1, "e": [3.0, 4.0, 0.0]}, {"id": 2, "e": None}])
    call = "LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(vector), q.e, 1, MAP['metric', 'l2'])) AS s"
    assert rows(env, f"SELECT id, label, ROUND(score, 3) FROM q, {call}") == [(1, "Big Data", 3.606)]
    assert rows(env, f"SELECT id, label, ROUND(score, 3) FROM q LEFT JOIN {call} ON TRUE ORDER BY id") == [
        (1, "Big Data", 3.606),
        (2, None, None),
    ]


def test_a_constant_vector_needs_no_other_table(env: TableEnvironment) -> None:
    sql = "SELECT label, score FROM TABLE(VECTOR_SEARCH(TABLE v, ARRAY[5, 12, 13], DESCRIPTOR(vector), 2, MAP['metric', 'inner_product']))"
    assert rows(env, sql) == [("Batch", 338.0), ("Big Data", 17.0)]


def test_rows_of_this_process_are_searched_in_tasks(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE m (label STRING, vector ARRAY<FLOAT>) WITH ('connector' = 'memory')")
    env.execute_sql("INSERT INTO m VALUES ('x', ARRAY[CAST(1 AS FLOAT), 0, 0]), ('y', ARRAY[CAST(0 AS FLOAT), 1, 1])").wait()
    sql = "SELECT id, label FROM src_t, LATERAL TABLE(VECTOR_SEARCH(TABLE m, DESCRIPTOR(vector), src_t.vector, 1))"
    assert sorted(rows(env, sql)) == [(1, "y"), (2, "x")]


@pytest.mark.parametrize("config", ["", ", MAP['async', 'false']"])
def test_a_source_may_search_itself(env: TableEnvironment, config: str) -> None:
    env.load_module("echo", EchoModule())
    env.execute_sql("CREATE TABLE echo (label STRING, vector ARRAY<FLOAT>) WITH ('connector' = 'echo')")
    sql = f"SELECT id, label, score FROM src_t, LATERAL TABLE(VECTOR_SEARCH(TABLE echo, DESCRIPTOR(vector), src_t.vector, 2{config}))"
    assert sorted(rows(env, sql)) == [(1, "3", 0.5), (1, "3", 0.5), (2, "3", 0.5), (2, "3", 0.5)]


def test_a_vector_of_another_length_names_the_argument(env: TableEnvironment) -> None:
    sql = "SELECT * FROM src_t, LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(vector), ARRAY[1, 2], 1))"
    with pytest.raises(
        (TableRuntimeException, TableException), match="the argument 'column_to_query' has 2 numbers in vector 1, but column 'vector'"
    ):
        rows(env, sql)


def test_a_table_without_an_end_is_refused(env: TableEnvironment, tmp_path: Path) -> None:
    if not env.session.is_streaming_mode:
        return  # batch mode reads the files that are there
    table(env, tmp_path, "watched", "vector ARRAY<FLOAT>", [], ", 'source.monitor-interval' = '1 s'")
    sql = "SELECT * FROM src_t, LATERAL TABLE(VECTOR_SEARCH(TABLE watched, DESCRIPTOR(vector), src_t.vector, 1))"
    with pytest.raises(
        ValidationException, match=r"VECTOR_SEARCH cannot search table .*watched: the argument 'search_table' must be bounded"
    ):
        env.execute_sql(sql)


def test_rows_that_change_are_refused(env: TableEnvironment) -> None:
    sql = """
        SELECT label FROM (SELECT COLLECT(id) AS ids, ARRAY[1, 2, COUNT(*)] AS e FROM src_t GROUP BY content) AS q,
        LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(vector), q.e, 1))
    """
    if not env.session.is_streaming_mode:
        assert len(rows(env, sql)) == 2
        return
    with pytest.raises(ValidationException, match="VECTOR_SEARCH requires an insert-only input"):
        env.execute_sql(sql)
