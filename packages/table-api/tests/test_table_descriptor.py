from __future__ import annotations

import pytest

from table_api import DataTypes, FormatDescriptor, Schema, TableDescriptor, ValidationException
from table_common.configuration import ConfigOptions

SCHEMA = Schema.new_builder().column("a", "INT").build()


def test_options_of_a_format_get_its_name_in_front() -> None:
    csv = FormatDescriptor.for_format("csv").option("field-delimiter", ";").build()
    descriptor = TableDescriptor.for_connector("filesystem").schema(SCHEMA).format(csv).option("path", "x").build()
    assert descriptor.get_options() == {"connector": "filesystem", "format": "csv", "csv.field-delimiter": ";", "path": "x"}


def test_format_of_a_part_keeps_the_part_in_front() -> None:
    key = ConfigOptions.key("value.format").string_type().no_default_value()
    json = FormatDescriptor.for_format("json").option("fail-on-missing-field", True).build()
    options = TableDescriptor.for_connector("kafka").format(json, key).build().get_options()
    assert options == {"connector": "kafka", "value.format": "json", "value.json.fail-on-missing-field": "true"}


def test_table_of_a_catalog_has_all_parts() -> None:
    table = TableDescriptor.for_connector("x").schema(SCHEMA).partitioned_by("a").comment("c").build().to_catalog_table()
    assert (table.schema, table.partition_keys, table.comment, dict(table.options)) == (SCHEMA, ("a",), "c", {"connector": "x"})


def test_table_without_a_schema_is_refused() -> None:
    with pytest.raises(ValidationException, match="needs a schema"):
        TableDescriptor.for_connector("x").build().to_catalog_table()


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in str(TableDescriptor.for_connector("x").option("password", "hunter2").build())


def test_the_text_of_a_descriptor_is_that_of_flink() -> None:
    assert str(TableDescriptor.for_connector("datagen").build()) == "\nWITH (\n  'connector' = 'datagen'\n)"
    schema = Schema.new_builder().column("a", DataTypes.INT()).build()
    descriptor = TableDescriptor.for_connector("x").schema(schema).partitioned_by("a").comment("it's").build()
    assert str(descriptor).splitlines() == [
        "(",
        "  `a` INT",
        ")",
        "COMMENT 'it''s'",
        "PARTITIONED BY (`a`)",
        "WITH (",
        "  'connector' = 'x'",
        ")",
    ]
