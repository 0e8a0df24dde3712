"""Batch programs on a session of Spark Connect."""

from __future__ import annotations

import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from table_api import Configuration, DataTypes, EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import JobCancelledException, TableError, TableException, TableRuntimeException, ValidationException
from table_planner_spark.session import connect as connect_access


def rows(env: TableEnvironment, statement: str) -> list[tuple[Any, ...]]:
    table = env.execute_sql(statement).to_arrow()
    return [tuple(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 1, '{x}', HOUR(TO_TIMESTAMP_LTZ(0, 3))", [(1, "{x}", 0)]),
        ("SELECT a, COUNT(*) FROM (VALUES (1, 'a'), (2, 'b'), (1, 'c')) AS t(a, b) GROUP BY a ORDER BY a", [(1, 2), (2, 1)]),
        (
            "SELECT x.a, y.b FROM (VALUES (1), (2)) AS x(a) LEFT JOIN (VALUES (2, 'b')) AS y(a, b) ON x.a = y.a ORDER BY 1",
            [(1, None), (2, "b")],
        ),
        ("SELECT a, SUM(a) OVER (ORDER BY a) FROM (VALUES (1), (2)) AS t(a) ORDER BY a", [(1, 1), (2, 3)]),
        ("(SELECT 1 UNION ALL SELECT 1) INTERSECT SELECT 1", [(1,)]),
        ("WITH q AS (SELECT 5 AS k) SELECT k, (SELECT MAX(k) FROM q) FROM q", [(5, 5)]),
        ("SELECT TIME '12:30:00.5' > TIME '12:00:00', CAST(1.005 AS DECIMAL(3, 2))", [(True, Decimal("1.01"))]),
    ],
)
def test_queries(env: SparkTableEnvironment, query: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(env, query) == expected


def test_streaming_mode_gives_final_rows_of_inputs_that_end(spark: SparkSession) -> None:
    env = SparkTableEnvironment.create(spark, Configuration({"execution.runtime-mode": "streaming"}))
    assert rows(env, "SELECT a FROM (VALUES (1), (2)) AS t(a) ORDER BY a DESC") == [(2,), (1,)]
    assert rows(env, "SELECT a, COUNT(*) FROM (VALUES (1), (2), (1)) AS t(a) GROUP BY a HAVING COUNT(*) > 1") == [(1, 2)]


def test_rows_of_the_program(env: SparkTableEnvironment) -> None:
    assert list(env.from_elements([(1, "a"), (2, None)], ["x", "y"]).execute().collect()) == [(1, "a"), (2, None)]
    assert env.from_arrow(pa.table({"a": [1, 2, 3]})).execute().to_arrow().column(0).to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("format_", ["parquet", "csv"])
def test_files_are_written_and_read(env: SparkTableEnvironment, tmp_path: Path, format_: str) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE f_{format_} (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t [1]', 'format' = '{format_}')"
    )
    assert rows(env, f"INSERT INTO f_{format_} VALUES (1, 'x'), (2, 'y')") == [(2,)]
    rows(env, f"INSERT INTO f_{format_} VALUES (3, 'z')")
    assert rows(env, f"SELECT * FROM f_{format_} ORDER BY a DESC") == [(3, "z"), (2, "y"), (1, "x")]


@pytest.mark.parametrize("format_", ["parquet", "csv"])
def test_files_of_another_machine_are_not_read(
    env: SparkTableEnvironment, tmp_path: Path, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE other_{format_} (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = '{format_}')"
    )
    rows(env, f"INSERT INTO other_{format_} VALUES (1)")
    monkeypatch.setattr(connect_access, "_state", lambda path: (0, 0))  # the server has other sizes and times
    with pytest.raises(TableException, match="or another one than this machine"):
        rows(env, f"SELECT * FROM other_{format_}")


def test_a_scalar_function_runs_in_the_workers(env: SparkTableEnvironment) -> None:
    env.create_temporary_function("plus_two", udf(lambda x: x + 2, result_type="BIGINT"))
    assert rows(env, "SELECT plus_two(a) FROM (VALUES (1), (2)) AS t(a) ORDER BY 1") == [(3,), (4,)]


def test_a_data_frame_keeps_the_meaning_of_its_session(env: SparkTableEnvironment, spark: SparkSession) -> None:
    frame = spark.sql("SELECT hour(TIMESTAMP '2020-01-01 00:00:00Z') AS h, CAST('x' AS INT) AS A, 1 AS k")
    env.create_temporary_view("mine", frame)
    # In the environment's zone the hour would be 0, and with its casts 'x' would be an error.
    assert rows(env, "SELECT h, A, k2 FROM mine JOIN (VALUES (1)) AS t(k2) ON k = k2") == [(9, None, 1)]
    table = env.to_data_frame(env.sql_query("SELECT k, HOUR(TO_TIMESTAMP_LTZ(0, 3)) AS h0 FROM mine"))
    assert [tuple(row) for row in table.join(frame, "k").collect()] == [(1, 0, 9, None)]


def test_a_data_frame_has_one_view_for_all_statements(env: SparkTableEnvironment, spark: SparkSession) -> None:
    table = env.from_data_frame(spark.sql("SELECT 1 AS a, 2 AS a"), DataTypes.of("ROW<x INT, y INT>"))
    assert rows(env, f"SELECT * FROM {table}") == [(1, 2)]
    before = len(spark.catalog.listTables("global_temp"))
    assert rows(env, f"SELECT y FROM {table}") == [(2,)]
    assert len(spark.catalog.listTables("global_temp")) == before


def test_a_data_frame_over_views_of_its_session(env: SparkTableEnvironment, spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("three")
    assert rows(env, f"SELECT COUNT(*) FROM {env.from_data_frame(spark.sql('SELECT * FROM three'))}") == [(3,)]


def test_a_data_frame_of_another_spark_is_refused(env: SparkTableEnvironment, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.range(1)
    monkeypatch.setattr(type(frame), "createGlobalTempView", lambda frame, name: None)  # as if on another server
    with pytest.raises(TableException, match="is of another server of Spark Connect"):
        rows(env, f"SELECT * FROM {env.from_data_frame(frame)}")


def test_options_of_a_statement_do_not_change_earlier_data_frames(spark: SparkSession) -> None:
    with SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "UTC"})) as env:
        utc = env.to_data_frame(env.sql_query("SELECT HOUR(TO_TIMESTAMP_LTZ(0, 3)) AS h"))
        env.get_config().set("table.local-time-zone", "Asia/Kolkata")
        assert rows(env, "SELECT HOUR(TO_TIMESTAMP_LTZ(0, 3))") == [(5,)]
        assert utc.collect()[0][0] == 0
    assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert spark.conf.get("spark.sql.ansi.enabled") == "false"


