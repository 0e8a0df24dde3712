from __future__ import annotations

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from table_api import Configuration, EnvironmentSettings, SqlDialect, TableConfig, TableEnvironment, ValidationException
from table_api.table_config import AUTO_WATERMARK_INTERVAL, EXEC_TIMEOUT, OPTIONS, time_zone_of


def test_builder_sets_mode_planner_interval_and_zone() -> None:
    config = (
        TableConfig.builder()
        .in_batch_mode()
        .with_planner("arrow")
        .with_watermark_interval(500)
        .with_local_time_zone("UTC")
        .with_timeout(timedelta(seconds=5))
        .build()
    )
    assert config.to_map() == {
        "execution.runtime-mode": "batch",
        "table.planner": "arrow",
        "pipeline.auto-watermark-interval": "500 ms",
        "table.local-time-zone": "UTC",
        "table.exec.timeout": "5000 ms",
    }


def test_environment_is_created_from_a_config() -> None:
    with TableEnvironment.create(TableConfig.builder().in_batch_mode().build()) as env:
        assert not env.session.is_streaming_mode


def test_environment_is_created_from_a_configuration() -> None:
    with TableEnvironment.create(Configuration({"table.builtin-catalog-name": "c"})) as env:
        assert (env.get_current_catalog(), env.session.is_streaming_mode) == ("c", True)


def test_settings_are_not_changed_by_the_session() -> None:
    settings = EnvironmentSettings.in_batch_mode()
    with TableEnvironment.create(settings) as env:
        env.get_config().set("a", "b")
    assert "a" not in settings.get_configuration()


def test_typed_option_gives_its_default() -> None:
    assert TableConfig().get(AUTO_WATERMARK_INTERVAL) == timedelta(milliseconds=200)
    assert TableConfig().get(EXEC_TIMEOUT) is None


def test_plain_key_gives_text_or_the_default_given() -> None:
    assert TableConfig().set("a", 1).get("a", "x") == "1"
    assert TableConfig().get("b", "x") == "x"


def test_known_option_checks_its_value() -> None:
    with pytest.raises(ValidationException, match="takes a duration"):
        TableConfig().set("table.exec.timeout", "soon")


def test_adding_a_configuration_checks_values_too() -> None:
    with pytest.raises(ValidationException, match="takes true or false"):
        TableConfig().add_configuration(Configuration({"table.dml-sync": "perhaps"}))


def test_option_is_kept_under_the_key_that_was_used() -> None:
    config = TableConfig().set("sql-client.display.max-column-width", 50)
    assert (config.to_map(), config.get(OPTIONS["table.display.max-column-width"])) == ({"sql-client.display.max-column-width": "50"}, 50)


def test_every_option_says_what_it_is() -> None:
    assert [key for key, option in OPTIONS.items() if len(option.description.split()) < 4] == []


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("UTC", UTC),
        ("Europe/Berlin", ZoneInfo("Europe/Berlin")),
        ("+02:30", timezone(timedelta(hours=2, minutes=30))),
        ("GMT-08:00", timezone(timedelta(hours=-8))),
    ],
)
def test_time_zones_are_names_and_offsets(name: str, zone: object) -> None:
    assert time_zone_of(name) == zone


def test_unknown_time_zone_is_refused() -> None:
    with pytest.raises(ValidationException, match="no time zone 'Mars/Base'"):
        TableConfig().set_local_timezone("Mars/Base")


def test_idle_state_retention_round_trips() -> None:
    config = TableConfig()
    config.set_idle_state_retention(timedelta(hours=1))
    assert config.get_idle_state_retention() == timedelta(hours=1)


def test_hive_dialect_is_refused() -> None:
    config = TableConfig()
    assert config.get_sql_dialect() is SqlDialect.DEFAULT
    with pytest.raises(ValidationException, match="'hive' is not supported"):
        config.set_sql_dialect(SqlDialect.HIVE)
