from typing import TYPE_CHECKING

import pytest
from event_sinks import Connectors, Sink, Staged

from table_api import TableEnvironment, TableRuntimeException
from table_common.connector.sink.abilities import StagedTable, SupportsOverwrite, SupportsStaging
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from conftest import FakePlanner


class StagingSink(Sink, SupportsStaging, SupportsOverwrite):
    def apply_staging(self, context: SupportsStaging.StagingContext) -> StagedTable:
        return Staged(self.events)

    def apply_overwrite(self, overwrite: bool) -> None:
        self.events.append("overwrite")


@pytest.fixture
def events(env: TableEnvironment, planner: "FakePlanner") -> list[str]:
    env.execute_sql("CREATE VIEW s AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)")
    module = Connectors(StagingSink)
    env.load_module("connectors", module)
    env.execute_sql("CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') REFRESH_MODE = FULL AS SELECT a FROM s")
    return module.events


def test_all_rows_are_published_at_once(env: TableEnvironment, events: list[str]) -> None:
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    assert events == ["begin", "commit"]


def test_a_refresh_that_fails_leaves_the_rows(env: TableEnvironment, planner: "FakePlanner", events: list[str]) -> None:
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException, match="disk full"):
        env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    assert events == ["begin", "abort"]
    with env.execute_sql("SHOW MATERIALIZED TABLES").collect() as found:
        assert next(iter(found))["last refresh"] is None


def test_a_source_that_was_dropped_is_named(env: TableEnvironment, events: list[str]) -> None:
    env.execute_sql("DROP VIEW s")
    with pytest.raises(ValidationException, match=r"`m` cannot be refreshed: Table or view 's' does not exist"):
        env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH")
    assert events == []
