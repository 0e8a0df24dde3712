"""The items of SELECT: stars and names."""

from __future__ import annotations

from table_api.expressions.unresolved import Reference, Star
from table_api.resolution.operation_builder import OperationBuilder


def col(*path: str) -> Reference:
    return Reference(path)


def test_star_is_all_columns(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [Star()])
    assert operation.resolved_schema.column_names == ("name", "age", "pay", "r")


def test_sql_numbers_repeated_names(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("name"), col("name"), col("name")])
    assert operation.resolved_schema.column_names == ("name", "name0", "name1")


def test_all_fields_of_a_row_column(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [Star(("r",))])
    assert operation.resolved_schema.column_names == ("x",)
