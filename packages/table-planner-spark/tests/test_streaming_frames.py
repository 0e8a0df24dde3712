"""Queries over streaming DataFrames: their rows, under which options they run, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fns
from pyspark.sql.types import StructType

from table_api import Configuration
from table_api.expressions import col
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableException, ValidationException

ROWS = 40
SHAPES = {
    "filter and functions": "SELECT id, UPPER(name) AS n, k / 2 AS q, TRY_CAST(name || 'x' AS INT) AS t, CAST(name AS DECIMAL(10, 2)) / 3 AS e, "
    "MAP['a', id, 'a', k]['a'] AS m, ROW(id, name) AS r, DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss') AS f, CAST(ts AS TIMESTAMP(3)) AS c, HOUR(ts) AS h, "
    "CAST(CAST(ts AS TIMESTAMP_LTZ(3)) AS STRING) AS l FROM s WHERE MOD(id, 3) = 0",
    "function in Python": "SELECT id, shout(name) AS n FROM s WHERE id < 30",
    "kernels in workers": "SELECT id, REGEXP_EXTRACT(name, '([0-9])$', 1) AS n, JSON_OBJECT('a' VALUE id) AS j FROM s",
    "unnest": "SELECT id, x FROM s CROSS JOIN UNNEST(xs) AS u (x)",
    "join with a static table": "SELECT s.id, d.label FROM dim AS d JOIN s ON s.k = d.k",
    "left join with a static table": "SELECT s.id, d.label FROM s LEFT JOIN dim AS d ON s.k = d.k",
    "semi and anti join": "SELECT id FROM s WHERE k IN (SELECT k FROM dim WHERE k < 3) AND k NOT IN (SELECT k FROM dim WHERE k < 1)",
    "union all": "SELECT id FROM s WHERE id < 5 UNION ALL SELECT id FROM s WHERE id >= 35",
    "subqueries": "SELECT id, (SELECT MAX(k) FROM dim) AS m, (SELECT MAX(label) FROM dim WHERE dim.k = s.k) AS l FROM s",
    "tumble": "SELECT id, window_start, window_end, window_time FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
}
OTHER_OPTIONS = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.crossJoin.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.timeType.enabled": "false",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
}


@contextmanager
def options(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Sets options of the session of the program."""
    before = {key: spark.conf.get(key, None) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


@udf(result_type="STRING")
def shout(x: str) -> str:
    return x + "!"


@pytest.fixture(scope="module")
def data(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[StructType, str]:
    """A folder of two files, and its schema."""
    folder = str(tmp_path_factory.mktemp("stream") / "in")
    columns = (
        "id",
        "id % 5 AS k",
        "CAST(id AS STRING) AS name",
        "TIMESTAMP_NTZ'2024-01-01 00:00:00.123456' + make_dt_interval(0, 0, 0, id) AS ts",
    )
    for part in range(2):
        rows = spark.range(part * ROWS // 2, (part + 1) * ROWS // 2).selectExpr(*columns, "array(id, id + 1) AS xs")
        rows.coalesce(1).write.mode("append").parquet(folder)
    return spark.read.parquet(folder).schema, folder


@pytest.fixture(scope="module")
def stream(spark: SparkSession, data: tuple[StructType, str]) -> Callable[[], DataFrame]:
    """Makes a streaming DataFrame of two batches."""
    schema, folder = data
    return lambda: spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(folder)


@pytest.fixture(scope="module")
def rate(spark: SparkSession) -> DataFrame:
    """The rate source with the columns of the files."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS // 2).option("advanceMillisPerBatch", 1000).load()
    return source.selectExpr(
        "value AS id",
        "value % 5 AS k",
        "CAST(value AS STRING) AS name",
        "to_timestamp_ntz(timestamp) AS ts",
        "array(value, value + 1) AS xs",
    )


@pytest.fixture(scope="module")
def environment(spark: SparkSession, stream: Callable[[], DataFrame], data: tuple[StructType, str]) -> Iterator[SparkTableEnvironment]:
    """``s`` is the stream, ``b`` its rows as a batch, ``dim`` is static."""
    with SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "UTC"})) as env:
        env.create_temporary_function("shout", shout)
        env.create_temporary_view("s", stream())
        env.create_temporary_view("b", spark.read.parquet(data[1]))
        env.create_temporary_view("dim", spark.range(4).selectExpr("id AS k", "concat('n', id) AS label"))
        yield env


def run(frames: Mapping[str, DataFrame]) -> dict[str, list[tuple[Any, ...]]]:
    """Runs streaming DataFrames at the same time, until they have read what there is; returns their sorted rows."""
    queries = {}
    for number, (name, frame) in enumerate(frames.items()):
        assert frame.isStreaming, name
        queries[name] = frame.writeStream.format("memory").queryName(f"rows_{number}").trigger(availableNow=True).start()
    found = {}
    for number, (name, query) in enumerate(queries.items()):
        query.awaitTermination(120)
        spark = frames[name].sparkSession
        found[name] = sorted(map(tuple, spark.table(f"rows_{number}").collect()), key=repr)
        spark.catalog.dropTempView(f"rows_{number}")
    return found


def over(sql: str, table: str) -> str:
    """Returns a query over ``s`` as one over another table."""
    return sql.replace("FROM s", f"FROM {table} AS s").replace("JOIN s", f"JOIN {table} AS s").replace("TABLE s", f"TABLE {table}")


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=repr)


@pytest.fixture(scope="module")
def results(spark: SparkSession, environment: SparkTableEnvironment) -> dict[str, tuple[list[Any], list[Any]]]:
    """The rows of each shape, as a stream that starts after the session has other options, and as a batch query."""
    streams = {name: environment.to_data_frame(environment.sql_query(sql)) for name, sql in SHAPES.items()}
    batch = {name: over(sql, "b") for name, sql in SHAPES.items()}
    expected = {name: rows_of(environment.to_data_frame(environment.sql_query(sql))) for name, sql in batch.items()}
    with options(spark, OTHER_OPTIONS):
        given = run(streams)
    return {name: (given[name], expected[name]) for name in SHAPES}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_rows_are_those_of_the_batch_query(results: dict[str, tuple[list[Any], list[Any]]], shape: str) -> None:
    given, expected = results[shape]
    assert given == expected
    assert given


def test_the_rate_source_gives_the_rows_of_the_batch_query(
    spark: SparkSession, environment: SparkTableEnvironment, rate: DataFrame
) -> None:
    env = environment
    env.create_temporary_view("r", rate)
    given = run({"all": rate, **{name: env.to_data_frame(env.sql_query(over(sql, "r"))) for name, sql in SHAPES.items()}})
    env.create_temporary_view("rb", spark.createDataFrame(given["all"], rate.schema))
    for name, sql in SHAPES.items():
        expected = rows_of(env.to_data_frame(env.sql_query(over(sql, "rb"))))
        assert given[name] == expected, name
        assert expected, name


def test_a_view_keeps_its_own_options(spark: SparkSession, environment: SparkTableEnvironment) -> None:
    table = environment.sql_query(
        "SELECT id, TRY_CAST(name || 'x' AS INT) AS t, CAST(ts AS TIMESTAMP(3)) AS m, `id` / 7 AS Q, k AS q FROM s"
    )
    expected = rows_of(environment.to_data_frame(environment.sql_query("SELECT id, CAST(ts AS TIMESTAMP(3)), id / 7 FROM b WHERE id > 3")))
    environment.create_spark_view("kept", table)
    try:
        with options(spark, OTHER_OPTIONS):
            frame = spark.sql("SELECT id, m, id div 7 AS q FROM kept WHERE id > 3 AND t IS NULL")
            assert run({"view": frame})["view"] == expected
    finally:
        spark.catalog.dropTempView("kept")


def test_a_query_of_the_session_is_listed_there(spark: SparkSession, environment: SparkTableEnvironment) -> None:
    frame = environment.to_data_frame(environment.sql_query("SELECT id FROM s"))
    assert frame.sparkSession is spark
    query = frame.writeStream.format("noop").start()
    try:
        query.processAllAvailable()
        assert [active.id for active in spark.streams.active] == [query.id]
    finally:
        query.stop()


def test_a_frame_outlives_its_environment(spark: SparkSession, stream: Callable[[], DataFrame]) -> None:
    with SparkTableEnvironment.create(spark) as env:
        env.create_temporary_view("s", stream())
        env.execute_sql("CREATE TEMPORARY VIEW v AS VALUES (1, 'one'), (2, 'two')")
        frame = env.to_data_frame(env.sql_query("SELECT s.id, v.label FROM s JOIN v AS v (k, label) ON s.k = v.k"))
    assert len(run({"frame": frame})["frame"]) == 16


def test_a_frame_of_another_session_of_the_same_spark_is_read(spark: SparkSession, data: tuple[StructType, str]) -> None:
    other = spark.newSession()
    frame = other.readStream.schema(data[0]).parquet(data[1])
    with SparkTableEnvironment.create(spark) as env:
        made = env.to_data_frame(env.from_data_frame(frame).select(col("id")))
        assert made.sparkSession is spark
        assert len(run({"frame": made})["frame"]) == ROWS


def test_a_watermark_of_spark_stays_with_its_column(spark: SparkSession, stream: Callable[[], DataFrame]) -> None:
    source = stream().withColumn("at", fns.col("ts").cast("timestamp")).withWatermark("at", "1 second")
    with SparkTableEnvironment.create(spark) as env:
        env.create_temporary_view("s", source)
        frame = env.to_data_frame(env.sql_query("SELECT id, `at` AS moment FROM s WHERE id > 3"))
    counted = frame.groupBy(fns.window("moment", "5 seconds")).count().select("count")
    assert sum(count for (count,) in run({"counts": counted})["counts"]) > 0


def test_state_of_the_frame_itself_is_sparks(
    spark: SparkSession, environment: SparkTableEnvironment, stream: Callable[[], DataFrame]
) -> None:
    counted = environment.from_data_frame(stream().groupBy("k").count())
    frame = environment.to_data_frame(counted)
    query = frame.writeStream.format("memory").queryName("counted").outputMode("complete").trigger(availableNow=True).start()
    query.awaitTermination(60)
    assert rows_of(spark.table("counted")) == [(k, 8) for k in range(5)]
    spark.catalog.dropTempView("counted")


@pytest.mark.parametrize(
    ("sql", "node"),
    [
        ("SELECT k, COUNT(*) AS n FROM s GROUP BY k", r"Aggregate\(groupBy=\[k\].*: its rows depend on other rows"),
        ("SELECT id FROM s ORDER BY id LIMIT 3", r"SortLimit\(|Sort\("),
        ("SELECT s.id FROM s JOIN s AS r ON s.k = r.k", r"Join\(.*: both its inputs are unbounded"),
        ("SELECT d.k FROM dim AS d LEFT JOIN s ON s.k = d.k", r"Join\(joinType=LeftOuterJoin.*it waits for the last row"),
        ("SELECT id FROM s UNION ALL SELECT id FROM b", r"Union\(.*one of its inputs is bounded"),
        ("SELECT SUM(id) OVER (PARTITION BY k ORDER BY ts) FROM s", r"Window|OverAggregate"),
        (
            "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start",
            r"Aggregate\(",
        ),
    ],
)
def test_state_is_refused_with_its_node(environment: SparkTableEnvironment, sql: str, node: str) -> None:
    with pytest.raises(TableException, match=node) as refused:
        environment.to_data_frame(environment.sql_query(sql))
    assert "keeps state over the streaming DataFrame (id, k, name, ts, xs)" in str(refused.value)
    assert "An INSERT in streaming mode keeps state" in str(refused.value)


def test_a_query_without_state_is_not_executed(environment: SparkTableEnvironment) -> None:
    for runs in (environment.sql_query("SELECT id FROM s").execute, lambda: environment.execute_sql("SELECT id FROM s")):
        with pytest.raises(TableException, match=r"over a streaming DataFrame do not end.*\(id, k, name, ts, xs\)") as refused:
            runs()
        assert "to_data_frame" in str(refused.value)
        assert "keeps state" not in str(refused.value)


@pytest.mark.parametrize("mode", ["batch", "streaming"])
def test_statements_say_what_is_supported(spark: SparkSession, stream: Callable[[], DataFrame], mode: str) -> None:
    with SparkTableEnvironment.create(spark, Configuration({"execution.runtime-mode": mode})) as env:
        env.create_temporary_view("s", stream())
        env.execute_sql("CREATE TEMPORARY TABLE o (id BIGINT) WITH ('connector' = 'blackhole')")
        inserts = "INSERT INTO o SELECT id FROM s", "INSERT INTO o SELECT COUNT(*) FROM s GROUP BY k"
        for statement in ("EXPLAIN SELECT id FROM s", *(inserts[:1] if mode == "batch" else ())):
            with pytest.raises(TableException, match="over a streaming DataFrame do not end") as refused:
                env.execute_sql(statement)
            assert "to_data_frame" in str(refused.value)
        with pytest.raises(TableException, match=r"Besides, .*Aggregate\(.* keeps state") as refused:
            env.execute_sql("SELECT COUNT(*) FROM s GROUP BY k" if mode == "streaming" else inserts[1])
        assert "An INSERT in streaming mode keeps state" in str(refused.value)
        for statement in inserts if mode == "streaming" else ():
            with pytest.raises(ValidationException, match="keeps its state in checkpoints on Spark, and there is no folder"):
                env.execute_sql(statement)
        assert run({"frame": env.to_data_frame(env.sql_query("SELECT id + 1 FROM s WHERE id < 3"))}) == {"frame": [(1,), (2,), (3,)]}


def test_a_query_without_rows_is_a_stream_too(environment: SparkTableEnvironment) -> None:
    frame = environment.to_data_frame(environment.sql_query("SELECT id, name, xs FROM s WHERE 1 = 0"))
    assert frame.isStreaming
    assert frame.columns == ["id", "name", "xs"]
    joined = environment.sql_query("SELECT s.id FROM s JOIN (SELECT k FROM dim WHERE FALSE) AS d ON s.k = d.k")
    assert run({"empty": frame, "joined": environment.to_data_frame(joined)}) == {"empty": [], "joined": []}


def test_names_and_nested_types_are_those_of_the_frame(
    spark: SparkSession, environment: SparkTableEnvironment, stream: Callable[[], DataFrame]
) -> None:
    frame = stream().selectExpr(
        "id AS `a.b`", "id AS `we ``ird`", "named_struct('x', id, 'm', map('k', xs)) AS n", "CAST(NULL AS INT) AS z"
    )
    table = environment.from_data_frame(frame)
    made = environment.to_data_frame(table.filter(col("a.b") == 3))
    assert made.columns == ["a.b", "we `ird", "n", "z"]
    assert run({"rows": made})["rows"] == [(3, 3, (3, {"k": [3, 4]}), None)]


def test_two_views_over_one_frame_are_read_beside_each_other(environment: SparkTableEnvironment, stream: Callable[[], DataFrame]) -> None:
    frame = stream()
    environment.create_temporary_view("first_view", frame)
    environment.create_temporary_view("second_view", frame)
    table = environment.sql_query("SELECT id FROM first_view WHERE id < 2 UNION ALL SELECT id + 100 FROM second_view WHERE id < 1")
    assert run({"rows": environment.to_data_frame(table)})["rows"] == [(0,), (1,), (100,)]


def test_a_changelog_of_a_stream_is_refused(spark: SparkSession, stream: Callable[[], DataFrame]) -> None:
    with (
        SparkTableEnvironment.create(spark) as env,
        pytest.raises(TableException, match="all changes of a streaming DataFrame are never known"),
    ):
        env.from_changelog_data_frame(stream().selectExpr("'+I' AS row_kind", "id"))


@pytest.mark.needs_time
def test_a_time_is_refused_if_the_session_has_none(spark: SparkSession, environment: SparkTableEnvironment) -> None:
    table = environment.sql_query("SELECT id, CAST(ts AS TIME) AS t FROM s")
    with (
        options(spark, {"spark.sql.timeType.enabled": "false"}),
        pytest.raises(TableException, match="The column 't' is of the type TIME") as refused,
    ):
        environment.to_data_frame(table)
    assert "spark.conf.set('spark.sql.timeType.enabled', 'true')" in str(refused.value)
    assert len(run({"times": environment.to_data_frame(table)})["times"]) == ROWS


def test_a_condition_in_python_is_refused_in_an_outer_join(environment: SparkTableEnvironment) -> None:
    with pytest.raises(TableException, match="LeftOuterJoin with a condition that calls Python over columns of both sides"):
        environment.to_data_frame(environment.sql_query("SELECT id FROM s LEFT JOIN dim AS d ON shout(s.name || d.label) = '1n1!'"))


def test_a_table_of_spark_is_read_as_a_stream(
    spark: SparkSession, environment: SparkTableEnvironment, data: tuple[StructType, str]
) -> None:
    spark.sql(f"CREATE TABLE of_spark USING parquet LOCATION '{data[1]}'")
    options_of_table = "'connector' = 'spark', 'table' = 'of_spark', 'streaming' = 'true', 'streaming.maxFilesPerTrigger' = '1'"
    try:
        environment.execute_sql(f"CREATE TEMPORARY TABLE of_table (id BIGINT, ts TIMESTAMP(6)) WITH ({options_of_table})")
        table = environment.sql_query("SELECT id FROM of_table WHERE id > 35")
        assert run({"table": environment.to_data_frame(table)})["table"] == [(36,), (37,), (38,), (39,)]
        with pytest.raises(TableException, match=r"do not end.*the table 'default_catalog.default_database.of_table'"):
            table.execute()
        environment.execute_sql(f"CREATE TEMPORARY TABLE missing (id BIGINT) WITH ({options_of_table.replace('of_spark', 'nowhere')})")
        with pytest.raises(ValidationException, match=r"does not read nowhere .*cannot be found"):
            environment.to_data_frame(environment.sql_query("SELECT id FROM missing"))
    finally:
        spark.sql("DROP TABLE of_spark")


def test_a_static_view_is_not_read_as_a_stream(spark: SparkSession, environment: SparkTableEnvironment) -> None:
    spark.range(3).createOrReplaceTempView("static_view")
    try:
        environment.execute_sql(
            "CREATE TEMPORARY TABLE wrong (id BIGINT) WITH ('connector' = 'spark', 'table' = 'static_view', 'streaming' = 'true')"
        )
        with pytest.raises(ValidationException, match=r"does not read static_view .* it is a view, and not one over a streaming DataFrame"):
            environment.to_data_frame(environment.sql_query("SELECT id FROM wrong"))
    finally:
        spark.catalog.dropTempView("static_view")


def test_windows_of_event_time_are_projections_in_streaming_mode(spark: SparkSession, stream: Callable[[], DataFrame]) -> None:
    stream().createOrReplaceTempView("of_program")
    try:
        with SparkTableEnvironment.create(spark, Configuration({"execution.runtime-mode": "streaming"})) as env:
            env.execute_sql(
                "CREATE TEMPORARY TABLE t (id BIGINT, ts TIMESTAMP(6), t3 AS CAST(ts AS TIMESTAMP(3)), WATERMARK FOR t3 AS t3) "
                "WITH ('connector' = 'spark', 'table' = 'of_program', 'streaming' = 'true')"
            )
            frame = env.to_data_frame(env.sql_query("SELECT id, window_end FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(t3), INTERVAL '1' HOUR))"))
        assert len(run({"windows": frame})["windows"]) == ROWS
    finally:
        spark.catalog.dropTempView("of_program")
