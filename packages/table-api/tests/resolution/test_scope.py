"""Names in expressions: unknown columns and fields of rows."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Reference, Span
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.scope import Relation, Scope
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.types import IntType


def col(*path: str) -> Reference:
    return Reference(path)


def test_an_unknown_column_is_shown_with_a_caret_and_a_suggestion(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException) as caught:
        sql.project(sql.from_path(("t",)), [Reference(("nam",), span=Span(7, 10))])
    assert "Column 'nam' does not exist. Did you mean 'name'?" in str(caught.value)
    assert str(caught.value).endswith("at line 1, column 8:\n  SELECT nam FROM t\n         ^^^")


def test_a_field_of_a_row_is_reached_by_its_name(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("r", "x")])
    assert operation.resolved_schema.column_types == (IntType(),)
    assert operation.resolved_schema.column_names == ("x",)


def test_a_relation_whose_types_a_join_keeps_is_not_copied() -> None:
    left = Scope((Relation(("l",), (PhysicalColumn("a", IntType()),)),))
    right = Scope((Relation(("r",), (PhysicalColumn("b", IntType(nullable=False)),)),))
    joined = left.beside(right)
    schema = ResolvedSchema((*left.relations[0].columns, PhysicalColumn("b", IntType())))
    assert joined.with_schema(schema).relations[0] is joined.relations[0]
