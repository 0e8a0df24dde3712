from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from table_api import (
    EnvironmentSettings,
    ResultKind,
    TableEnvironment,
    TableError,
    TableException,
    TableResult,
    ValidationException,
)

CREATE = """CREATE TABLE t (
  id BIGINT NOT NULL, name STRING COMMENT 'the name', amt DECIMAL(10, 2), ts TIMESTAMP(3), total AS amt * 2, m STRING METADATA FROM 'f' VIRTUAL,
  PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'a table' PARTITIONED BY (name) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'csv', 'password' = 'x')"""


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment


def _rows(result: TableResult) -> list[list[object]]:
    with result.collect() as rows:
        return [list(row) for row in rows]


def _names(result: TableResult) -> list[str]:
    return list(result.get_resolved_schema().column_names)


def _printed(result: TableResult) -> str:
    output = io.StringIO()
    result.print(output)
    return output.getvalue()


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


def test_describe_shows_key_expression_watermark_and_comment(plain: TableEnvironment) -> None:
    plain.execute_sql(CREATE)
    result = plain.execute_sql("DESCRIBE t")
    assert _names(result) == ["name", "type", "null", "key", "extras", "watermark", "comment"]
    assert _rows(result) == [
        ["id", "BIGINT", False, "PRI(id)", None, None, None],
        ["name", "STRING", True, None, None, None, "the name"],
        ["amt", "DECIMAL(10, 2)", True, None, None, None, None],
        ["ts", "TIMESTAMP(3)", True, None, None, "`ts` - INTERVAL '5' SECOND", None],
        ["total", "DECIMAL(21, 2)", True, None, "AS `amt` * 2", None, None],
        ["m", "STRING", True, None, "METADATA FROM 'f' VIRTUAL", None, None],
    ]


