"""DESCRIBE: the columns of a table."""

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


def _names(result: TableResult) -> list[str]:
    return list(result.get_resolved_schema().column_names)


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
