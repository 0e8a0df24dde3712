"""Settings of an environment."""

from __future__ import annotations

import pytest

from table_api import Configuration, EnvironmentSettings, TableEnvironment, ValidationException


def test_settings_are_not_changed_by_the_session() -> None:
    settings = EnvironmentSettings.in_batch_mode()
    with TableEnvironment.create(settings) as env:
        env.get_config().set("pipeline.name", "b")
    assert "pipeline.name" not in settings.get_configuration()


def test_settings_with_a_wrong_value_create_no_environment() -> None:
    with pytest.raises(ValidationException, match="takes true or false"):
        TableEnvironment.create(Configuration({"table.dml-sync": "perhaps"}))