def test_describe_without_comments_has_no_column_for_them(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE u (a INT)")
    assert _names(plain.execute_sql("DESCRIBE u")) == ["name", "type", "null", "key", "extras", "watermark"]


def test_show_columns_takes_a_pattern(plain: TableEnvironment) -> None:
    plain.execute_sql(CREATE)
    assert [row[0] for row in _rows(plain.execute_sql("SHOW COLUMNS FROM t LIKE '%m%'"))] == ["name", "amt", "m"]


def test_show_create_table_masks_secrets(plain: TableEnvironment) -> None:
    plain.execute_sql(CREATE)
    assert _rows(plain.execute_sql("SHOW CREATE TABLE t")) == [
        [
            (
                "CREATE TABLE `default_catalog`.`default_database`.`t` (\n"
                "  `id` BIGINT NOT NULL,\n"
                "  `name` VARCHAR(2147483647) COMMENT 'the name',\n"
                "  `amt` DECIMAL(10, 2),\n"
                "  `ts` TIMESTAMP(3),\n"
                "  `total` AS `amt` * 2,\n"
                "  `m` VARCHAR(2147483647) METADATA FROM 'f' VIRTUAL,\n"
                "  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND,\n"
                "  CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED\n"
                ")\n"
                "COMMENT 'a table'\n"
                "PARTITIONED BY (`name`)\n"
                "WITH (\n  'connector' = 'filesystem',\n  'format' = 'csv',\n  'password' = '******',\n  'path' = '/x'\n)\n"
            )
        ]
    ]


def test_show_create_view_has_all_names_expanded(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE u (a INT)")
    plain.execute_sql("CREATE VIEW v (x) COMMENT 'c' AS SELECT a FROM u")
    assert _rows(plain.execute_sql("SHOW CREATE VIEW v")) == [
        [
            (
                "CREATE VIEW `default_catalog`.`default_database`.`v` (\n  `x`\n)\nCOMMENT 'c'\n"
                "AS SELECT `u`.`a`\nFROM `default_catalog`.`default_database`.`u` AS `u`\n"
            )
        ]
    ]


def test_show_create_catalog_shows_its_options(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE CATALOG c COMMENT 'hello' WITH ('type' = 'generic_in_memory')")
    assert _rows(plain.execute_sql("SHOW CREATE CATALOG c")) == [
        ["CREATE CATALOG `c`\nCOMMENT 'hello'\nWITH (\n  'type' = 'generic_in_memory'\n)\n"]
    ]


@pytest.mark.parametrize("statement", ["SHOW CREATE TABLE v", "SHOW CREATE VIEW u", "SHOW CREATE CATALOG default_catalog", "DESCRIBE nope"])
def test_what_cannot_be_shown_is_an_error(plain: TableEnvironment, statement: str) -> None:
    plain.execute_sql("CREATE TABLE u (a INT)")
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    with pytest.raises(TableError):
        plain.execute_sql(statement)


def test_ddl_says_ok(plain: TableEnvironment) -> None:
    result = plain.execute_sql("CREATE TABLE u (a INT)")
    assert (result.get_result_kind(), _rows(result), _printed(result)) == (ResultKind.SUCCESS, [["OK"]], "OK\n")


def test_use_changes_what_is_current(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
    plain.execute_sql("CREATE DATABASE c.d")
    plain.execute_sql("USE c.d")
    assert (plain.get_current_catalog(), plain.get_current_database()) == ("c", "d")


def test_drop_database_cascades(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE DATABASE d")
    plain.execute_sql("CREATE TABLE d.u (a INT)")
    plain.execute_sql("DROP DATABASE d CASCADE")
    assert plain.list_databases() == ["default_database"]


def test_view_is_replaced_and_renamed(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    plain.execute_sql("CREATE OR REPLACE VIEW v AS SELECT 1 AS y")
    plain.execute_sql("ALTER VIEW v RENAME TO w")
    assert plain.from_path("w").get_schema().column_names == ("y",)


def test_option_is_set_and_reset(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'table.local-time-zone' = 'Asia/Tokyo'")
    assert plain.get_config().get_local_timezone() == "Asia/Tokyo"
    plain.execute_sql("RESET 'table.local-time-zone'")
    assert plain.get_config().get("table.local-time-zone", "unset") == "unset"


def test_set_alone_lists_options_without_secrets(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'spark.password' = 'x'")
    assert _rows(plain.execute_sql("SET")) == [["execution.runtime-mode", "batch"], ["spark.password", "******"]]


@pytest.mark.parametrize(
    ("key", "value"), [("table.exec.timeout", "soon"), ("table.local-time-zone", "Mars/Base"), ("table.dml-sync", "maybe")]
)
def test_value_that_an_option_does_not_take_is_refused_at_once(plain: TableEnvironment, key: str, value: str) -> None:
    with pytest.raises(ValidationException):
        plain.execute_sql(f"SET '{key}' = '{value}'")


def test_option_that_is_fixed_cannot_be_set(plain: TableEnvironment) -> None:
    with pytest.raises(TableException, match="fixed when an environment is created"):
        plain.execute_sql("SET 'execution.runtime-mode' = 'streaming'")


def test_error_of_a_name_has_line_and_column(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE orders (a INT)")
    with pytest.raises(ValidationException) as caught:
        plain.sql_query("SELECT a\nFROM order_s")
    assert "at line 2, column 6" in str(caught.value)
    assert "Did you mean 'orders'?" in str(caught.value)


def test_completion_offers_tables_and_columns(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE orders (amount INT)")
    assert plain.get_completion_hints("SELECT * FROM ord", 17)[0] == "orders"
    assert "amount" in plain.get_completion_hints("SELECT am FROM orders", 9)


def test_closed_environment_says_so(plain: TableEnvironment) -> None:
    plain.close()
    plain.close()
    with pytest.raises(TableException, match="was closed"):
        plain.execute_sql("SHOW TABLES")


def test_a_view_of_a_view_is_expanded(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    plain.execute_sql("CREATE VIEW w AS SELECT x + 1 AS y FROM v")
    assert plain.from_path("w").get_schema().column_names == ("y",)
