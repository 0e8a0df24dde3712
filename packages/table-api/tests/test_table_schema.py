"""Tests for table_api.table_schema."""

from __future__ import annotations

import pytest

from table_api import DataTypes, TableEnvironment
from table_api.table_schema import TableSchema
from table_common.exceptions import ValidationException

SCHEMA = TableSchema.builder().field("a", DataTypes.INT()).field("b", DataTypes.STRING()).build()


def test_getters_return_names_and_types_by_position_and_name() -> None:
    assert SCHEMA.get_field_count() == 2
    assert SCHEMA.get_field_names() == ["a", "b"]
    assert [SCHEMA.get_field_name(position) for position in (0, 1, 2)] == ["a", "b", None]
    assert SCHEMA.get_field_data_types() == [DataTypes.INT(), DataTypes.STRING()]
    assert (SCHEMA.get_field_data_type("b"), SCHEMA.get_field_data_type(0)) == (DataTypes.STRING(), DataTypes.INT())
    assert (SCHEMA.get_field_data_type("c"), SCHEMA.get_field_data_type(9)) == (None, None)


def test_the_row_type_has_all_columns() -> None:
    assert str(SCHEMA.to_row_data_type()) == "ROW<`a` INT, `b` STRING> NOT NULL"


def test_schemas_with_equal_columns_are_equal() -> None:
    assert TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING()]) == SCHEMA == SCHEMA.copy()
    assert hash(TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING()])) == hash(SCHEMA)
    assert TableSchema(["a"], [DataTypes.INT()]) != SCHEMA


def test_a_schema_prints_as_a_tree() -> None:
    assert repr(SCHEMA) == "root\n |-- a: INT\n |-- b: STRING\n"


def test_names_must_be_unique_and_have_types() -> None:
    with pytest.raises(ValidationException, match="'a' occurs twice"):
        TableSchema(["a", "a"], [DataTypes.INT(), DataTypes.INT()])
    with pytest.raises(ValidationException, match="2 names and 1 types"):
        TableSchema(["a", "b"], [DataTypes.INT()])


def test_tables_and_results_return_it(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a")
    assert table.get_schema() == TableSchema(["a"], [DataTypes.INT().not_null()])
    assert env.execute_sql("SHOW CATALOGS").get_table_schema().get_field_names() == ["catalog name"]
