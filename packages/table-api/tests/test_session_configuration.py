"""Options of a session: checks of values, and warnings about keys."""

from __future__ import annotations

import pytest

from table_api import Configuration, EnvironmentSettings, TableConfig, TableEnvironment, TableException, ValidationException
from table_common.configuration import ConfigurationWarning, TableConfigOptions


def test_known_option_checks_its_value() -> None:
    with pytest.raises(ValidationException, match="takes a duration"):
        TableConfig().set("table.exec.timeout", "soon")


def test_adding_a_configuration_checks_values_too() -> None:
    with pytest.raises(ValidationException, match="takes true or false"):
        TableConfig().add_configuration(Configuration({"table.dml-sync": "perhaps"}))


def test_option_is_kept_under_the_key_that_was_used() -> None:
    config = TableConfig().set("sql-client.display.max-column-width", 50)
    assert (config.to_map(), config.get(TableConfigOptions.DISPLAY_MAX_COLUMN_WIDTH)) == ({"sql-client.display.max-column-width": "50"}, 50)


def test_unknown_option_warns_with_the_closest_one() -> None:
    with pytest.warns(ConfigurationWarning, match=r"'table.dml-snyc' is not known .* did you mean 'table.dml-sync'"):
        TableConfig().set("table.dml-snyc", "true")


def test_option_without_effect_warns_with_the_reason() -> None:
    with pytest.warns(ConfigurationWarning, match=r"'table.generated-code.max-length' has no effect: no engine here generates code"):
        TableConfig().set("table.generated-code.max-length", "10")


def test_warning_about_an_option_is_given_once_and_names_the_program() -> None:
    config = TableConfig()
    with pytest.warns(ConfigurationWarning) as warned:
        config.set("taskmanager.numberOfTaskSlots", "1")
    assert [one.filename for one in warned] == [__file__]
    config.set("taskmanager.numberOfTaskSlots", "2")  # a warning would be an error


def test_option_set_in_the_underlying_configuration_is_checked_too() -> None:
    with pytest.raises(ValidationException, match="takes true or false"):
        TableConfig().get_configuration().set_string("table.dml-sync", "perhaps")


def test_value_that_would_promise_what_is_not_done_is_refused() -> None:
    with pytest.raises(ValidationException, match="cannot be 'true': nested rows keep their nullability"):
        TableConfig().set("table.legacy-nested-row-nullability", "true")


@pytest.mark.parametrize("key", ["table.planner", "table.builtin-catalog-name"])
def test_option_that_an_environment_is_created_with_cannot_be_set_afterwards(key: str) -> None:
    settings = EnvironmentSettings.new_instance().in_batch_mode().build()
    with TableEnvironment.create(settings) as env, pytest.raises(TableException, match="fixed when an environment is created"):
        env.get_config().set(key, "streaming")
