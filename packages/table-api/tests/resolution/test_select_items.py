"""The items of SELECT: stars and names."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression
from table_api.expressions import col as column
from table_api.expressions.unresolved import Reference, Star
from table_api.resolution.operation_builder import OperationBuilder
from table_common.types import DataTypes


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


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (column("r").get("x"), "r$x"),
        (column("r").x, "r$x"),
        (column("r").get(0), "r$_0"),
        (column("r").x.cast(DataTypes.STRING()), "r$x-STRING"),
        (column("pay").cast(DataTypes.DECIMAL(6, 1)), "pay-DECIMAL(6, 1)"),
        ((column("age") + 1).cast(DataTypes.STRING()), "_c0"),
        (column("age").try_cast(DataTypes.STRING()), "_c0"),
    ],
    ids=str,
)
def test_the_table_api_names_fields_and_casts_as_flink_does(api: OperationBuilder, expression: Expression, name: str) -> None:
    operation = api.project(api.from_path(("t",)), [expression.unresolved])
    assert operation.resolved_schema.column_names == (name,)
