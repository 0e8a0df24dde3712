"""A table of a SQL database: names, columns, and what a dialect has without writing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from table_common.connector.sql import SqlTable
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.types import BigIntType, DateType, DoubleType, IntType, LogicalType, RowField, RowType, VarCharType


@dataclass(frozen=True)
class Table(SqlTable):
    """A table whose texts are compared without case, unless a collation is named."""

    name: str = "t"
    columns: Mapping[str, str] = field(default_factory=lambda: {"id": "bigint", "s": "text", "d": "", "day": "date"})

    DATABASE = "Test"

    def selected(self, name: str, type_: LogicalType) -> str | None:
        return None if isinstance(type_, DateType) else self.quoted(name)

    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        return self.quoted(name) + (" COLLATE binary" if isinstance(type_, VarCharType) else "")

    def suggested_type(self, name: str) -> str:
        return "STRING"


def row(**types: LogicalType) -> RowType:
    return RowType.of(list(types.items()), nullable=False)


def test_the_columns_of_a_table_can_have_more_than_those_declared() -> None:
    Table().require_columns(row(id=BigIntType(), s=VarCharType()), "table x")


def test_the_error_of_a_missing_column_shows_both_schemas() -> None:
    with pytest.raises(ValidationException, match=r"Test's table 't' has no column n, which table x declares:") as caught:
        Table().require_columns(row(id=BigIntType(), n=IntType()), "table x")
    lines = [line.split() for line in str(caught.value).splitlines()[1:]]
    assert lines == [
        ["declared", "in", "Test"],
        ["id", "BIGINT", "id", "bigint"],
        ["n", "INT", "-"],
        ["-", "s", "text"],
        ["-", "d"],
        ["-", "day", "date"],
    ]
    assert caught.value.hint is None


def test_the_error_of_another_type_has_a_type_to_declare() -> None:
    with pytest.raises(ValidationException, match="has other types for day") as caught:
        Table().require_columns(row(day=DateType()), "table x")
    assert caught.value.hint == "declare day as STRING"


def test_a_message_has_both_types_of_a_column() -> None:
    assert Table().described_column("id", IntType()) == "INT, declared as bigint in Test"
    assert Table().described_column("d", IntType()) == "INT, without a declared type in Test"


def test_floating_point_numbers_are_no_keys() -> None:
    assert Table().identifies("id", BigIntType())
    assert not Table().identifies("d", DoubleType())
    assert Table().key_operand("d", DoubleType()) is None


def test_groups_are_made_of_columns_that_are_compared_as_they_are_read() -> None:
    assert Table().group_key("id", BigIntType(), '"id"') == '"id"'
    assert Table().group_key("s", VarCharType(), '"s"') is None
    assert Table().group_key("d", DoubleType(), '"d"') is None


def test_the_engine_aggregates_unless_the_dialect_says_how() -> None:
    argument = FieldReferenceExpression("id", BigIntType(), 0, 0)
    assert Table().aggregate("SUM", argument, RowField("sum", BigIntType())) is None
