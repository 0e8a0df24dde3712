"""Round trips of partition values, for every combination of writing and reading engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]

DIRECTIONS = [("arrow", "arrow"), ("arrow", "spark"), ("spark", "arrow"), ("spark", "spark")]
# A column's type, two values, and a third that many systems encode specially.
TYPES = {
    "BOOLEAN": ("TRUE", "FALSE"),
    "TINYINT": ("CAST(-5 AS TINYINT)", "CAST(127 AS TINYINT)"),
    "INT": ("-2147483648", "7"),
    "BIGINT": ("9223372036854775807", "CAST(0 AS BIGINT)"),
    "FLOAT": ("CAST('0.1' AS FLOAT)", "CAST('1E20' AS FLOAT)"),
    "DOUBLE": ("CAST('0.1' AS DOUBLE)", "CAST('1E300' AS DOUBLE)"),
    "DECIMAL(38, 10)": ("CAST('1234567890123456789012345678.0123456789' AS DECIMAL(38, 10))", "CAST('-0.5' AS DECIMAL(38, 10))"),
    "CHAR(3)": ("'a  '", "'abc'"),
    "BYTES": ("x'00ff41'", "x'fbffbf'"),
    "BINARY(2)": ("x'00ff'", "x'4142'"),
    "DATE": ("DATE '0001-01-01'", "DATE '9999-12-31'"),
    "TIME(0)": ("TIME '12:34:56'", "TIME '00:00:00'"),
    "TIMESTAMP(0)": ("TIMESTAMP '2020-01-01 10:00:00'", "TIMESTAMP '1969-12-31 23:59:59'"),
    "TIMESTAMP(3)": ("TIMESTAMP '2020-01-01 00:00:00.5'", "TIMESTAMP '2020-01-01 00:00:00'"),
    "TIMESTAMP(6)": ("TIMESTAMP '2020-01-01 10:00:00.123456'", "TIMESTAMP '1969-12-31 23:59:59.9'"),
    "TIMESTAMP(9)": ("TIMESTAMP '2020-01-01 10:00:00.123456789'", "TIMESTAMP '2020-01-01 10:00:00'"),
    "TIME(9)": ("TIME '10:00:00.123456789'", "TIME '10:00:00'"),
    "TIMESTAMP_LTZ(9)": ("CAST('2020-01-01 10:00:00.123456789' AS TIMESTAMP_LTZ(9))", "CAST('1969-12-31 23:59:59.9' AS TIMESTAMP_LTZ(9))"),
    "TIMESTAMP_LTZ(3)": ("TO_TIMESTAMP_LTZ(1577836800500, 3)", "TO_TIMESTAMP_LTZ(0, 3)"),
}
TEXTS = [
    "a/b",
    "100%",
    "a=b",
    "%41",
    "A",
    "ä €",
    "😀",
    " ",
    " x ",
    ".",
    "..",
    "_x",
    ".x",
    "a:b",
    "a'b\"c\\",
    "NULL",
    "null",
    "{a}[b]^",
    "a\tb\nc",
]
TEXTS += ["+ +", "a#b?c", "2020-01-01", "1.0", "01", "true"]

KEYS = ["_day", ".day", "a=b", "x/y", "ä%"]


class Engines:
    """Environments on both engines with the same tables, in a folder."""

    def __init__(self, make_env: MakeEnv, folder: Path, tables: str) -> None:
        self.envs: dict[str, TableEnvironment] = {}
        self._make_env, self._folder, self._tables = make_env, folder, tables

    def sql(self, engine: str, statement: str) -> list[tuple[Any, ...]]:
        if engine not in self.envs:
            self.envs[engine] = self._make_env(engine)
            self.envs[engine].get_config().set("table.local-time-zone", "Asia/Kolkata")
            self.sql(engine, self._tables)
        return [tuple(row) for row in self.envs[engine].execute_sql(statement.replace("FOLDER", str(self._folder))).collect()]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize(("writer", "reader"), DIRECTIONS)
def test_partition_values_of_all_types_are_read_back(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(TYPES))
    names = [f"c{number}" for number in range(len(TYPES))]
    engines = Engines(
        make_env,
        tmp_path,
        f"CREATE TABLE t (id INT, {columns}) PARTITIONED BY ({', '.join(names)}) "
        "WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv')",
    )
    rows = [f"({row}, {', '.join(f'CAST({values[row]} AS {type_})' for type_, values in TYPES.items())})" for row in range(2)]
    rows.append(f"(2, {', '.join(f'CAST(NULL AS {type_})' for type_ in TYPES)})")
    values = f"(VALUES {', '.join(rows)}) AS v (id, {', '.join(names)})"
    engines.sql(writer, f"INSERT INTO t SELECT * FROM {values}")
    # As text, which has all digits.
    shown = ", ".join(name if "B" in type_[:2] else f"CAST({name} AS STRING)" for name, type_ in zip(names, TYPES, strict=True))
    assert engines.sql(reader, f"SELECT id, {shown} FROM t ORDER BY id") == engines.sql(
        "arrow", f"SELECT id, {shown} FROM {values} ORDER BY id"
    )


@pytest.mark.parametrize(("writer", "reader"), DIRECTIONS)
def test_filters_match_partition_values_of_all_types(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(TYPES))
    names = [f"c{number}" for number in range(len(TYPES))]
    engines = Engines(
        make_env,
        tmp_path,
        f"CREATE TABLE t (id INT, {columns}) PARTITIONED BY ({', '.join(names)}) "
        "WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv')",
    )
    rows = [f"({row}, {', '.join(f'CAST({values[row]} AS {type_})' for type_, values in TYPES.items())})" for row in range(2)]
    engines.sql(writer, f"INSERT INTO t SELECT * FROM (VALUES {', '.join(rows)}) AS v (id, {', '.join(names)})")
    conditions = [f"{name} = CAST({values[1]} AS {type_})" for name, (type_, values) in zip(names, TYPES.items(), strict=True)]
    assert engines.sql(reader, f"SELECT id FROM t WHERE {' AND '.join(conditions)}") == [(1,)]


@pytest.mark.parametrize(("writer", "reader"), DIRECTIONS)
def test_special_texts_are_read_back_and_match_filters(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    engines = Engines(
        make_env,
        tmp_path,
        "CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv')",
    )
    engines.sql(writer, f"INSERT INTO t VALUES {', '.join(f'({number}, {quoted(text)})' for number, text in enumerate(TEXTS))}")
    assert engines.sql(reader, "SELECT p FROM t ORDER BY id") == [(text,) for text in TEXTS]
    wanted = ", ".join(map(quoted, TEXTS[::2]))
    assert engines.sql(reader, f"SELECT id FROM t WHERE p IN ({wanted}) ORDER BY id") == [(number,) for number in range(0, len(TEXTS), 2)]


@pytest.mark.parametrize(("writer", "reader"), DIRECTIONS)
def test_null_and_the_empty_text_are_in_the_default_partition(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    engines = Engines(
        make_env,
        tmp_path,
        "CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p) "
        "WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv', 'partition.default-name' = 'none')",
    )
    engines.sql(writer, "INSERT INTO t VALUES (1, CAST(NULL AS STRING)), (2, ''), (3, 'x')")
    assert sorted(path.name for path in (tmp_path / "t").glob("p=*")) == ["p=none", "p=x"]
    assert engines.sql(reader, "SELECT * FROM t ORDER BY id") == [(1, None), (2, None), (3, "x")]


@pytest.mark.parametrize(("writer", "reader"), DIRECTIONS)
def test_keys_may_have_any_name(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    engines = Engines(
        make_env,
        tmp_path,
        f"CREATE TABLE t (id INT, {', '.join(f'`{key}` INT' for key in KEYS)}) PARTITIONED BY ({', '.join(f'`{key}`' for key in KEYS)}) "
        "WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv')",
    )
    engines.sql(writer, "INSERT INTO t VALUES (1, 10, 20, 30, 40, 49), (2, 11, 21, 31, 41, 51)")
    assert engines.sql(reader, "SELECT * FROM t ORDER BY id") == [(1, 10, 20, 30, 40, 49), (2, 11, 21, 31, 41, 51)]
    assert engines.sql(reader, f"SELECT id FROM t WHERE {' AND '.join(f'`{key}` < 50' for key in KEYS)}") == [(1,)]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_overwriting_replaces_a_partition_whose_key_looks_hidden(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    engines = Engines(
        make_env,
        tmp_path,
        "CREATE TABLE t (id INT, `_day` INT) PARTITIONED BY (`_day`) "
        "WITH ('connector' = 'filesystem', 'path' = 'FOLDER/t', 'format' = 'csv')",
    )
    engines.sql(engine, "INSERT INTO t VALUES (1, 10), (2, 20)")
    engines.sql(engine, "INSERT OVERWRITE t VALUES (3, 10)")
    assert engines.sql(engine, "SELECT * FROM t ORDER BY id") == [(2, 20), (3, 10)]
