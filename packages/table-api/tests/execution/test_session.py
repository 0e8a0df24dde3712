"""A session: its planner, what it parses, its options, and the columns of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableException, ValidationException
from table_api.execution import session as session_module
from table_api.execution.session import TableSession
from table_api.operations import CollectModifyOperation, SinkModifyOperation
from table_api.plan import optimizer
from table_api.plan.programs import BATCH
from table_common.configuration import Configuration
from table_common.frozen_dataclass import replace
from table_common.restrictions import ALLOWED_MODULES_KEY

if TYPE_CHECKING:
    from conftest import FakePlanner, Installed


@pytest.fixture
def insertion(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> SinkModifyOperation:
    """An INSERT into a table without a connector."""
    monkeypatch.setattr(optimizer, "BATCH", replace(BATCH, sink=lambda operation, context: operation))
    env.execute_sql("CREATE TABLE sink (n INT) WITH ('connector' = 'none')")
    operation = env.session.parse("INSERT INTO sink SELECT a FROM t")
    assert isinstance(operation, SinkModifyOperation)
    return operation


def test_the_planner_is_created_at_its_first_use(installed: Installed) -> None:
    entry = installed.add("fake")
    session = TableSession(EnvironmentSettings.in_batch_mode())
    assert entry.loaded == 0
    assert session.planner is session.planner
    assert entry.loaded == 1
    session.close()


def test_an_unknown_planner_is_refused_at_once(installed: Installed) -> None:
    installed.add("fake")
    with pytest.raises(ValidationException, match="No planner 'other' is installed"):
        TableSession(EnvironmentSettings.new_instance().in_batch_mode().with_planner("other").build())


def test_only_a_query_is_converted_to_one(env: TableEnvironment) -> None:
    assert env.session.convert_query("SELECT 1 AS a").resolved_schema.column_names == ("a",)
    with pytest.raises(ValidationException, match="Expected a query"):
        env.session.convert_query("SHOW TABLES")


def test_a_long_statement_is_parsed_like_a_short_one(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = env.session.parse("SELECT 1 AS a")
    monkeypatch.setattr(session_module, "_LONG_TEXT", 5)
    assert env.session.parse("SELECT 1 AS a") == expected


def test_each_sink_has_a_column_of_its_own_name(env: TableEnvironment, insertion: SinkModifyOperation) -> None:
    result = env.session.run_inserts([insertion, insertion])
    name = "default_catalog.default_database.sink"
    assert result.get_resolved_schema().column_names == (name, f"{name}_1")


def test_an_engine_that_counts_all_sinks_together_gives_one_column(
    env: TableEnvironment, planner: FakePlanner, insertion: SinkModifyOperation, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = planner.translate([insertion])
    monkeypatch.setattr(planner, "translate", lambda operations: single)
    result = env.session.run_inserts([insertion, insertion])
    name = "default_catalog.default_database.sink"
    assert result.get_resolved_schema().column_names == (f"{name}, {name}",)


def test_the_end_of_an_insert_is_given_to_the_callback(env: TableEnvironment, insertion: SinkModifyOperation) -> None:
    ends: list[BaseException | None] = []
    env.session.run_inserts([insertion], finish=ends.append).wait()
    assert ends == [None]


def test_a_plan_is_explained_by_the_engine(env: TableEnvironment) -> None:
    operation = CollectModifyOperation(env.session.convert_query("SELECT a FROM t"))
    assert "== Physical Plan (fake) ==\nfake plan of 1" in env.session.explain([operation])


def test_an_option_is_reset_to_its_initial_value_or_removed(installed: Installed) -> None:
    initial = Configuration({"table.dml-sync": "true"})
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_configuration(initial).build()
    session = TableSession(settings)
    session.configuration.set_string("table.dml-sync", "false")
    session.configuration.set_string("table.local-time-zone", "Asia/Tokyo")
    session.reset_option("table.dml-sync")
    session.reset_option("table.local-time-zone")
    assert session.configuration.to_map().get("table.dml-sync") == "true"
    assert "table.local-time-zone" not in session.configuration.to_map()


def test_resetting_all_options_keeps_the_restrictions(installed: Installed) -> None:
    session = TableSession(EnvironmentSettings.in_batch_mode())
    session.configuration.set_string(ALLOWED_MODULES_KEY, "math")
    session.configuration.set_string("table.dml-sync", "true")
    session.reset_option(None)
    assert session.configuration.to_map()[ALLOWED_MODULES_KEY] == "math"
    assert "table.dml-sync" not in session.configuration.to_map()


def test_a_closed_session_says_so_and_may_be_closed_again(env: TableEnvironment, planner: FakePlanner) -> None:
    env.session.close()
    env.session.close()
    assert planner.is_closed
    for use in (lambda: env.session.planner, lambda: env.session.parse("SELECT 1")):
        with pytest.raises(TableException, match="This environment was closed"):
            use()
