"""The settings that the bridge's environment takes; no Spark is started."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from table_api import EnvironmentSettings
from table_api_bridge import DataFrameQueryOperation, SparkTableEnvironment
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.types import IntType


def test_another_planner_is_refused() -> None:
    with pytest.raises(ValidationException, match="runs on the planner 'spark', but the settings name 'arrow'"):
        SparkTableEnvironment.create(environment_settings=EnvironmentSettings.new_instance().with_planner("arrow").build())


def test_frames_are_equal_by_identity_and_schema() -> None:
    first, second = SimpleNamespace(isStreaming=False), SimpleNamespace(isStreaming=True)
    schema = ResolvedSchema.physical([("a", IntType())])
    one = DataFrameQueryOperation.of(first, schema)  # type: ignore[arg-type]  # any object has an identity
    assert one == DataFrameQueryOperation.of(first, schema)  # type: ignore[arg-type]
    assert one != DataFrameQueryOperation.of(second, schema)  # type: ignore[arg-type]


def test_the_rows_of_a_streaming_frame_do_not_end() -> None:
    schema = ResolvedSchema.physical([("a", IntType())])
    frames = [SimpleNamespace(isStreaming=is_streaming) for is_streaming in (False, True)]
    assert [DataFrameQueryOperation.of(frame, schema).is_bounded for frame in frames] == [True, False]  # type: ignore[arg-type]
