"""The catalog ``spark``: objects are listed, described, created, written and read, on both engines if the files are readable for both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableError
from table_common.catalog import CatalogTable, ObjectPath, Schema
from table_common.exceptions import CatalogException


def environment(planner: str, spark: Any) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
    env = TableEnvironment.create(settings, external={"spark": spark})
    env.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
    env.execute_sql("CREATE CATALOG s WITH ('type' = 'spark', 'name' = 'spark_catalog')")
    return env


@pytest.fixture(scope="module")
def env(spark: Any) -> Iterator[TableEnvironment]:
    with environment("spark", spark) as made:
        made.execute_sql("CREATE DATABASE s.shop COMMENT 'hello' WITH ('k' = 'v')")
        made.execute_sql("USE s.shop")
        made.execute_sql(
            "CREATE TABLE t (a INT COMMENT 'ca', v VARCHAR(5), ts TIMESTAMP(3), m DECIMAL(10, 2), p STRING) COMMENT 'tc' PARTITIONED BY (p)"
            " WITH ('x' = 'y')"
        )
        made.execute_sql("INSERT INTO t VALUES (1, 'x', TIMESTAMP '2020-01-01 00:00:00.123', 1.5, 'a'), (2, 'y', NULL, 2.5, 'b/c')")
        spark.sql("CREATE TABLE shop.headed (a INT, b STRING) USING csv OPTIONS (header 'true')")
        spark.sql("CREATE VIEW shop.v AS SELECT a FROM shop.t")
        yield made
        made.execute_sql("USE CATALOG default_catalog")
        made.execute_sql("DROP DATABASE s.shop CASCADE")


@pytest.fixture(scope="module")
def embedded(env: TableEnvironment, spark: Any) -> Iterator[TableEnvironment]:
    with environment("arrow", spark) as made:
        made.execute_sql("USE s.shop")
        yield made


def rows(environment_: TableEnvironment, statement: str) -> list[tuple[object, ...]]:
    with environment_.execute_sql(statement).collect() as found:
        return [tuple(row) for row in found]


def test_databases_tables_and_views_are_listed(env: TableEnvironment) -> None:
    assert ("shop",) in rows(env, "SHOW DATABASES")
    assert {("t",), ("headed",), ("v",)} <= set(rows(env, "SHOW TABLES"))
    assert rows(env, "SHOW VIEWS") == [("v",)]


@pytest.fixture
def shared(env: TableEnvironment, spark: Any) -> Iterator[str]:
    """A table of one format, then of another, which the program and the environment use in turn."""
    spark.sql("CREATE TABLE shop.shared (id INT, p STRING) USING parquet PARTITIONED BY (p)")
    yield "shared"
    spark.sql("DROP TABLE IF EXISTS shop.shared")


def test_the_program_and_the_environment_see_what_the_other_writes(env: TableEnvironment, spark: Any, shared: str) -> None:
    """Statements run in a clone of the program's session, and each session keeps what it has seen of a table."""

    def seen() -> tuple[list[Any], list[Any]]:
        return sorted(row[0] for row in rows(env, f"SELECT id FROM {shared}")), sorted(
            row[0] for row in spark.table("shop.shared").collect()
        )

    spark.sql("CREATE VIEW shop.of_shared AS SELECT id FROM shop.shared")
    spark.sql("INSERT INTO shop.shared VALUES (1, 'a')")
    assert seen() == ([1], [1])
    env.execute_sql(f"INSERT INTO {shared} VALUES (2, 'a')").wait()
    assert seen() == ([1, 2], [1, 2])
    spark.sql("INSERT INTO shop.shared VALUES (3, 'a')")
    assert seen() == ([1, 2, 3], [1, 2, 3])
    assert rows(env, "SELECT COUNT(*) FROM of_shared") == [(3,)]
    env.execute_sql(f"INSERT OVERWRITE {shared} VALUES (4, 'a')").wait()
    assert seen() == ([4], [4])
    assert rows(env, "SELECT * FROM of_shared") == [(4,)]
    spark.sql("INSERT OVERWRITE shop.shared VALUES (5, 'a')")
    assert seen() == ([5], [5])
    spark.sql("DROP VIEW shop.of_shared")
    spark.sql("CACHE TABLE shop.shared")
    assert seen() == ([5], [5])
    assert spark.catalog.isCached("shop.shared")


def test_a_table_that_the_program_makes_anew_is_read_and_written_as_it_is(env: TableEnvironment, spark: Any, shared: str) -> None:
    env.execute_sql(f"INSERT INTO {shared} VALUES (1, 'a')").wait()
    assert rows(env, f"SELECT id FROM {shared}") == [(1,)]
    spark.sql("DROP TABLE shop.shared")
    spark.sql("CREATE TABLE shop.shared (id INT, p STRING) USING orc")
    spark.sql("INSERT INTO shop.shared VALUES (10, 'a')")
    assert rows(env, f"SELECT id FROM {shared}") == [(10,)]
    env.execute_sql(f"INSERT INTO {shared} VALUES (11, 'b')").wait()
    assert sorted(row[0] for row in spark.table("shop.shared").collect()) == [10, 11]


def test_table_keeps_types_comments_partition_keys_and_properties(env: TableEnvironment) -> None:
    assert [row[:2] for row in rows(env, "DESCRIBE t")] == [
        ("a", "INT"),
        ("v", "VARCHAR(5)"),
        ("ts", "TIMESTAMP(3)"),
        ("m", "DECIMAL(10, 2)"),
        ("p", "STRING"),
    ]
    ((text,),) = rows(env, "SHOW CREATE TABLE t")
    assert all(
        part in str(text) for part in ("COMMENT 'ca'", "COMMENT 'tc'", "PARTITIONED BY (`p`)", "'x' = 'y'", "'provider' = 'parquet'")
    )


