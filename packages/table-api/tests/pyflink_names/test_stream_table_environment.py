"""Creation of the environment, and schemas of streams; rows are read in the integration tests."""

from __future__ import annotations

import pytest

from table_api import ChangelogMode, Configuration, EnvironmentSettings, Schema, StreamTableEnvironment
from table_api.common import Row, RowKind, Types
from table_api.expressions import col
from table_api.pyflink_names.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
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


CHANGES = [Row.of_kind(RowKind.INSERT, "a", 1)]


def named(t_env: StreamTableEnvironment, schema: Schema | None, mode: ChangelogMode | None = None) -> str:
    stream = StreamExecutionEnvironment().from_collection(CHANGES, Types.ROW([Types.STRING(), Types.INT()]))
    return str(t_env.from_changelog_stream(stream, schema, mode).get_resolved_schema().to_row_type())


def test_a_changelog_has_the_columns_of_its_stream() -> None:
    assert named(StreamTableEnvironment.create(), None) == "ROW<`f0` STRING, `f1` INT> NOT NULL"


def test_a_changelog_adds_the_computed_columns_of_its_schema() -> None:
    schema = Schema.new_builder().column_by_expression("next", "f1 + 1").primary_key("f0").build()
    assert named(StreamTableEnvironment.create(), schema) == "ROW<`f0` STRING, `f1` INT, `next` INT> NOT NULL"


def test_upserts_need_a_key() -> None:
    with pytest.raises(ValidationException, match="UPDATE_AFTER but no UPDATE_BEFORE, so its rows need a key"):
        named(StreamTableEnvironment.create(), None, ChangelogMode.upsert())


def test_the_metadata_column_of_a_stream_is_rowtime() -> None:
    schema = Schema.new_builder().column_by_metadata("topic", "STRING").build()
    with pytest.raises(ValidationException, match=r"Metadata key 'topic'.*rowtime"):
        named(StreamTableEnvironment.create(), schema)
