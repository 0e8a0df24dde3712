"""Unbounded sources on Spark: streaming mode reads on, batch mode reads up to now."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.python import register_callable, unregister_callable


def environment(spark: Any, *, is_streaming: bool) -> TableEnvironment:
    builder = EnvironmentSettings.new_instance().with_planner("spark")
    settings = builder.in_streaming_mode() if is_streaming else builder.in_batch_mode()
    return TableEnvironment.create(settings.build(), external={"spark": spark})


def test_rows_of_this_process_without_an_end_are_sent_to_the_workers(spark: Any) -> None:
    env = environment(spark, is_streaming=True)
    register_callable("numbers", lambda: zip(itertools.count()))
    try:
        env.execute_sql("CREATE TABLE t (a BIGINT) WITH ('connector' = 'python', 'callable' = 'numbers', 'bounded' = 'false')")
        with env.execute_sql("SELECT a FROM t").collect() as rows:
            assert [next(rows)[0] for _ in range(3)] == [0, 1, 2]
    finally:
        unregister_callable("numbers")


def test_generated_rows_without_an_end_are_read(spark: Any) -> None:
    env = environment(spark, is_streaming=True)
    env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000')")
    with env.execute_sql("SELECT COUNT(*) AS n FROM t").collect() as rows:
        assert next(iter(rows))[0] > 0


def test_a_sequence_that_ends_is_read_in_streaming_mode(spark: Any) -> None:
    env = environment(spark, is_streaming=True)
    options = "'connector' = 'datagen', 'fields.a.kind' = 'sequence', 'fields.a.start' = '1', 'fields.a.end' = '3'"
    env.execute_sql(f"CREATE TABLE t (a INT) WITH ({options})")
    with env.execute_sql("SELECT a FROM t").collect() as rows:
        assert sorted(row[0] for row in rows) == [1, 2, 3]


def test_a_watched_folder_is_read_once_in_batch_mode(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n2\n")
    env = environment(spark, is_streaming=False)
    options = f"'connector' = 'filesystem', 'format' = 'csv', 'source.monitor-interval' = '1 s', 'path' = '{tmp_path}'"
    env.execute_sql(f"CREATE TABLE t (a INT) WITH ({options})")
    with env.execute_sql("SELECT a FROM t").collect() as rows:
        assert sorted(row[0] for row in rows) == [1, 2]
