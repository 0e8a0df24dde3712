"""SHOW CREATE: objects as the statements that create them."""

from __future__ import annotations

from table_api import (
    TableEnvironment,
    TableResult,
)

CREATE = """CREATE TABLE t (
  id BIGINT NOT NULL, name STRING COMMENT 'the name', amt DECIMAL(10, 2), ts TIMESTAMP(3), total AS amt * 2, m STRING METADATA FROM 'f' VIRTUAL,
  PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'a table' PARTITIONED BY (name) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'csv', 'password' = 'x')"""


def _rows(result: TableResult) -> list[list[object]]:
    with result.collect() as rows:
        return [list(row) for row in rows]


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
