"""Unbounded sources on Spark: refused in streaming mode, read up to now in batch mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException


def environment(spark: Any, *, is_streaming: bool) -> TableEnvironment:
    builder = EnvironmentSettings.new_instance().with_planner("spark")
    settings = builder.in_streaming_mode() if is_streaming else builder.in_batch_mode()
    return TableEnvironment.create(settings.build(), external={"spark": spark})


@pytest.mark.parametrize(
    "options", ["'connector' = 'datagen'", "'connector' = 'filesystem', 'format' = 'csv', 'source.monitor-interval' = '1 s', 'path' = '{}'"]
)
def test_a_source_without_an_end_is_refused_in_streaming_mode(spark: Any, tmp_path: Path, options: str) -> None:
    env = environment(spark, is_streaming=True)
    env.execute_sql(f"CREATE TABLE t (a INT) WITH ({options.format(tmp_path)})")
    with pytest.raises(
        TableException, match=r"table 'default_catalog\.default_database\.t' is unbounded, and the planner 'spark'"
    ) as caught:
        env.execute_sql("SELECT a FROM t").collect()
    assert "planner 'arrow'" in (caught.value.hint or "")


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
