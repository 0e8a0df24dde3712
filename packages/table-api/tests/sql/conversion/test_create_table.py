"""CREATE TABLE … LIKE and AS, seen through DESCRIBE and SHOW CREATE."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql(
            "CREATE TABLE t (a INT NOT NULL, b STRING COMMENT 'text', c AS a + 1, ts TIMESTAMP(3),"
            " WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, CONSTRAINT pk PRIMARY KEY (a) NOT ENFORCED)"
            " PARTITIONED BY (b) WITH ('connector' = 'x', 'k' = '1')"
        )
        env.execute_sql("CREATE TABLE plain (a INT, b STRING) WITH ('connector' = 'x')")
        yield env


def columns(env: TableEnvironment, table: str = "plain") -> list[tuple[object, ...]]:
    with env.execute_sql(f"DESCRIBE {table}").collect() as rows:
        return [tuple(row)[:2] for row in rows]


def created(env: TableEnvironment, table: str) -> str:
    with env.execute_sql(f"SHOW CREATE TABLE {table}").collect() as rows:
        return str(next(iter(rows))[0])


def test_like_takes_everything_and_new_options_win(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE u (d INT) WITH ('k' = '2') LIKE t")
    assert [name for name, _ in columns(env, "u")] == ["a", "b", "c", "ts", "d"]
    text = created(env, "u")
    assert "'k' = '2'" in text
    assert "PARTITIONED BY (`b`)" in text
    assert "PRIMARY KEY" in text


def test_like_leaves_out_what_is_excluded(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE u WITH ('connector' = 'y') LIKE t (EXCLUDING ALL)")
    assert [name for name, _ in columns(env, "u")] == ["a", "b", "ts"]
    assert "'k'" not in created(env, "u")


def test_like_refuses_a_column_that_is_there_already(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Column 'a' exists in the table that LIKE names"):
        env.execute_sql("CREATE TABLE u (a INT) LIKE plain")


def test_a_temporary_table_from_a_query_is_refused_with_a_hint(env: TableEnvironment) -> None:
    with pytest.raises(Exception, match="a temporary table does not own data") as caught:
        env.execute_sql("CREATE TEMPORARY TABLE u WITH ('connector' = 'x') AS SELECT 1 AS a")
    assert "CREATE TEMPORARY VIEW" in str(caught.value)