@pytest.mark.parametrize("engine", ["env", "embedded"])
def test_files_of_spark_are_read_by_both_engines(request: pytest.FixtureRequest, engine: str) -> None:
    used = request.getfixturevalue(engine)
    assert sorted(rows(used, "SELECT p, v, CAST(ts AS STRING) FROM t WHERE m > 1")) == [
        ("a", "x", "2020-01-01 00:00:00.123"),
        ("b/c", "y", None),
    ]


def test_partitions_are_listed_added_and_dropped(env: TableEnvironment) -> None:
    env.execute_sql("ALTER TABLE t ADD PARTITION (p = 'new')")
    assert rows(env, "SHOW PARTITIONS t") == [("p=a",), ("p=b/c",), ("p=new",)]
    env.execute_sql("ALTER TABLE t DROP PARTITION (p = 'new')")
    assert rows(env, "SHOW PARTITIONS t") == [("p=a",), ("p=b/c",)]


def test_overwrite_replaces_only_the_named_partition(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE o (a INT, p STRING) PARTITIONED BY (p)")
    env.execute_sql("INSERT INTO o VALUES (1, 'x'), (2, 'y')")
    env.execute_sql("INSERT OVERWRITE o PARTITION (p = 'x') SELECT 7")
    assert sorted(rows(env, "SELECT a, p FROM o")) == [(2, "y"), (7, "x")]
    env.execute_sql("INSERT OVERWRITE o PARTITION (p = 'x') SELECT a FROM t WHERE a > 100")
    assert rows(env, "SELECT a, p FROM o") == [(2, "y")]
    env.execute_sql("DROP TABLE o")


def test_properties_are_altered_and_tables_renamed_and_dropped(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE r (a INT) WITH ('x' = '1')")
    env.execute_sql("ALTER TABLE r SET ('y' = '2')")
    env.execute_sql("ALTER TABLE r RESET ('x')")
    env.execute_sql("ALTER TABLE r RENAME TO r2")
    catalog = env.get_catalog("s")
    assert catalog is not None
    options = catalog.get_table(ObjectPath("shop", "r2")).options
    assert ("x" in options, options["y"]) == (False, "2")
    env.execute_sql("DROP TABLE r2")
    assert not catalog.table_exists(ObjectPath("shop", "r2"))


def test_view_of_spark_is_read_as_a_table(env: TableEnvironment) -> None:
    assert sorted(rows(env, "SELECT a FROM v")) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT * FROM headed", "its option 'header' = 'true' has no equivalent outside Spark"),
        ("SELECT * FROM v", "it is a view of Spark, whose query is Spark's SQL"),
        ("INSERT INTO t SELECT * FROM t", "it is written by Spark alone"),
    ],
)
def test_the_embedded_engine_refuses_spark_only_tables_with_the_reason(embedded: TableEnvironment, statement: str, reason: str) -> None:
    with pytest.raises(TableError, match=reason):
        embedded.execute_sql(statement).wait()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TABLE k (a INT, PRIMARY KEY (a) NOT ENFORCED)", "cannot store primary keys"),
        ("CREATE TABLE k (a INT, b AS a + 1)", "cannot store computed columns"),
        ("CREATE TABLE k (a INT) WITH ('connector' = 'filesystem')", "cannot store tables of the connector 'filesystem'"),
        (
            "CREATE TABLE k (a INT) WITH ('provider' = 'nope')",
            r"Spark cannot create the table shop\.k: Failed to find the data source: nope",
        ),
        ("CREATE TABLE t (a INT)", "exists already in catalog 's'"),
        ("CREATE VIEW w AS SELECT 1 AS x", "would read its query as Spark SQL"),
        ("ALTER TABLE t ADD c INT", "The columns of .* cannot be altered here"),
        ("DROP DATABASE default_database", "Database 'default_database' does not exist in catalog 's'"),
        ("SHOW TABLES FROM nope", "Database 'nope' does not exist in catalog 's'"),
        ("CREATE CATALOG n WITH ('type' = 'spark', 'name' = 'spark_catalgo')", "Did you mean 'spark_catalog'"),
    ],
)
def test_features_that_spark_cannot_store_are_refused_with_the_reason(env: TableEnvironment, statement: str, message: str) -> None:
    with pytest.raises(CatalogException, match=message):
        env.execute_sql(statement)


def test_names_that_need_quotes_are_listed_unquoted(env: TableEnvironment) -> None:
    env.execute_sql("CREATE DATABASE s.`1a`")
    try:
        assert ("1a",) in rows(env, "SHOW DATABASES")
        env.execute_sql("CREATE TABLE s.`1a`.`2b` (r ROW<`a b` INT, `c``d` STRING>)")
        env.execute_sql("ALTER TABLE s.`1a`.`2b` RENAME TO `3c`")
        assert env.get_catalog("s").list_tables("1a") == ["3c"]
        assert [row[1] for row in rows(env, "DESCRIBE s.`1a`.`3c`")] == ["ROW<`a b` INT, `c``d` STRING>"]
    finally:
        env.execute_sql("DROP DATABASE s.`1a` CASCADE")


def test_a_table_with_respelled_definition_is_altered(env: TableEnvironment) -> None:
    catalog, path = env.get_catalog("s"), ObjectPath("shop", "described")
    schema = Schema.new_builder().column("id", "BIGINT NOT NULL").column("s", "STRING").build()
    catalog.create_table(path, CatalogTable(schema, None, {}), False)
    try:
        options = catalog.get_table(path).options
        catalog.alter_table(path, CatalogTable(schema, "altered", options), False)
        assert catalog.get_table(path).comment == "altered"
    finally:
        catalog.drop_table(path, False)
