"""Creation of the environment, and schemas of streams; rows are read in the integration tests."""

from __future__ import annotations

import pytest

from table_api import Configuration, EnvironmentSettings, Schema, StreamTableEnvironment
from table_api.common import Row, RowKind
from table_api.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from table_api.expressions import col
from table_common.exceptions import ValidationException


def test_options_of_settings_replace_those_of_the_environment_of_streams() -> None:
    env = StreamExecutionEnvironment(Configuration().set_string("table.exec.timeout", "1 h"))
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    assert not StreamTableEnvironment.create(env).session.is_streaming_mode
    t_env = StreamTableEnvironment.create(env, EnvironmentSettings.in_streaming_mode())
    assert t_env.session.is_streaming_mode
    assert t_env.get_config().get("table.exec.timeout", "") == "1 h"


def test_columns_are_named_by_position_or_chosen_by_name() -> None:
    t_env = StreamTableEnvironment.create()
    assert t_env.from_data_stream([(1, "a")], col("x"), col("y")).get_schema().get_field_names() == ["x", "y"]
    assert t_env.from_data_stream([{"x": 1, "y": 2}], col("y")).get_schema().get_field_names() == ["y"]


def test_a_schema_names_and_types_columns() -> None:
    schema = Schema.new_builder().column("x", "DOUBLE").column_by_expression("y", col("x") + 1).build()
    table = StreamTableEnvironment.create().from_data_stream([(1,)], schema)
    assert str(table.get_resolved_schema().to_row_type()) == "ROW<`x` DOUBLE, `y` DOUBLE> NOT NULL"


def test_a_changelog_has_physical_columns() -> None:
    schema = Schema.new_builder().column("x", "INT").column_by_expression("y", "x + 1").build()
    with pytest.raises(ValidationException, match="'y' is not physical"):
        StreamTableEnvironment.create().from_changelog_stream([Row.of_kind(RowKind.INSERT, 1)], schema)
