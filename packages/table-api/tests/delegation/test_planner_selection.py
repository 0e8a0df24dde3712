from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api import Configuration, EnvironmentSettings, TableEnvironment, ValidationException
from table_api.delegation.planner_selection import select_planner, with_external_options

if TYPE_CHECKING:
    from conftest import Installed

UNNAMED = EnvironmentSettings.in_batch_mode()


def _named(name: str) -> EnvironmentSettings:
    return EnvironmentSettings.new_instance().with_planner(name).build()


def test_the_only_planner_is_taken(installed: Installed) -> None:
    installed.add("arrow")
    assert select_planner(UNNAMED).factory_identifier == "arrow"


def test_with_both_installed_spark_is_taken(installed: Installed) -> None:
    installed.add("arrow")
    installed.add("spark")
    assert select_planner(UNNAMED).factory_identifier == "spark"


def test_the_planner_that_matches_is_taken(installed: Installed) -> None:
    installed.add("arrow")
    installed.add("spark", refusal="no Java")
    assert select_planner(UNNAMED).factory_identifier == "arrow"


def test_the_planner_named_is_taken_and_only_it_is_loaded(installed: Installed) -> None:
    arrow, spark = installed.add("arrow"), installed.add("spark")
    assert select_planner(_named("arrow")).factory_identifier == "arrow"
    assert (arrow.loaded, spark.loaded) == (1, 0)


def test_none_matching_says_which_refused_and_why(installed: Installed) -> None:
    installed.add("arrow", refusal="batch mode is wanted")
    installed.add("spark", refusal="no Java")
    with pytest.raises(ValidationException, match="'arrow': batch mode is wanted; 'spark': no Java"):
        select_planner(UNNAMED)


def test_the_planner_named_may_refuse(installed: Installed) -> None:
    installed.add("spark", refusal="no Java")
    with pytest.raises(ValidationException, match="'spark' refuses these settings: no Java"):
        select_planner(_named("spark"))


@pytest.mark.usefixtures("installed")
def test_without_a_planner_the_error_says_what_to_install() -> None:
    with pytest.raises(ValidationException) as caught:
        select_planner(UNNAMED)
    assert "pip install table-runtime[planner]" in str(caught.value)
    assert "pip install table-planner-spark" in str(caught.value)


def test_an_unknown_planner_is_an_error_when_the_environment_is_created(installed: Installed) -> None:
    installed.add("arrow")
    with pytest.raises(ValidationException, match=r"No planner 'arow' is installed\. Did you mean 'arrow'\? Installed planners: arrow\."):
        TableEnvironment.create(_named("arow"))


@pytest.mark.usefixtures("installed")
def test_a_known_planner_that_is_not_installed_says_what_to_install() -> None:
    with pytest.raises(ValidationException) as caught:
        TableEnvironment.create(_named("spark"))
    assert "pip install table-planner-spark" in str(caught.value)


def test_creating_an_environment_loads_no_planner(installed: Installed) -> None:
    entry = installed.add("arrow")
    TableEnvironment.create(_named("arrow")).execute_sql("SHOW TABLES")
    assert entry.loaded == 0


def test_several_planners_without_spark_must_be_named(installed: Installed) -> None:
    installed.add("arrow")
    installed.add("other")
    with pytest.raises(ValidationException, match="More than one planner"):
        select_planner(UNNAMED)


def test_objects_of_the_program_give_options_that_settings_and_reset_know(installed: Installed) -> None:
    entry = installed.add("fake")
    with TableEnvironment.create(UNNAMED, external={"zone": "Asia/Tokyo"}) as env:
        assert entry.loaded == 1
        assert env.get_config().get_local_timezone() == "Asia/Tokyo"
        env.execute_sql("SET 'table.local-time-zone' = 'UTC'")
        env.execute_sql("RESET 'table.local-time-zone'")
        assert env.get_config().get_local_timezone() == "Asia/Tokyo"


def test_settings_come_before_objects_of_the_program(installed: Installed) -> None:
    installed.add("fake")
    given = EnvironmentSettings.new_instance().in_batch_mode().with_configuration(Configuration({"table.local-time-zone": "UTC"})).build()
    with TableEnvironment.create(given, external={"zone": "Asia/Tokyo"}) as env:
        assert env.get_config().get_local_timezone() == "UTC"
    assert with_external_options(given, {"zone": "Asia/Tokyo"}) is given


@pytest.mark.parametrize(
    ("settings", "others", "warns"),
    [
        (EnvironmentSettings.in_streaming_mode(), True, True),
        (EnvironmentSettings.in_streaming_mode(), False, False),
        (UNNAMED, True, False),
        (EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build(), True, False),
    ],
    ids=["unnamed", "the only one", "batch mode", "named"],
)
def test_a_planner_that_nobody_named_warns_that_it_returns_final_rows(
    settings: EnvironmentSettings, others: bool, warns: bool, installed: Installed, caplog: pytest.LogCaptureFixture
) -> None:
    installed.add("spark")
    if others:
        installed.add("arrow")
    with TableEnvironment.create(settings) as env:
        env.execute_sql("SELECT 1")
    found = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(found) == warns
    assert all("the final rows" in message and "'arrow'" in message for message in found)
