"""What the planner does to a session that is not its own."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_api import Configuration, EnvironmentSettings, TableEnvironment
from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableRuntimeException
from table_planner_spark.session.engine_session import _driver_memory_mb


def test_the_options_of_a_users_session_are_put_back(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    assert [spark.conf.get(key) for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")] == ["false", "Asia/Tokyo"]


def test_the_options_of_a_users_session_have_no_influence(run: Any) -> None:
    assert run.value("CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING)") == "1970-01-01 00:00:00.000"


def test_options_that_a_user_sets_between_statements_are_noticed(run: Any, spark: SparkSession) -> None:
    statement = "CAST(TIMESTAMP '2020-01-01 00:00:00' AS TIMESTAMP_LTZ(3))"
    first = run.value(statement)
    for zone in ("America/Lima", "Asia/Tokyo"):
        spark.conf.set("spark.sql.session.timeZone", zone)
        spark.conf.set("spark.sql.ansi.enabled", "true" if zone == "America/Lima" else "false")
        assert run.value(statement) == first
        assert spark.conf.get("spark.sql.session.timeZone") == zone
        with pytest.raises(TableRuntimeException):
            run.value("CAST('x' || CAST(RAND() AS STRING) AS INT)")


def test_the_time_zone_of_a_users_session_is_the_default(spark: SparkSession) -> None:
    with SparkTableEnvironment.create(spark) as env:
        assert env.get_config().get_local_timezone() == "Asia/Tokyo"
        frame = spark.sql("SELECT TIMESTAMP '2020-01-01 00:00:00' AS t")
        env.create_temporary_view("of_spark", frame)
        with env.execute_sql("SELECT CAST(t AS STRING) FROM of_spark").collect() as rows:
            assert [row[0] for row in rows] == ["2020-01-01 00:00:00.000000"]


def test_the_time_zone_of_an_external_session_is_the_default(spark: SparkSession) -> None:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    with TableEnvironment.create(settings, external={"spark": spark}) as env:
        assert env.get_config().get_local_timezone() == "Asia/Tokyo"
        with env.execute_sql("SELECT HOUR(CAST(TO_TIMESTAMP_LTZ(0, 3) AS TIMESTAMP(3)))").collect() as rows:
            assert [row[0] for row in rows] == [9]
        env.execute_sql("SET 'table.local-time-zone' = 'UTC'")
        env.execute_sql("RESET 'table.local-time-zone'")
        assert env.get_config().get_local_timezone() == "Asia/Tokyo"


def test_the_time_zone_of_the_settings_comes_before_that_of_a_users_session(spark: SparkSession) -> None:
    with SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "GMT+2"})) as env:
        assert env.get_config().get_local_timezone() == "+02:00"


def test_a_users_session_remains_usable_after_the_environment_is_closed(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    run.environment.close()
    assert spark.range(3).count() == 3


@pytest.mark.parametrize(("memory", "heap"), [("6 gb", 2048), ("100 gb", 8192), ("100 mb", 512)])
def test_the_heap_of_a_spark_of_ours_is_a_third_of_the_budget(memory: str, heap: int) -> None:
    assert _driver_memory_mb(Configuration({"table.exec.memory": memory})) == heap
