"""Names of the fields of rows, and of columns, that have none."""

from __future__ import annotations

from table_api import DataTypes, TableEnvironment, col
from table_api.expressions import row


def test_rows_of_expressions_have_fields_f0_and_rows_of_sql_expr_0() -> None:
    env = TableEnvironment.create()
    (column,) = env.sql_query("SELECT 1 AS a").select(row(col("a"), row("x")).alias("r")).get_resolved_schema().columns
    assert str(column.data_type) == "ROW<`f0` INT NOT NULL, `f1` ROW<`f0` CHAR(1) NOT NULL> NOT NULL> NOT NULL"
    (column,) = env.sql_query("SELECT ROW(1) AS r").get_resolved_schema().columns
    assert str(column.data_type) == "ROW<`EXPR$0` INT NOT NULL> NOT NULL"


def test_a_cast_has_a_name_and_a_cast_of_a_cast_has_none() -> None:
    table = TableEnvironment.create().sql_query("SELECT 1 AS a")
    once = col("a").cast(DataTypes.BIGINT())
    assert table.select(once, once.cast(DataTypes.STRING())).get_schema().get_field_names() == ["a-BIGINT", "_c1"]
