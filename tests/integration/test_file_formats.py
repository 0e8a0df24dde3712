"""Files of every format, written by each engine and read by both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError

MakeEnv = Callable[[str], TableEnvironment]

ENGINES = ["arrow", "spark"]
COLUMNS = "id INT, s STRING, n DECIMAL(10, 2), ts TIMESTAMP(3), l ARRAY<INT>, p STRING"
VALUES = (
    "(1, 'x', CAST(1.5 AS DECIMAL(10, 2)), TIMESTAMP '2020-01-02 03:04:05.678', ARRAY[1, 2], 'a'), "
    "(2, 'y', CAST(NULL AS DECIMAL(10, 2)), TIMESTAMP '1969-12-31 23:59:59.999', ARRAY[3], 'b')"
)
OPTIONS = {
    "avro": {},
    "orc": {},
    "parquet": {},
    "json": {"compression": "XZ"},
    "csv": {"compression": "ZSTD"},
    "debezium-json": {"compression": "GZIP"},
}


def create(env: TableEnvironment, folder: Path, format_: str) -> None:
    options = "".join(f", '{format_}.{key}' = '{value}'" for key, value in OPTIONS[format_].items())
    env.execute_sql(
        f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{folder}'{options})"
    )


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@pytest.mark.parametrize("format_", sorted(OPTIONS))
def test_files_of_one_engine_are_read_by_both(make_env: MakeEnv, tmp_path: Path, format_: str) -> None:
    results = []
    for writer in ENGINES:
        env = make_env(writer)
        create(env, tmp_path / writer, format_)
        env.execute_sql(f"INSERT INTO t VALUES {VALUES}").wait()
        for reader in ENGINES:
            env = make_env(reader)
            create(env, tmp_path / writer, format_)
            results.append(rows(env, "SELECT id, s, CAST(n AS STRING), CAST(ts AS STRING), l, p FROM t WHERE id > 0 ORDER BY id"))
    expected = [
        (1, "x", "1.50", "2020-01-02 03:04:05.678", [1, 2], "a"),
        (2, "y", None, "1969-12-31 23:59:59.999", [3], "b"),
    ]
    assert results == [expected] * 4


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("format_", ["avro", "orc"])
def test_the_error_of_a_file_in_another_format_names_the_file(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "f").write_text("neither")
    env = make_env(engine)
    env.execute_sql(f"CREATE TABLE u (a INT) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path / 'data'}')")
    with pytest.raises(TableError, match=r"data/f'"):
        rows(env, "SELECT * FROM u")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_format_without_delimiters_is_refused_for_files(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    env = make_env(engine)
    options = f"'avro-confluent.url' = '{tmp_path.as_uri()}'"
    env.execute_sql(
        f"CREATE TABLE u (a INT) WITH ('connector' = 'filesystem', 'format' = 'avro-confluent', 'path' = '{tmp_path}', {options})"
    )
    with pytest.raises(TableError, match="are not delimited"):
        rows(env, "SELECT * FROM u")
