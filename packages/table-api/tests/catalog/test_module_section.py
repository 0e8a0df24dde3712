"""What reads a YAML file hands its section ``modules`` over as it is."""

from __future__ import annotations

from table_api import EnvironmentSettings, TableEnvironment


def test_load_modules_is_the_yaml_section() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.load_modules([{"name": "a", "type": "core"}])
    assert env.list_modules() == ["a"]
