from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations.ddl import AlterMaterializedTableOperation, CreateMaterializedTableOperation
from table_common.catalog import CatalogMaterializedTable, ObjectPath, RefreshMode
from table_common.exceptions import TableError, TableException, ValidationException


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as made:
        made.execute_sql("CREATE TABLE t (a INT, day_ STRING) WITH ('connector' = 'blackhole')")
        yield made


def created(env: TableEnvironment, clauses: str = "", query: str = "SELECT a, day_ FROM t") -> CatalogMaterializedTable:
    operation = env.session.parse(f"CREATE MATERIALIZED TABLE m {clauses} AS {query}")
    assert isinstance(operation, CreateMaterializedTableOperation)
    return operation.table


def stored(env: TableEnvironment, clauses: str = "") -> CatalogMaterializedTable:
    """Creates the table without its connector's factory, which is not installed here."""
    table = created(env, clauses)
    env.get_catalog("default_catalog").create_table(ObjectPath("default_database", "m"), table, False)
    return table


@pytest.mark.parametrize(
    ("clauses", "freshness", "mode"),
    [
        ("", "INTERVAL '3' MINUTE", "CONTINUOUS"),
        ("REFRESH_MODE = FULL", "INTERVAL '1' HOUR", "FULL"),
        ("FRESHNESS = INTERVAL '29' MINUTE", "INTERVAL '29' MINUTE", "CONTINUOUS"),
        ("FRESHNESS = INTERVAL '30' MINUTES", "INTERVAL '30' MINUTE", "FULL"),
        ("FRESHNESS = INTERVAL '1' DAY REFRESH_MODE = CONTINUOUS", "INTERVAL '1' DAY", "CONTINUOUS"),
    ],
)
def test_freshness_and_mode(env: TableEnvironment, clauses: str, freshness: str, mode: str) -> None:
    table = created(env, clauses)
    assert (str(table.freshness), table.refresh_mode.value) == (freshness, mode)


def test_the_threshold_and_defaults_are_options(env: TableEnvironment) -> None:
    env.get_config().set("materialized-table.refresh-mode.freshness-threshold", "10 s")
    env.get_config().set("materialized-table.default-freshness.full", "2 h")
    assert created(env, "FRESHNESS = INTERVAL '10' SECOND").refresh_mode is RefreshMode.FULL
    assert str(created(env, "REFRESH_MODE = FULL").freshness) == "INTERVAL '2' HOUR"


def test_the_definition_has_full_names(env: TableEnvironment) -> None:
    table = created(env)
    assert "`default_catalog`.`default_database`.`t`" in table.definition_query
    assert table.original_query == "SELECT a, day_ FROM t"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("FRESHNESS = INTERVAL '-1' SECOND AS SELECT a FROM t", "must be positive"),
        ("FRESHNESS = INTERVAL '1' YEAR AS SELECT a FROM t", "seconds|SECONDS"),
        ("FRESHNESS = INTERVAL '1:30' MINUTE TO SECOND AS SELECT a FROM t", "whole number of seconds"),
        ("FRESHNESS = INTERVAL '60' SECOND REFRESH_MODE = FULL AS SELECT a FROM t", "cannot be INTERVAL '60' SECOND"),
        ("PARTITIONED BY (b) AS SELECT a FROM t", "'b' does not exist"),
        ("(a, x) AS SELECT a, day_ FROM t", "must name all columns"),
        ("(x INT) AS SELECT a FROM t", "Column 'x' does not exist in the query"),
        ("START_MODE = FROM_BEGINNING AS SELECT a FROM t", "START_MODE is not supported"),
        ("AS SELECT a FROM tmp", "`tmp`, which is temporary"),
        ("AS SELECT a FROM tmp_view", "`tmp_view`, which is temporary"),
        ("WITH ('partition.fields.a.date-formatter' = 'yyyy') AS SELECT a FROM t", "partition.fields.a.date-formatter"),
        (
            "PARTITIONED BY (a) WITH ('partition.fields.a.date-formatter' = 'yyyy') AS SELECT a, day_ FROM t",
            "needs a column of type STRING",
        ),
        (
            "PARTITIONED BY (day_) WITH ('partition.fields.day_.date-formatter' = 'yyyy-e') AS SELECT a, day_ FROM t",
            "not a pattern of a date",
        ),
    ],
)
def test_definitions_that_are_refused(env: TableEnvironment, statement: str, message: str) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE tmp (a INT) WITH ('connector' = 'blackhole')")
    env.execute_sql("CREATE TEMPORARY VIEW tmp_view AS SELECT a FROM t")
    with pytest.raises(TableError, match=message):
        env.session.parse(f"CREATE MATERIALIZED TABLE m {statement}")


