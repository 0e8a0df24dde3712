from typing import TYPE_CHECKING, Any

import pytest
from event_sinks import Connectors, OverwritingSink, Sink, SinkFactory

from table_api import TableEnvironment
from table_common.connector import DynamicTableSink
from table_common.exceptions import CatalogException, ValidationException
from table_common.factories import DynamicTableFactory

if TYPE_CHECKING:
    from conftest import FakePlanner

CREATE = "CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') REFRESH_MODE = FULL AS SELECT a FROM s"


def rows(env: TableEnvironment, statement: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(statement).collect() as found:
        return [tuple(row) for row in found]


@pytest.fixture(autouse=True)
def source(env: TableEnvironment) -> None:
    env.execute_sql("CREATE VIEW s AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)")


@pytest.fixture
def events(env: TableEnvironment) -> list[str]:
    module = Connectors(OverwritingSink)
    env.load_module("connectors", module)
    return module.events


def test_a_refresh_overwrites_the_rows(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql(CREATE)
    assert events == []
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    assert events == ["overwrite True"]
    assert planner.job_names == ["insert-into_default_catalog.default_database.m"]


def test_show_says_status_and_age(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql(CREATE)
    assert [row[:5] for row in rows(env, "SHOW MATERIALIZED TABLES")] == [("m", "FULL", "ACTIVATED", "INTERVAL '1' HOUR", None)]
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    env.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    ((_, _, status, _, last, stale),) = rows(env, "SHOW MATERIALIZED TABLES LIKE 'm%'")
    assert status == "SUSPENDED"
    assert last is not None
    assert stale is False
    assert rows(env, "SHOW MATERIALIZED TABLES LIKE 'x%'") == []
    assert env.list_materialized_tables() == ["m"]


def test_a_suspended_table_is_resumed_once(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql(CREATE)
    with pytest.raises(ValidationException, match="is not suspended"):
        env.execute_sql("ALTER MATERIALIZED TABLE m RESUME")
    env.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    with pytest.raises(ValidationException, match="is suspended already"):
        env.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    env.execute_sql("ALTER MATERIALIZED TABLE m RESUME")


def test_a_connector_that_cannot_overwrite_is_refused(env: TableEnvironment, planner: "FakePlanner") -> None:
    env.load_module("connectors", Connectors(Sink))
    with pytest.raises(ValidationException, match="`m` cannot be refreshed in full: the connector 'some'"):
        env.execute_sql(CREATE)
    assert env.list_materialized_tables() == []


def test_a_table_without_a_connector_needs_a_warehouse(env: TableEnvironment, planner: "FakePlanner") -> None:
    with pytest.raises(ValidationException, match="has no 'connector'"):
        env.execute_sql("CREATE MATERIALIZED TABLE m REFRESH_MODE = FULL AS SELECT a FROM s")


def test_statements_for_tables_name_those_for_materialized_tables(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql(CREATE)
    with pytest.raises(ValidationException, match="is a materialized table"):
        env.execute_sql("DROP TABLE m")
    with pytest.raises(ValidationException, match="is a materialized table"):
        env.drop_table("m")
    with pytest.raises(CatalogException, match="is a materialized table"):
        env.execute_sql("SHOW CREATE TABLE m")
    with pytest.raises(ValidationException, match="is a materialized table"):
        env.execute_sql("CREATE OR REPLACE TABLE m WITH ('connector' = 'some') AS SELECT a FROM s")
    with pytest.raises(CatalogException, match="is a view, not a materialized table"):
        env.execute_sql("SHOW CREATE MATERIALIZED TABLE s")
    with pytest.raises(ValidationException, match="not a materialized table"):
        env.execute_sql("DROP MATERIALIZED TABLE s")


def test_drop(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql("DROP MATERIALIZED TABLE IF EXISTS m")
    env.execute_sql("ALTER MATERIALIZED TABLE IF EXISTS m REFRESH")
    env.execute_sql(CREATE)
    env.execute_sql(CREATE.replace("TABLE m", "TABLE IF NOT EXISTS m"))
    with pytest.raises(CatalogException, match="exists already"):
        env.execute_sql(CREATE)
    env.execute_sql("DROP MATERIALIZED TABLE m")
    assert env.list_materialized_tables() == []
    with pytest.raises(CatalogException):
        env.execute_sql("DROP MATERIALIZED TABLE m")


def test_a_database_with_materialized_tables_is_not_dropped(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    env.execute_sql("CREATE DATABASE d")
    env.execute_sql(CREATE.replace("TABLE m", "TABLE d.m"))
    with pytest.raises(ValidationException, match="has materialized tables: m"):
        env.execute_sql("DROP DATABASE d CASCADE")


def test_how_partitions_are_found_is_not_an_option_of_the_connector(env: TableEnvironment, planner: "FakePlanner") -> None:
    seen: list[dict[str, str]] = []

    class Watching(SinkFactory):
        def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
            seen.append(dict(context.catalog_table.options))
            return super().create_dynamic_table_sink(context)

    module = Connectors(OverwritingSink)
    module._sink = Watching(OverwritingSink, [])
    env.load_module("connectors", module)
    with pytest.raises(ValidationException, match="cannot overwrite partitions"):
        env.execute_sql(
            "CREATE MATERIALIZED TABLE m PARTITIONED BY (b) WITH ('connector' = 'some', 'partition.fields.b.date-formatter' = 'yyyy')"
            " REFRESH_MODE = FULL AS SELECT a, b FROM s"
        )
    assert seen == [{"connector": "some"}]
