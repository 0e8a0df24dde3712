"""SHOW: columns, rows and patterns."""

from __future__ import annotations

import pytest

from table_api import (
    TableEnvironment,
    TableError,
    TableResult,
)

CREATE = """CREATE TABLE t (
  id BIGINT NOT NULL, name STRING COMMENT 'the name', amt DECIMAL(10, 2), ts TIMESTAMP(3), total AS amt * 2, m STRING METADATA FROM 'f' VIRTUAL,
  PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'a table' PARTITIONED BY (name) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'csv', 'password' = 'x')"""


def _rows(result: TableResult) -> list[list[object]]:
    with result.collect() as rows:
        return [list(row) for row in rows]


def _names(result: TableResult) -> list[str]:
    return list(result.get_resolved_schema().column_names)


@pytest.mark.parametrize(
    ("statement", "columns", "rows"),
    [
        ("SHOW CATALOGS", ["catalog name"], [["default_catalog"]]),
        ("SHOW DATABASES", ["database name"], [["default_database"]]),
        ("SHOW TABLES", ["table name"], [["t"], ["v"]]),
        ("SHOW TABLES LIKE 'v%'", ["table name"], [["v"]]),
        ("SHOW TABLES NOT LIKE 'v%'", ["table name"], [["t"]]),
        ("SHOW TABLES FROM default_database", ["table name"], [["t"], ["v"]]),
        ("SHOW VIEWS", ["view name"], [["v"]]),
        ("SHOW CURRENT CATALOG", ["current catalog name"], [["default_catalog"]]),
        ("SHOW CURRENT DATABASE", ["current database name"], [["default_database"]]),
        ("SHOW MODULES", ["module name"], [["core"]]),
        ("SHOW FULL MODULES", ["module name", "used"], [["core", True]]),
        ("SHOW USER FUNCTIONS", ["function name"], []),
        ("SHOW FUNCTIONS LIKE 'char%length'", ["function name"], [["char_length"], ["character_length"]]),
        ("SHOW JARS", ["jars"], []),
    ],
)
def test_show_has_flinks_columns(plain: TableEnvironment, statement: str, columns: list[str], rows: list[list[object]]) -> None:
    plain.execute_sql(CREATE)
    plain.execute_sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS x")
    result = plain.execute_sql(statement)
    assert (_names(result), _rows(result)) == (columns, rows)


def test_show_columns_takes_a_pattern(plain: TableEnvironment) -> None:
    plain.execute_sql(CREATE)
    assert [row[0] for row in _rows(plain.execute_sql("SHOW COLUMNS FROM t LIKE '%m%'"))] == ["name", "amt", "m"]


@pytest.mark.parametrize("statement", ["SHOW CREATE TABLE v", "SHOW CREATE VIEW u", "SHOW CREATE CATALOG default_catalog", "DESCRIBE nope"])
def test_what_cannot_be_shown_is_an_error(plain: TableEnvironment, statement: str) -> None:
    plain.execute_sql("CREATE TABLE u (a INT)")
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    with pytest.raises(TableError):
        plain.execute_sql(statement)
