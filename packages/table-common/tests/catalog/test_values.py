"""PyFlink's constructors and getters of the values of catalogs."""

from __future__ import annotations

import pytest

from table_common.catalog import (
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogColumnStatisticsDataLong,
    CatalogDatabase,
    CatalogDescriptor,
    CatalogFunction,
    CatalogModel,
    CatalogPartition,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    Constraint,
    Schema,
    UniqueConstraint,
    WatermarkSpec,
)
from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.types import DataTypes, TimestampType

SCHEMA = Schema.new_builder().column("id", "INT").column("name", DataTypes.STRING()).build()
TIME = FieldReferenceExpression("ts", TimestampType(3), 0, 0)


@pytest.mark.parametrize("class_", [CatalogDatabase, CatalogPartition])
def test_databases_and_partitions_have_properties_and_a_comment(class_: type[CatalogDatabase] | type[CatalogPartition]) -> None:
    value = class_.create_instance({"a": "1"}, "text")
    assert (value.get_properties(), value.get_comment()) == ({"a": "1"}, "text")
    assert (value.get_description(), value.get_detailed_description()) == ("text", "text")
    assert value.copy() == value == class_({"a": "1"}, "text")


def test_tables_are_created_with_keys_and_options() -> None:
    table = CatalogBaseTable.create_table(SCHEMA, ["id"], {"connector": "print"}, "orders")
    assert table == CatalogTable(SCHEMA, "orders", {"connector": "print"}, ("id",))
    assert (table.get_options(), table.get_unresolved_schema(), table.get_comment()) == ({"connector": "print"}, SCHEMA, "orders")
    assert (table.get_description(), table.get_detailed_description()) == ("orders", "orders")


def test_views_are_created_with_both_queries() -> None:
    view = CatalogBaseTable.create_view("SELECT 1", "SELECT 1 AS a", SCHEMA, {}, "one")
    assert view == CatalogView(SCHEMA, "one", {}, "SELECT 1", "SELECT 1 AS a")


def test_functions_are_of_python() -> None:
    function = CatalogFunction.create_instance("my.Function")
    assert (function.get_class_name(), function.get_function_language()) == ("my.Function", "PYTHON")
    assert (function.get_description(), function.get_detailed_description(), function.get_options()) == (None, None, {})
    assert function.copy() == function
    with pytest.raises(ValidationException, match="A function in Java cannot be stored"):
        CatalogFunction.create_instance("org.Function", "Java")


def test_models_take_schemas_of_physical_columns() -> None:
    model = CatalogModel.create_model(SCHEMA, SCHEMA, {"provider": "x"}, "text")
    assert [str(type_) for type_ in model.input_schema.column_types] == ["INT", "STRING"]
    assert (model.get_options(), model.get_comment(), model.copy()) == ({"provider": "x"}, "text", model)
    assert CatalogModel.create_model(model.input_schema, model.output_schema).input_schema is model.input_schema
    with pytest.raises(ValidationException, match="'n' of a model is computed"):
        CatalogModel.create_model(Schema.new_builder().column_by_expression("n", "1").build(), SCHEMA)


def test_statistics_have_getters() -> None:
    statistics = CatalogTableStatistics(1, 2, 3, 4, {"a": "b"})
    assert (statistics.get_row_count(), statistics.get_field_count(), statistics.get_total_size()) == (1, 2, 3)
    assert (statistics.get_raw_data_size(), statistics.get_properties(), statistics.copy()) == (4, {"a": "b"}, statistics)
    columns = CatalogColumnStatistics({"id": CatalogColumnStatisticsDataLong(ndv=5)}, {"a": "b"})
    assert columns.get_column_statistics_data() == {"id": CatalogColumnStatisticsDataLong(ndv=5)}
    assert (columns.get_properties(), columns.copy()) == ({"a": "b"}, columns)


def test_descriptors_take_a_configuration() -> None:
    configuration = Configuration().set("type", "sqlite")
    assert CatalogDescriptor.of("c", configuration, "text") == CatalogDescriptor({"type": "sqlite"}, "text")


def test_constraints_and_watermarks_have_getters() -> None:
    key = UniqueConstraint.primary_key("pk", ["id"])
    assert (key.get_name(), key.get_columns(), key.get_type(), key.get_type_string(), key.is_enforced()) == (
        "pk",
        ["id"],
        Constraint.ConstraintType.PRIMARY_KEY,
        "PRIMARY KEY",
        False,
    )
    assert key.as_summary_string() == "CONSTRAINT `pk` PRIMARY KEY (`id`) NOT ENFORCED"
    watermark = WatermarkSpec.of("ts", TIME)
    assert (watermark.get_rowtime_attribute(), watermark.get_watermark_expression()) == ("ts", TIME)
    assert watermark.as_summary_string() == "WATERMARK FOR `ts`: TIMESTAMP(3) AS `ts`"