def test_the_default_time_zone_is_that_of_the_session_and_no_view_stays(spark: SparkSession) -> None:
    before = len(spark.catalog.listTables("global_temp"))
    settings = EnvironmentSettings.in_batch_mode()
    env = TableEnvironment.create(settings, external={"spark": spark})
    assert rows(env, "SELECT HOUR(TO_TIMESTAMP_LTZ(0, 3))") == [(9,)]
    env.close()
    with SparkTableEnvironment.create(spark) as other:
        assert rows(other, f"SELECT * FROM {other.from_data_frame(spark.range(1))}") == [(0,)]
    assert len(spark.catalog.listTables("global_temp")) == before


def test_explain_shows_the_plan_of_spark(env: SparkTableEnvironment) -> None:
    assert "Physical Plan" in env.explain_sql("SELECT a FROM (VALUES (1), (2)) AS t(a) WHERE a > 1")


@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        ("SELECT 1 / (a - 1) FROM (VALUES (1), (2)) AS t(a)", TableRuntimeException, "Division by zero."),
        ("SELECT CAST(b AS INT) FROM (VALUES ('x'), ('1')) AS t(b)", TableRuntimeException, "cannot be cast"),
        ("SELECT nothing FROM (VALUES (1)) AS t(a)", ValidationException, "Column 'nothing' does not exist"),
    ],
)
def test_errors_are_ours(env: SparkTableEnvironment, statement: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as found:
        rows(env, statement)
    assert "JVM" not in str(found.value)
    assert "org.apache" not in str(found.value)


def test_a_cancelled_query_ends(env: SparkTableEnvironment, spark: SparkSession) -> None:
    env.create_temporary_view("million", spark.range(1_000_000))
    result = env.execute_sql("SELECT COUNT(*) FROM million AS a, million AS b WHERE MD5(CAST(a.id * b.id AS STRING)) = 'x'")
    client = result.get_job_client()
    started = time.monotonic()
    client.cancel().result()
    with pytest.raises(JobCancelledException):
        result.to_arrow()
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(("module", "call"), [("spark", "SELECT assert_true(true)"), ("hive", "SELECT `in_file`('a', 'b')")])
def test_functions_of_the_jvm_are_refused(spark: SparkSession, module: str, call: str) -> None:
    with SparkTableEnvironment.create(spark) as env, pytest.raises(TableError, match="Spark Connect"):
        [rows(env, statement) for statement in (f"LOAD MODULE {module}", call)]


def test_a_stopped_session_is_an_error(address: str) -> None:
    program = f"""
from pyspark.sql import SparkSession
from table_api_bridge import SparkTableEnvironment
spark = SparkSession.builder.remote({address!r}).getOrCreate()
env = SparkTableEnvironment.create(spark)
spark.stop()
try:
    env.execute_sql("SELECT 1").to_arrow()
except Exception as error:
    print(type(error).__name__, error)
"""
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True).stdout
    assert "The Spark session of this environment was stopped." in said
