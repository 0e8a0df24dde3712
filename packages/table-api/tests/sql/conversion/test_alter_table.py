"""ALTER TABLE, CREATE TABLE LIKE and ALTER VIEW, seen through DESCRIBE and SHOW CREATE: they need no engine."""

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


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("ADD c DOUBLE", ["a", "b", "c"]),
        ("ADD (c DOUBLE FIRST, d INT AFTER a)", ["c", "a", "d", "b"]),
        ("ADD c AS a + 1", ["a", "b", "c"]),
        ("MODIFY b VARCHAR(5) FIRST", ["b", "a"]),
        ("DROP b", ["a"]),
        ("RENAME b TO bb", ["a", "bb"]),
    ],
)
def test_columns_change(env: TableEnvironment, change: str, expected: list[str]) -> None:
    env.execute_sql(f"ALTER TABLE plain {change}")
    assert [name for name, _ in columns(env)] == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("ADD b INT", "has a column 'b' already"),
        ("MODIFY x INT", "Column 'x' does not exist"),
        ("DROP x", "Column 'x' does not exist"),
        ("DROP a", "Column 'a' cannot be dropped: the computed column 'c' and the primary key needs it"),
        ("DROP b", "the partitioning"),
        ("DROP ts", "the watermark of 'ts'"),
        ("RENAME a TO z", "the computed column 'c'"),
        ("RENAME b TO z", "the table is partitioned by it"),
        ("RENAME ts TO a", "has a column 'a' already"),
        ("ADD PRIMARY KEY (a) NOT ENFORCED", "has a primary key already"),
        ("ADD WATERMARK FOR ts AS ts", "has a watermark already"),
        ("DROP CONSTRAINT nope", "Constraint 'nope' does not exist"),
        ("DROP DISTRIBUTION", "has no distribution"),
        ("RESET ('connector')", "'connector' cannot be reset"),
    ],
)
def test_changes_that_do_not_fit_are_refused(env: TableEnvironment, change: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        env.execute_sql(f"ALTER TABLE t {change}")


def test_keys_and_watermarks_go(env: TableEnvironment) -> None:
    env.execute_sql("ALTER TABLE t DROP CONSTRAINT pk")
    env.execute_sql("ALTER TABLE t DROP WATERMARK")
    assert "PRIMARY KEY" not in created(env, "t")
    assert "WATERMARK" not in created(env, "t")


def test_a_missing_table_is_an_error_unless_asked_otherwise(env: TableEnvironment) -> None:
    env.execute_sql("ALTER TABLE IF EXISTS nope ADD a INT")
    with pytest.raises(ValidationException, match="nope"):
        env.execute_sql("ALTER TABLE nope ADD a INT")


def test_a_view_gets_another_query(env: TableEnvironment) -> None:
    env.execute_sql("CREATE VIEW v AS SELECT a, b FROM plain")
    env.execute_sql("ALTER VIEW v AS SELECT b FROM plain")
    assert [name for name, _ in columns(env, "v")] == ["b"]
