from __future__ import annotations

import pytest

from table_common.catalog import ResolvedSchema, Schema
from table_common.types import DataTypes, IntType, RowType, VarCharType


def test_columns_keep_their_order_and_kind() -> None:
    schema = (
        Schema.new_builder()
        .column("id", "INT NOT NULL")
        .column_by_expression("twice", "id * 2")
        .column_by_metadata("ts", DataTypes.TIMESTAMP(3), "timestamp", True)
        .build()
    )
    assert [(column.name, column.expression, column.is_metadata, column.metadata_key, column.is_virtual) for column in schema.columns] == [
        ("id", None, False, None, False),
        ("twice", "id * 2", False, None, False),
        ("ts", None, True, "timestamp", True),
    ]


def test_a_comment_belongs_to_the_last_column() -> None:
    schema = Schema.new_builder().column("a", "INT").column("b", "INT").with_comment("second").build()
    assert [column.comment for column in schema.columns] == [None, "second"]


def test_a_primary_key_without_a_name_is_named_after_its_columns() -> None:
    key = Schema.new_builder().column("a", "INT NOT NULL").column("b", "INT NOT NULL").primary_key("a", "b").build().primary_key
    assert key is not None
    assert key.column_names == ("a", "b")
    assert "a" in key.constraint_name
    assert "b" in key.constraint_name


def test_a_named_primary_key_keeps_its_name() -> None:
    key = Schema.new_builder().column("a", "INT NOT NULL").primary_key_named("pk", "a").build().primary_key
    assert key is not None
    assert key.constraint_name == "pk"


def test_a_watermark_has_its_column_and_expression() -> None:
    (watermark,) = Schema.new_builder().column("ts", "TIMESTAMP(3)").watermark("ts", "ts - INTERVAL '5' SECOND").build().watermark_specs
    assert (watermark.column_name, watermark.expression) == ("ts", "ts - INTERVAL '5' SECOND")


def test_the_fields_of_a_row_type_become_columns() -> None:
    schema = Schema.new_builder().from_row_data_type(DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])).build()
    assert [column.name for column in schema.columns] == ["a"]


def test_a_type_that_is_not_a_row_is_refused() -> None:
    with pytest.raises(TypeError, match="from_row_data_type takes a ROW type, but got INT"):
        Schema.new_builder().from_row_data_type(DataTypes.INT())


def test_a_resolved_schema_returns_its_physical_columns() -> None:
    resolved = ResolvedSchema.physical([("a", IntType()), ("b", VarCharType())])
    schema = Schema.new_builder().from_resolved_schema(resolved).build()
    assert [(column.name, column.data_type) for column in schema.columns] == [("a", IntType()), ("b", VarCharType())]


def test_a_schema_can_be_extended() -> None:
    first = Schema.new_builder().column("a", "INT").build()
    assert [column.name for column in Schema.new_builder().from_schema(first).column("b", RowType()).build().columns] == ["a", "b"]


def test_the_text_of_a_schema_is_that_of_flink() -> None:
    builder = Schema.new_builder().column("a", DataTypes.INT().not_null()).column("b", "STRING").with_comment("it's b")
    builder = builder.column_by_expression("c", "a + 1").column_by_metadata("m", "INT", "x", True).column_by_metadata("k", "INT")
    schema = builder.watermark("ts", "ts - INTERVAL '5' SECOND").primary_key("a", "b").build()
    assert str(schema).splitlines() == [
        "(",
        "  `a` INT NOT NULL,",
        "  `b` [STRING] COMMENT 'it''s b',",
        "  `c` AS [a + 1],",
        "  `m` [INT] METADATA FROM 'x' VIRTUAL,",
        "  `k` [INT] METADATA,",
        "  WATERMARK FOR `ts` AS [ts - INTERVAL '5' SECOND],",
        "  CONSTRAINT `PK_a_b` PRIMARY KEY (`a`, `b`) NOT ENFORCED",
        ")",
    ]
