from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from table_api.catalog import SchemaResolver
from table_common.catalog import CatalogTable, Column, ComputedColumn, Schema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression


def _column_named(expression: Any, columns: Sequence[Column]) -> ResolvedExpression:
    """Resolves the name of a column only."""
    for index, column in enumerate(columns):
        if column.name == expression:
            return FieldReferenceExpression(column.name, column.data_type, 0, index)
    raise ValidationException.unknown("Column", str(expression), [column.name for column in columns])


RESOLVER = SchemaResolver(_column_named)


def _builder() -> Schema.Builder:
    return Schema.new_builder().column("a", "INT").column("ts", "TIMESTAMP(3)")


def test_types_given_as_text_are_parsed() -> None:
    assert [str(t) for t in RESOLVER.resolve(_builder().build()).column_types] == ["INT", "TIMESTAMP(3)"]


def test_computed_column_keeps_its_place() -> None:
    schema = RESOLVER.resolve(Schema.new_builder().column_by_expression("c", "a").column("a", "INT").build())
    assert [type(column) is ComputedColumn for column in schema.columns] == [True, False]


def test_computed_column_cannot_use_another_one() -> None:
    schema = _builder().column_by_expression("b", "a").column_by_expression("c", "b").build()
    with pytest.raises(ValidationException, match="Invalid computed column 'c'") as caught:
        RESOLVER.resolve(schema)
    assert "cannot use another one" in str(caught.value)


def test_event_time_column_may_be_computed() -> None:
    schema = RESOLVER.resolve(_builder().column_by_expression("e", "ts").watermark("e", "e").build())
    assert schema.watermark_specs[0].rowtime_attribute == "e"


def test_event_time_column_is_marked_in_streaming_mode() -> None:
    schema = SchemaResolver(_column_named, is_streaming_mode=lambda: True).resolve(_builder().watermark("ts", "ts").build())
    assert str(schema.columns[1].data_type) == "TIMESTAMP(3) *ROWTIME*"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (_builder().column("a", "INT").build(), "these are repeated: a"),
        (_builder().watermark("a", "a").build(), "event time column 'a' takes TIMESTAMP"),
        (_builder().watermark("t", "ts").build(), "'t' does not exist in the watermark"),
        (_builder().primary_key("b").build(), "Primary key column 'b' does not exist"),
        (_builder().primary_key("a", "a").build(), "occurs twice"),
        (_builder().column_by_expression("c", "a").primary_key("c").build(), "not a physical column"),
        (_builder().column_by_expression("c", "x").build(), "Invalid computed column 'c': Column 'x' does not exist"),
    ],
)
def test_invalid_schema_is_refused(schema: Schema, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        RESOLVER.resolve(schema)


def test_key_column_becomes_not_null() -> None:
    assert not RESOLVER.resolve(_builder().primary_key("a").build()).columns[0].data_type.nullable


def test_partition_key_must_be_a_column() -> None:
    with pytest.raises(ValidationException, match="Partition key 'p' does not exist"):
        RESOLVER.resolve_table(CatalogTable(_builder().build(), partition_keys=("p",)))
