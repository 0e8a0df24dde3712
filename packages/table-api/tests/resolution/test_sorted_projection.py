"""ORDER BY columns that are not selected."""

from __future__ import annotations

from table_api.expressions.unresolved import Reference, SortKey
from table_api.operations import (
    SortQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder


def col(*path: str) -> Reference:
    return Reference(path)


def test_order_by_a_column_that_is_not_selected_is_dropped_after_sorting(sql: OperationBuilder) -> None:
    operation = sql.select(sql.from_path(("t",)), [col("name")], order_by=[SortKey(col("age"))])
    assert operation.resolved_schema.column_names == ("name",)
    assert isinstance(operation.children[0], SortQueryOperation)
