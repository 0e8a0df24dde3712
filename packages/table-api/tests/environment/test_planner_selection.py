from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException
from table_api.delegation.planner_selection import select_planner

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
