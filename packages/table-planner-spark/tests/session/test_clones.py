"""What stays of the program in its own session while statements run in clones of it, and what reaches them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from table_api import Configuration
from table_api.delegation import JobExecution, JobOptions, JobStatus
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment
from table_common.catalog import ResolvedSchema
from table_common.exceptions import JobCancelledException, TableError, TableException
from table_common.types import BigIntType
from table_planner_spark.executor import SinkPlan
from table_planner_spark.options import analysis_options
from table_planner_spark.session.clones import clone_session, frame_in, state_of
from table_planner_spark.session.engine_session import EngineSession
from table_runtime.files import Snapshots

PATIENCE = 120


@dataclass
class Held:
    """A write that runs until it is released."""

    frame: DataFrame
    started: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    def run(self, frame: DataFrame, changes: object, write_id: str, begin_commit: Callable[[], None]) -> None:
        self.started.set()
        assert self.release.wait(PATIENCE)
        frame.collect()


@contextmanager
def a_running_insert(spark: SparkSession) -> Iterator[tuple[EngineSession, JobExecution]]:
    """An INSERT that runs as long as the block."""
    session = EngineSession(spark, is_ours=False).for_options(analysis_options(Configuration({"table.local-time-zone": "UTC"})))
    write = Held(session.spark.range(3))
    execution = SinkPlan(session, ResolvedSchema.physical([("n", BigIntType())]), [write], Snapshots()).execute(JobOptions("held"))
    try:
        assert write.started.wait(PATIENCE)
        yield session, execution
    finally:
        write.release.set()
        list(execution.batches())


def test_another_thread_has_its_own_options_while_a_statement_runs(spark: SparkSession) -> None:
    found: list[Any] = []
    with a_running_insert(spark) as (session, _):
        text = "SELECT CAST('x' AS INT) AS n, HOUR(timestamp_micros(0L)) AS h, 1 AS Upper"
        thread = threading.Thread(target=lambda: found.extend(spark.sql(text).select("n", "h", "UPPER").collect()))
        thread.start()
        thread.join(PATIENCE)
        assert session.spark.conf.get("spark.sql.ansi.enabled") == "true"
        assert spark.conf.get("spark.sql.ansi.enabled") == "false"
    assert [tuple(row) for row in found] == [(None, 9, 1)]


def test_environments_do_not_wait_for_each_other(spark: SparkSession) -> None:
    with a_running_insert(spark) as (_, execution), SparkTableEnvironment.create(spark) as other:
        ((value,),) = other.execute_sql("SELECT 1").collect()
        assert value == 1
        assert execution.client.get_job_status() is JobStatus.RUNNING


@pytest.mark.parametrize("ends", ["", "1 / CAST(RAND() * 0 AS INT)", "nonsense"])
def test_the_options_of_the_program_never_change(env: SparkTableEnvironment, spark: SparkSession, ends: str) -> None:
    before = spark.conf.getAll
    try:
        list(env.execute_sql(f"SELECT {ends or 1}").collect())
    except TableError:
        assert ends
    env.to_data_frame(env.sql_query("SELECT 1"))
    assert spark.conf.getAll == before


def test_the_options_of_the_program_are_as_before_after_a_cancelled_statement(env: SparkTableEnvironment, spark: SparkSession) -> None:
    before = spark.conf.getAll
    numbers = spark.range(0, 10**15, 1, 8).selectExpr("id", "rand() AS x")
    result = env.from_data_frame(numbers).execute()
    client = result.get_job_client()
    assert client is not None
    client.cancel()
    with pytest.raises(JobCancelledException):
        list(result.collect())
    assert spark.conf.getAll == before


FRAMES = {
    "an instant": ("HOUR(CAST(TO_TIMESTAMP_LTZ(0, 3) AS TIMESTAMP(3)))", 0),
    "a cast of text": ("CAST(CAST(TO_TIMESTAMP_LTZ(k * 0, 3) AS TIMESTAMP(3)) AS STRING)", "1970-01-01 00:00:00.000"),
    "names that differ in case": ("k + K", 3),
    "a time": ("CAST(TIME '10:11:12' AS STRING)", "10:11:12"),
    "a map with a key twice": ("MAP[k, 'a', K - 1, 'b'][1]", "b"),
    "a failing cast": ("TRY_CAST('x' AS INT)", None),
    "a day": ("DATE_FORMAT(TIMESTAMP '2024-01-02 03:04:05', 'yyyy-MM-dd HH')", "2024-01-02 03"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_runs_later_keeps_the_options_of_its_statement(env: SparkTableEnvironment, spark: SparkSession, name: str) -> None:
    expression, expected = FRAMES[name]
    env.create_temporary_view("two", env.from_data_frame(spark.range(1).selectExpr("1L AS k", "2L AS other"), _schema("k", "K")))
    frame = env.to_data_frame(env.sql_query(f"SELECT {expression} AS x FROM two"))
    assert frame.sparkSession is spark
    env.execute_sql("SET 'table.local-time-zone' = 'America/Lima'")
    assert [row[0] for row in frame.collect()] == [expected]
    assert [row[0] for row in frame.selectExpr("x AS y").filter("TRUE").collect()] == [expected]


HOSTILE = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.chunkBase64String.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.legacy.timeParserPolicy": "EXCEPTION",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
}
OF_FILES = (
    "MAP[k, 'a', k * 1, 'b'][1]",
    "CAST(c AS STRING)",
    "c",
    "DATE_FORMAT(t, 'yyyy-MM-dd HH:mm')",
    "CAST(TO_TIMESTAMP(CAST(t AS STRING)) AS STRING)",
    "CAST(l AS STRING)",
    "HOUR(CAST(l AS TIMESTAMP(3)))",
    "CAST(d / 3 AS STRING)",
    "d * d",
    "TO_BASE64(REPEAT(s, 100))",
    "TRY_CAST(s AS INT)",
    "s = 'x'",
    "s || U&'\\000A'",
    "CAST(t AS TIMESTAMP_LTZ(3)) = l",
)


@pytest.mark.needs_time
def test_a_frame_over_files_that_runs_later_keeps_the_options_of_its_statement(spark: SparkSession, tmp_path: Path) -> None:
    mine = spark.newSession()
    for key, value in HOSTILE.items():
        mine.conf.set(key, value)
    with SparkTableEnvironment.create(mine, Configuration({"table.local-time-zone": "UTC", "table.dml-sync": "true"})) as env:
        options = f"WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}/t')"
        columns = "k INT, s STRING, c TIME(3), t TIMESTAMP(3), l TIMESTAMP_LTZ(3), d DECIMAL(38, 10)"
        env.execute_sql(f"CREATE TEMPORARY TABLE t ({columns}) {options}")
        row = "1, 'x', TIME '10:11:12', TIMESTAMP '2024-03-10 02:30:00', TO_TIMESTAMP_LTZ(1710037800000, 3), CAST('1234567.8' AS DECIMAL(38, 10))"
        env.execute_sql(f"INSERT INTO t VALUES ({row})").wait()
        statement = "SELECT " + ", ".join(f"{text} AS c{number}" for number, text in enumerate(OF_FILES)) + " FROM t"
        expected = [tuple(column) for column in env.execute_sql(statement).to_arrow().to_pydict().values()]
        frame = env.to_data_frame(env.sql_query(statement))
        env.create_spark_view("handed_over", env.sql_query(statement))
    assert [tuple(column) for column in frame.toArrow().to_pydict().values()] == expected
    assert [tuple(column) for column in mine.sql("SELECT * FROM handed_over").toArrow().to_pydict().values()] == expected


def test_files_with_columns_that_the_session_takes_for_one_are_refused(
    env: SparkTableEnvironment, spark: SparkSession, tmp_path: Path
) -> None:
    options = f"WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}/t')"
    env.execute_sql(f"CREATE TEMPORARY TABLE t (k INT, K INT) {options}")
    env.execute_sql("INSERT INTO t VALUES (1, 2)").wait()
    table = env.sql_query("SELECT K FROM t")
    assert table.to_arrow().column(0).to_pylist() == [2]
    with pytest.raises(TableException, match=r"The columns k, K of a file differ in case only"):
        env.to_data_frame(table)
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert [row[0] for row in env.to_data_frame(table).collect()] == [2]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def _schema(*names: str) -> ResolvedSchema:
    return ResolvedSchema.physical([(name, BigIntType()) for name in names])


def test_what_the_program_adds_to_a_frame_has_the_options_of_the_program(env: SparkTableEnvironment) -> None:
    frame = env.to_data_frame(env.sql_query("SELECT 1 AS n"))
    assert [tuple(row) for row in frame.selectExpr("N", "CAST('x' AS INT)").collect()] == [(1, None)]


def test_views_and_frames_outlive_the_environment(spark: SparkSession) -> None:
    with SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "UTC"})) as env:
        shout = udf(lambda text: text.upper() + "!", result_type="STRING")
        env.create_temporary_function("shout", shout)
        table = env.sql_query("SELECT shout(w) AS w, HOUR(CAST(TO_TIMESTAMP_LTZ(0, 3) AS TIMESTAMP(3))) AS h FROM (VALUES ('a')) AS t(w)")
        env.create_spark_view("of_a_table", table)
        frame = env.to_data_frame(table)
    try:
        assert [tuple(row) for row in spark.sql("SELECT w, h FROM of_a_table").collect()] == [("A!", 0)]
        assert [tuple(row) for row in frame.collect()] == [("A!", 0)]
    finally:
        spark.catalog.dropTempView("of_a_table")


def test_a_view_that_the_program_makes_or_replaces_later_is_seen(run: Any, spark: SparkSession) -> None:
    run.environment.execute_sql("CREATE TEMPORARY TABLE later (n BIGINT) WITH ('connector' = 'spark', 'table' = 'made_later')")
    run.rows("SELECT 1")
    try:
        for count in (2, 3):
            spark.range(count).selectExpr("id AS n").createOrReplaceTempView("made_later")
            assert run.rows("SELECT COUNT(*) FROM later") == [(count,)]
    finally:
        spark.catalog.dropTempView("made_later")


def test_a_function_that_the_program_registers_later_is_seen(run: Any, spark: SparkSession) -> None:
    run.environment.execute_sql("LOAD MODULE spark")
    run.rows("SELECT 1")
    for added in (1, 2):
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION made_later(x INT) RETURNS INT RETURN x + {added}")
        assert run.value("made_later(1)") == 1 + added
    spark.sql("DROP TEMPORARY FUNCTION made_later")


def test_a_clone_is_used_again_until_the_program_changes_its_session(spark: SparkSession) -> None:
    session, options = EngineSession(spark, is_ours=False), {"spark.sql.ansi.enabled": "true"}
    first = session.for_options(options)
    assert session.for_options(options) is first
    assert session.for_options({"spark.sql.ansi.enabled": "false"}) is not first
    spark.conf.set("spark.sql.option.of.the.test", "1")
    renewed = session.for_options(options)
    assert renewed is not first
    assert renewed.spark.conf.get("spark.sql.option.of.the.test") == "1"
    spark.conf.unset("spark.sql.option.of.the.test")


def test_the_state_of_a_session_changes_with_its_database(spark: SparkSession) -> None:
    before = state_of(spark)
    assert state_of(spark) == before
    spark.sql("CREATE DATABASE other_database")
    spark.sql("USE other_database")
    assert state_of(spark) != before
    spark.sql("USE default")
    spark.sql("DROP DATABASE other_database")
    assert state_of(spark) == before


def test_a_clone_is_not_the_session_of_rdds(spark: SparkSession) -> None:
    mine = spark.newSession()
    clone = clone_session(spark, {})
    assert spark.sparkContext.parallelize([(1,)]).toDF(["n"]).sparkSession is mine
    assert SparkSession.getActiveSession() is not clone


def test_a_cached_frame_is_read_from_the_cache_in_a_clone(spark: SparkSession) -> None:
    cached = spark.range(5).selectExpr("id * 2 AS x").cache()
    assert cached.count() == 5
    there = frame_in(cached, clone_session(spark, {}))
    assert "InMemoryTableScan" in there._jdf.queryExecution().toString()
    cached.unpersist()


@udf(result_type="STRING")
def property_of_task(key: str) -> str:
    context = TaskContext.get()
    assert context is not None
    return context.getLocalProperty(key) or ""


def test_job_group_tags_and_pool_of_the_caller_stay(run: Any, spark: SparkSession) -> None:
    run.environment.create_temporary_function("property_of_task", property_of_task)
    context = spark.sparkContext
    context.setJobGroup("group of the program", "description of the program")
    context.addJobTag("tag-of-context")
    context.setLocalProperty("spark.scheduler.pool", "pool of the program")
    spark.addTag("tag-of-session")
    keys = ("spark.jobGroup.id", "spark.scheduler.pool", "spark.job.tags", "spark.job.description")
    values = ", ".join(f"('{key}')" for key in keys)
    statement = f"SELECT k, property_of_task(k) FROM (VALUES {values}) AS t(k)"
    try:
        found = dict(run.rows(statement))
        assert context.getLocalProperty("spark.job.description") == "description of the program"
        assert set(context.getJobTags()) == {"tag-of-context"}
    finally:
        spark.clearTags()
        context.clearJobTags()
        for key in (*keys, "spark.job.interruptOnCancel"):
            context.setLocalProperty(key, None)  # type: ignore[arg-type]  # unset
    assert (found[keys[0]], found[keys[1]]) == ("group of the program", "pool of the program")
    tags = found[keys[2]].split(",")
    assert "tag-of-context" in tags
    assert any(tag.startswith("spark-session-") and tag.endswith("-tag-of-session") for tag in tags)
    assert any(tag.startswith("table-") for tag in tags)
    assert found[keys[3]] == f"collect: {statement}"
    assert not any("tag-of-session" in tag for tag in dict(run.rows(statement))[keys[2]].split(","))


def test_hostile_options_of_the_program_do_not_reach_the_parser(spark: SparkSession) -> None:
    mine = spark.newSession()
    for key in ("escapedStringLiterals", "doubleQuotedIdentifiers"):
        mine.conf.set(f"spark.sql.parser.{key}" if key.startswith("escaped") else f"spark.sql.ansi.{key}", "true")
    for key in ("spark.sql.ansi.enabled", "spark.sql.ansi.enforceReservedKeywords"):
        mine.conf.set(key, "true")
    with SparkTableEnvironment.create(mine) as env:
        env.create_temporary_view("t", mine.range(1).selectExpr("id AS `from`", "'a' AS s"))
        rows = [tuple(row) for row in env.execute_sql("SELECT `from`, s || U&'\\000A\\005C' FROM t WHERE s = 'a'").collect()]
        assert rows == [(0, "a\n\\")]
        frame = env.to_data_frame(env.sql_query("SELECT CAST(`from` AS STRING) || '\n' AS `select` FROM t"))
        assert [row[0] for row in frame.collect()] == ["0\n"]