def test_create_or_alter_changes_query_and_freshness(env: TableEnvironment) -> None:
    old = stored(env, "REFRESH_MODE = FULL")
    operation = env.session.parse(
        "CREATE OR ALTER MATERIALIZED TABLE m FRESHNESS = INTERVAL '2' HOUR REFRESH_MODE = FULL AS SELECT a, day_, a + 1 AS b FROM t"
    )
    assert isinstance(operation, AlterMaterializedTableOperation)
    assert operation.old_table is old
    assert [column.name for column in operation.new_table.schema.columns] == ["a", "day_", "b"]
    assert str(operation.new_table.freshness) == "INTERVAL '2' HOUR"


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("REFRESH_MODE = CONTINUOUS", "REFRESH_MODE differs"),
        ("PARTITIONED BY (day_) REFRESH_MODE = FULL", "PARTITIONED BY differs"),
        ("WITH ('x' = 'y') REFRESH_MODE = FULL", "options x differs"),
    ],
)
def test_create_or_alter_changes_nothing_else(env: TableEnvironment, clauses: str, message: str) -> None:
    stored(env, "REFRESH_MODE = FULL")
    with pytest.raises(ValidationException, match=message):
        env.session.parse(f"CREATE OR ALTER MATERIALIZED TABLE m {clauses} AS SELECT a, day_ FROM t")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("AS SELECT a FROM t", "lacks the column 'day_'"),
        ("AS SELECT CAST(a AS BIGINT) AS a, day_ FROM t", "is INT, but the new query gives BIGINT"),
        ("AS SELECT * FROM m", "reads that table"),
        ("ADD b INT", "stored columns"),
        ("DROP a", "stored columns"),
        ("MODIFY a BIGINT", "stored columns"),
        ("REFRESH PARTITION (x = '1')", "Partition column 'x' does not exist"),
    ],
)
def test_changes_that_are_refused(env: TableEnvironment, action: str, message: str) -> None:
    stored(env)
    with pytest.raises(ValidationException, match=message):
        env.session.parse(f"ALTER MATERIALIZED TABLE m {action}")


@pytest.mark.parametrize(
    "action", ["SET ('a' = 'b')", "RENAME TO n", "SET FRESHNESS = INTERVAL '1' DAY", "SET REFRESH_MODE = FULL", "RESET ('a')"]
)
def test_forms_that_flink_does_not_have_are_refused(env: TableEnvironment, action: str) -> None:
    stored(env)
    with pytest.raises(TableException, match=r"form of ALTER MATERIALIZED TABLE is not supported for .*`m`"):
        env.session.parse(f"ALTER MATERIALIZED TABLE m {action}")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO m SELECT 1, 'x'",
        "INSERT OVERWRITE m SELECT 1, 'x'",
        "DELETE FROM m WHERE a = 1",
        "UPDATE m SET a = 2",
        "TRUNCATE TABLE m",
        "ALTER TABLE m SET ('a' = 'b')",
        "ALTER TABLE m RENAME TO n",
        "ALTER TABLE m ADD PARTITION (day_ = '1')",
    ],
)
def test_only_refreshes_change_a_materialized_table(env: TableEnvironment, statement: str) -> None:
    stored(env)
    with pytest.raises(ValidationException, match="`m` is a materialized table"):
        env.session.parse(statement)


def test_statements_for_materialized_tables_take_no_tables(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="`t` is a table, not a materialized table"):
        env.session.parse("ALTER MATERIALIZED TABLE t SUSPEND")
