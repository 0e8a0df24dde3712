"""CREATE TABLE AS and REPLACE TABLE AS: what the catalog and the sink have after success and after failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_sinks import Connectors, OverwritingSink, Sink, StagingSink, TruncatingSink

from table_api import TableEnvironment, TableRuntimeException, ValidationException
from table_common.connector.sink.abilities import StagingPurpose
from table_common.exceptions import CatalogException

if TYPE_CHECKING:
    from conftest import FakePlanner


@pytest.fixture
def connect(env: TableEnvironment) -> Any:
    """Makes the connector ``some`` one with this sink; returns the list of what is done to the sink."""

    def load(sink: type[Sink], **options: bool) -> list[str]:
        module = Connectors(sink, **options)
        env.load_module("connectors", module)
        return module.events

    return load


def columns_of(env: TableEnvironment, name: str = "k") -> tuple[str, ...] | None:
    """Returns the columns of a table, or None if it does not exist."""
    return env.from_path(name).get_resolved_schema().column_names if name in env.list_tables() else None


def create(env: TableEnvironment, how: str = "CREATE TABLE", columns: str = "a") -> None:
    env.execute_sql(f"{how} k WITH ('connector' = 'some') AS SELECT {columns} FROM t").wait()


def test_a_table_is_created_and_filled(env: TableEnvironment, planner: FakePlanner, connect: Any) -> None:
    connect(Sink)
    create(env)
    assert columns_of(env) == ("a",)
    assert planner.job_names == ["insert-into_default_catalog.default_database.k"]


def test_a_failed_job_leaves_no_table(env: TableEnvironment, planner: FakePlanner, connect: Any) -> None:
    connect(Sink)
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException, match="disk full"):
        create(env)
    assert columns_of(env) is None


def test_a_table_that_exists_is_an_error_or_left_alone(env: TableEnvironment, planner: FakePlanner, connect: Any) -> None:
    connect(Sink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    with pytest.raises(CatalogException, match="exists already"):
        create(env)
    create(env, "CREATE TABLE IF NOT EXISTS")
    assert (columns_of(env), planner.job_names) == (("x",), [])


def test_a_table_to_replace_must_exist(env: TableEnvironment, connect: Any) -> None:
    connect(OverwritingSink)
    with pytest.raises(ValidationException, match="'k' does not exist"):
        create(env, "REPLACE TABLE")


@pytest.mark.parametrize(("sink", "events"), [(OverwritingSink, ["overwrite True"]), (TruncatingSink, ["truncate"])])
def test_the_old_rows_of_a_replaced_table_go(env: TableEnvironment, connect: Any, sink: type[Sink], events: list[str]) -> None:
    seen = connect(sink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    create(env, "REPLACE TABLE", "a, b")
    assert (seen, columns_of(env)) == (events, ("a", "b"))


def test_a_failed_replacement_restores_the_old_table(env: TableEnvironment, planner: FakePlanner, connect: Any) -> None:
    connect(OverwritingSink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException, match="disk full"):
        create(env, "CREATE OR REPLACE TABLE")
    assert columns_of(env) == ("x",)


def test_a_readable_sink_whose_old_rows_would_stay_is_refused(env: TableEnvironment, connect: Any) -> None:
    connect(Sink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    with pytest.raises(ValidationException, match=r"REPLACE TABLE AS is not supported by the connector 'some' .*: its old rows would stay"):
        create(env, "REPLACE TABLE")
    assert columns_of(env) == ("x",)


def test_a_sink_that_cannot_be_read_may_keep_its_old_rows(env: TableEnvironment, connect: Any) -> None:
    connect(Sink, is_readable=False)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    create(env, "REPLACE TABLE")
    assert columns_of(env) == ("a",)


def test_a_table_that_is_truncated_first_cannot_be_read_by_the_query(env: TableEnvironment, connect: Any) -> None:
    seen = connect(TruncatingSink)
    env.execute_sql("CREATE TABLE k (a INT) WITH ('connector' = 'some')")
    with pytest.raises(ValidationException, match="can only truncate before the query runs"):
        env.execute_sql("REPLACE TABLE k WITH ('connector' = 'some') AS SELECT a FROM k")
    assert (seen, columns_of(env)) == ([], ("a",))


@pytest.mark.parametrize(
    ("how", "purpose"),
    [("REPLACE TABLE", StagingPurpose.REPLACE_TABLE_AS), ("CREATE OR REPLACE TABLE", StagingPurpose.CREATE_OR_REPLACE_TABLE_AS)],
)
def test_a_staged_table_replaces_the_old_one_after_the_job(env: TableEnvironment, connect: Any, how: str, purpose: StagingPurpose) -> None:
    seen = connect(StagingSink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    create(env, how)
    assert (seen, columns_of(env)) == ([purpose.value, "begin", "commit"], ("a",))


def test_a_failed_job_discards_the_staged_table(env: TableEnvironment, planner: FakePlanner, connect: Any) -> None:
    seen = connect(StagingSink)
    env.execute_sql("CREATE TABLE k (x INT) WITH ('connector' = 'some')")
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException, match="disk full"):
        create(env, "REPLACE TABLE")
    assert (seen[-1], columns_of(env)) == ("abort", ("x",))


@pytest.mark.parametrize(("is_atomic", "events"), [("true", ["CREATE_TABLE_AS", "begin", "commit"]), ("false", [])])
def test_a_new_table_is_staged_only_with_the_option(env: TableEnvironment, connect: Any, is_atomic: str, events: list[str]) -> None:
    seen = connect(StagingSink)
    env.get_config().set("table.rtas-ctas.atomicity-enabled", is_atomic)
    create(env)
    assert (seen, columns_of(env)) == (events, ("a",))
