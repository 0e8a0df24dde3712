"""CREATE, DROP and ALTER."""

from __future__ import annotations

import io

from table_api import (
    ResultKind,
    TableEnvironment,
    TableResult,
)


def _rows(result: TableResult) -> list[list[object]]:
    with result.collect() as rows:
        return [list(row) for row in rows]


def _printed(result: TableResult) -> str:
    output = io.StringIO()
    result.print(output)
    return output.getvalue()


def test_ddl_says_ok(plain: TableEnvironment) -> None:
    result = plain.execute_sql("CREATE TABLE u (a INT)")
    assert (result.get_result_kind(), _rows(result), _printed(result)) == (ResultKind.SUCCESS, [["OK"]], "OK\n")


def test_drop_database_cascades(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE DATABASE d")
    plain.execute_sql("CREATE TABLE d.u (a INT)")
    plain.execute_sql("DROP DATABASE d CASCADE")
    assert plain.list_databases() == ["default_database"]


def test_view_is_replaced_and_renamed(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    plain.execute_sql("CREATE OR REPLACE VIEW v AS SELECT 1 AS y")
    plain.execute_sql("ALTER VIEW v RENAME TO w")
    assert plain.from_path("w").get_resolved_schema().column_names == ("y",)
