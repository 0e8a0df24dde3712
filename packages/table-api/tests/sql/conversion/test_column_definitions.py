"""Parts of a table definition."""

from __future__ import annotations

from table_api.sql.conversion.column_definitions import without_primary_key
from table_common.catalog import Schema


def test_columns_of_a_key_that_is_left_out_stay_not_null() -> None:
    schema = Schema.new_builder().column("a", "INT").column("b", "INT").column_by_expression("c", "a + 1").primary_key("a").build()
    left = without_primary_key(schema)
    assert left.primary_key is None
    assert [str(column.data_type) for column in left.columns] == ["INT NOT NULL", "INT", "None"]


def test_a_schema_without_a_key_stays_as_it_is() -> None:
    schema = Schema.new_builder().column("a", "INT").build()
    assert without_primary_key(schema) is schema
