"""Rows of this process on Spark: sent once, selected from by Spark, let go with their table."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableRuntimeException
from table_planner_spark import in_process_frames
from table_planner_spark.in_process_frames import InProcessFrames
from table_runtime.connectors.memory import drop_memory_table

ROWS = pa.table({"a": [1, 2, 3, None], "b": ["x", "y", "x", "z"], "r": [{"f": 1}, {"f": 2}, None, {"f": 4}]})


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was sent to Spark."""
    found: list[Any] = []
    send = in_process_frames.send_rows
    monkeypatch.setattr(in_process_frames, "send_rows", lambda *data: (found.append(data), send(*data))[1])
    return found


@pytest.fixture
def memory(env: SparkTableEnvironment) -> Iterator[SparkTableEnvironment]:
    """An environment with a table of the connector ``memory``."""
    env.execute_sql("CREATE TABLE m (a INT, b STRING, p STRING) PARTITIONED BY (p) WITH ('connector' = 'memory', 'name' = 'in_process')")
    env.execute_sql("INSERT INTO m VALUES (1, 'x', 'u'), (2, 'y', 'v'), (3, 'x', 'u')")
    yield env
    drop_memory_table("in_process")


def _rows(env: SparkTableEnvironment, statement: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in env.execute_sql(statement).collect()), key=repr)


def _frames(env: SparkTableEnvironment) -> InProcessFrames:
    found = env._session.planner._in_process  # type: ignore[attr-defined]  # of the planner 'spark'
    assert isinstance(found, InProcessFrames)
    return found


def test_a_table_of_nested_columns_may_have_no_rows(env: SparkTableEnvironment) -> None:
    schema = pa.schema({"r": pa.struct({"f": pa.int64()}), "l": pa.list_(pa.int32()), "m": pa.map_(pa.string(), pa.int32())})
    env.create_temporary_view("t", env.from_arrow(schema.empty_table()))
    assert _rows(env, "SELECT * FROM t") == []
    assert _rows(env, "SELECT COUNT(r) FROM t") == [(0,)]


def test_a_table_is_sent_once_for_all_queries(env: SparkTableEnvironment, sent: list[Any]) -> None:
    env.create_temporary_view("t", env.from_arrow(ROWS))
    assert _rows(env, "SELECT a FROM t UNION SELECT a + 1 FROM t") == [(1,), (2,), (3,), (4,), (None,)]
    assert _rows(env, "SELECT b, SUM(a) FROM t WHERE a > 1 GROUP BY b") == [("x", 3), ("y", 2)]
    assert _rows(env, "SELECT l.b FROM t l JOIN t r ON l.a = r.a - 1") == [("x",), ("y",)]
    assert len(sent) == 1


def test_what_is_pushed_down_is_done_by_spark(env: SparkTableEnvironment, sent: list[Any]) -> None:
    env.create_temporary_view("t", env.from_arrow(ROWS))
    assert _rows(env, "SELECT t.r.f FROM t WHERE b = 'x' AND a = 1") == [(1,)]
    assert _rows(env, "SELECT COUNT(*) FROM t WHERE b <> 'x'") == [(2,)]
    assert len(_rows(env, "SELECT b FROM t LIMIT 2")) == 2
    assert len(sent) == 1


def test_a_column_alone_is_a_filter(env: SparkTableEnvironment) -> None:
    env.create_temporary_view("t", env.from_arrow(pa.table({"a": [1, 2, 3], "b": [True, False, None], "c": [True, True, True]})))
    assert _rows(env, "SELECT a FROM t WHERE b") == [(1,)]
    assert _rows(env, "SELECT a FROM t WHERE NOT b AND c") == [(2,)]


def test_a_memory_table_is_sent_once_until_it_changes(memory: SparkTableEnvironment, sent: list[Any]) -> None:
    for _ in range(2):
        assert _rows(memory, "SELECT a FROM m WHERE b = 'x'") == [(1,), (3,)]
    assert len(sent) == 1
    memory.execute_sql("INSERT INTO m VALUES (5, 'x', 'v')")
    assert _rows(memory, "SELECT a FROM m WHERE b = 'x'") == [(1,), (3,), (5,)]
    assert len(sent) == 2


def test_partitions_of_a_memory_table_are_sent_once(memory: SparkTableEnvironment, sent: list[Any]) -> None:
    for _ in range(2):
        assert _rows(memory, "SELECT a, b FROM m WHERE p = 'u'") == [(1, "x"), (3, "x")]
    assert len(sent) == 1


def test_rows_are_let_go_with_their_table(env: SparkTableEnvironment) -> None:
    table: Any = env.from_arrow(ROWS)
    assert table.to_arrow().num_rows == 4
    assert len(_frames(env)) == 1
    del table
    gc.collect()
    assert len(_frames(env)) == 0


def test_rows_are_let_go_with_their_session(env: SparkTableEnvironment) -> None:
    table = env.from_arrow(ROWS)
    assert table.to_arrow().num_rows == 4
    frames = _frames(env)
    env.close()
    assert len(frames) == 0


def test_options_of_the_session_stay_as_they_are(env: SparkTableEnvironment, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "777")
    try:
        assert env.from_arrow(ROWS).to_arrow().num_rows == 4
        assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "777"
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_large_rows_are_read_by_several_tasks(env: SparkTableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process_frames, "_BATCH_BYTES", 1_000)
    monkeypatch.setattr(in_process_frames, "LOCAL_BYTES", 1_000)
    table = env.from_arrow(pa.table({"a": range(1_000)}))
    assert env.to_data_frame(table).rdd.getNumPartitions() == 8
    assert sorted(table.to_arrow().column("a").to_pylist()) == list(range(1_000))


def test_rows_with_arrays_are_read_by_more_tasks_which_are_cancelled_sooner(env: SparkTableEnvironment) -> None:
    table = env.from_arrow(pa.table({"a": [list(range(1_000))] * 512}))
    assert env.to_data_frame(table).rdd.getNumPartitions() == 16


def test_rows_that_do_not_fit_into_the_heap_are_refused(env: SparkTableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process_frames, "_SHARE_OF_HEAP", 1e-9)
    with pytest.raises(TableRuntimeException, match=r"too much for Spark's driver, which has \d+ MB of memory"):
        env.from_arrow(ROWS).to_arrow()
