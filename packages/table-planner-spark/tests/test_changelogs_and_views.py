"""What a Spark user exchanges with the environment: changelogs, views in both directions, and what is refused."""

from __future__ import annotations

import pytest
from pyspark.errors import SparkRuntimeException
from pyspark.sql import SparkSession

from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import ValidationException

CHANGES = [("+I", 1, "a"), ("+I", 2, "b"), ("+I", 2, "b"), ("+U", 1, "c"), ("-U", 1, "a"), ("-D", 2, "b"), ("-D", 9, "never inserted")]


@pytest.fixture
def frames(spark: SparkSession) -> SparkTableEnvironment:
    return SparkTableEnvironment.create(spark)


def test_a_changelog_becomes_the_rows_that_remain(spark: SparkSession, frames: SparkTableEnvironment) -> None:
    table = frames.from_changelog_data_frame(spark.createDataFrame(CHANGES, "row_kind STRING, id INT, v STRING"))
    assert table.get_resolved_schema().column_names == ("id", "v")
    assert sorted(map(tuple, frames.to_data_frame(table).collect())) == [(1, "c"), (2, "b")]


def test_a_row_kind_that_does_not_exist_fails_the_job(spark: SparkSession, frames: SparkTableEnvironment) -> None:
    table = frames.from_changelog_data_frame(spark.createDataFrame([("insert", 1)], "kind STRING, id INT"), row_kind="kind")
    with pytest.raises(SparkRuntimeException, match="has one of"):
        frames.to_data_frame(table).collect()


def test_a_changelog_without_row_kinds_is_refused(spark: SparkSession, frames: SparkTableEnvironment) -> None:
    with pytest.raises(ValidationException, match="needs one STRING column 'row_kind'"):
        frames.from_changelog_data_frame(spark.range(1))


def test_a_table_becomes_a_changelog_of_insertions(spark: SparkSession, frames: SparkTableEnvironment) -> None:
    table = frames.from_data_frame(spark.range(2))
    assert [tuple(row) for row in frames.to_changelog_data_frame(table).collect()] == [("+I", 0), ("+I", 1)]
    with pytest.raises(ValidationException, match="has a column 'id' already"):
        frames.to_changelog_data_frame(table, row_kind="id")


def test_views_are_exchanged_on_request_and_no_other_is_left(spark: SparkSession, frames: SparkTableEnvironment) -> None:
    before = _objects(spark)
    spark.range(3).createOrReplaceTempView("of_spark")
    frames.create_temporary_view("ours", spark.table("of_spark"))
    frames.create_spark_view("doubled", frames.sql_query("SELECT id * 2 AS n FROM ours"))
    try:
        assert [row.n for row in spark.sql("SELECT n FROM doubled WHERE n > 0 ORDER BY n").collect()] == [2, 4]
        assert _objects(spark) - before == {"of_spark", "doubled"}
    finally:
        spark.catalog.dropTempView("of_spark")
        spark.catalog.dropTempView("doubled")


def test_functions_of_local_time_use_the_zone_of_the_users_session(spark: SparkSession) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    assert zone is not None
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        env = SparkTableEnvironment.create(spark)
        env.create_temporary_view("t", spark.sql("SELECT TIMESTAMP '2026-07-01 12:00:00' AS ts"))
        hours = env.to_data_frame(env.sql_query("SELECT HOUR(ts), DATE_FORMAT(ts, 'HH') FROM t")).collect()
        assert [tuple(row) for row in hours] == [(12, "12")]
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def _objects(spark: SparkSession) -> set[str]:
    functions = {function.name for function in spark.catalog.listFunctions() if function.isTemporary}
    return functions | {table.name for table in spark.catalog.listTables()}
