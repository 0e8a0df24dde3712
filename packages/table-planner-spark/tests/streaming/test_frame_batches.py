"""INSERTs over streaming DataFrames: an epoch for each batch of Spark."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fns

from table_api import Configuration, DataTypes, EnvironmentSettings, Schema, TableEnvironment
from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableError, TableException
from table_common.gate import Gate
from table_planner_spark.streaming.frame_batches import FrameBatches
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.share_epochs import epoch_loop

QUERIES = {
    "filter": "SELECT id, 0, ts FROM s WHERE MOD(id, 4) = 1",
    "aggregate": "SELECT MOD(id, 3), COUNT(*), MAX(ts) FROM s GROUP BY MOD(id, 3)",
    "aggregate above an aggregate": "SELECT n, COUNT(*), MAX(m) FROM (SELECT MOD(id, 7) AS k, COUNT(*) AS n, MAX(ts) AS m FROM s GROUP BY MOD(id, 7)) GROUP BY n",
    "distinct": "SELECT DISTINCT MOD(id, 5), 0, CAST(NULL AS TIMESTAMP(3)) FROM s",
    "self-join": "SELECT a.id, b.id, b.ts FROM s AS a JOIN s AS b ON a.id = b.id - 11",
    "join with a table that ends": "SELECT s.id, d.n, s.ts FROM s LEFT JOIN d ON MOD(s.id, 4) = d.k",
    "union with a table that ends": "SELECT id, 1, ts FROM s WHERE id < 9 UNION ALL SELECT k, n, CAST(NULL AS TIMESTAMP(3)) FROM d",
    "ranks": "SELECT id, rn, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY MOD(id, 2) ORDER BY id DESC) AS rn FROM s) WHERE rn <= 3",
    "windows": "SELECT window_sum, n, e FROM (SELECT SUM(id) AS window_sum, COUNT(*) AS n, window_end AS e "
    "FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' SECOND)) WHERE id < 100 GROUP BY window_start, window_end)",
    "sums over rows before": "SELECT id, SUM(id) OVER (PARTITION BY MOD(id, 2) ORDER BY ts), ts FROM s WHERE id < 100",
}
LAST = 1000  # the id, and the second, of the last row: all windows of others are over


class Frames:
    """A folder that a streaming DataFrame reads, file by file, and an environment with the DataFrame as ``s``."""

    def __init__(self, spark: SparkSession, folder: Path, **options: str) -> None:
        self.spark = spark
        self.folder = folder
        (folder / "in").mkdir(exist_ok=True)
        self.files = len(list((folder / "in").iterdir()))
        self.env = SparkTableEnvironment.create(
            spark,
            Configuration(
                {
                    "execution.runtime-mode": "streaming",
                    "execution.checkpointing.dir": str(folder / "checkpoints"),
                    "pipeline.name": "job",
                    "restart-strategy.type": "none",
                    "table.exec.sink.commit-interval": "10 ms",
                    "table.exec.spark.state-shares": "2",
                    "table.exec.spark.trigger": "available-now",
                    "table.local-time-zone": "UTC",
                    **options,
                }
            ),
        )
        self.env.create_temporary_view("s", self.env.from_data_frame(self.frame(), SCHEMA))
        self.env.create_temporary_view("d", spark.createDataFrame([(0, 7), (1, 8), (1, 9)], "k INT, n BIGINT"))

    def frame(self) -> DataFrame:
        """Returns the streaming DataFrame."""
        reader = self.spark.readStream.schema("id BIGINT, ts TIMESTAMP_NTZ").option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder / "in")).repartition(2)

    def add(self, *ids: int) -> None:
        """Adds a file with rows whose times are their numbers in seconds; files have an order."""
        hidden = self.folder / "in" / f".{self.files}"
        hidden.write_text("".join(json.dumps({"id": id, "ts": time_of(id)}) + "\n" for id in ids))
        os.utime(hidden, (1_700_000_000 + self.files, 1_700_000_000 + self.files))
        hidden.rename(self.folder / "in" / f"{self.files}.json")
        self.files += 1

    def sink(self, name: str) -> None:
        """Creates a table of changes."""
        options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{self.folder / name}'"
        self.env.execute_sql(f"CREATE TABLE {name} (op STRING, a BIGINT, b BIGINT, c TIMESTAMP(3)) WITH ({options})")

    def insert(self) -> Any:
        """Starts an INSERT of counts."""
        if not self.env.list_tables().count("o"):
            self.sink("o")
            self.env.execute_sql("CREATE VIEW w AS SELECT MOD(id, 3) AS a, COUNT(*) AS b, MAX(ts) AS c FROM s GROUP BY MOD(id, 3)")
        return self.env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)")

    def table(self, name: str) -> Counter[tuple[Any, ...]]:
        """Returns the rows that the changes in a sink leave."""
        rows: Counter[tuple[Any, ...]] = Counter()
        for file in (self.folder / name).glob("[!._]*"):
            for line in file.read_text().splitlines():
                change = json.loads(line)
                rows[change.get("a"), change.get("b"), change.get("c")] += 1 if change["op"] in ("INSERT", "UPDATE_AFTER") else -1
        assert all(count >= 0 for count in rows.values())
        return +rows

    def close(self) -> None:
        self.env.close()


SCHEMA = (
    Schema.new_builder()
    .column("id", DataTypes.BIGINT())
    .column("ts", DataTypes.TIMESTAMP(3))
    .watermark("ts", "ts - INTERVAL '1' SECOND")
    .build()
)


def time_of(second: int) -> str:
    return f"2024-01-01 {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def counts(*ids: int) -> Counter[tuple[Any, ...]]:
    keys = {id % 3 for id in ids}
    return Counter((key, sum(id % 3 == key for id in ids), time_of(max(id for id in ids if id % 3 == key))) for key in keys)


@pytest.fixture
def frames(spark: SparkSession, tmp_path: Path) -> Iterator[Frames]:
    with closing(Frames(spark, tmp_path)) as made:
        yield made


def test_the_table_is_that_of_the_batch_query(frames: Frames) -> None:
    frames.add(*range(9, -1, -1))  # within a batch rows have no order, so none is late by another one
    frames.add(*range(29, 9, -1))
    frames.add(LAST)
    statements = frames.env.create_statement_set()
    for number, query in enumerate(QUERIES.values()):
        frames.sink(f"o{number}")
        frames.env.execute_sql(f"CREATE VIEW w{number} (a, b, c) AS {query}")
        statements.add_insert_sql(
            f"INSERT INTO o{number} SELECT op, CAST(a AS BIGINT), CAST(b AS BIGINT), c FROM TO_CHANGELOG(TABLE w{number})"
        )
    assert "FrameStream(table=[DataFrame], fields=[id, ts])" in statements.explain()
    statements.execute().wait()
    assert len(list((frames.folder / "checkpoints" / "job" / "spark").iterdir())) == 1, "all read the same query"
    with closing(TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())) as batch:
        options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{frames.folder / 'in'}'"
        batch.execute_sql(f"CREATE TABLE s (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({options})")
        batch.create_temporary_view("d", batch.from_elements([(0, 7), (1, 8), (1, 9)], ["k", "n"]))
        for number, (name, query) in enumerate(QUERIES.items()):
            table = batch.sql_query(query).alias("a", "b", "c").execute().to_arrow()
            expected = Counter(
                (row["a"], row["b"], None if row["c"] is None else f"{row['c']:%Y-%m-%d %H:%M:%S}") for row in table.to_pylist()
            )
            assert frames.table(f"o{number}") == expected, name


def test_a_later_start_continues_after_the_last_batch(frames: Frames, spark: SparkSession) -> None:
    frames.add(1, 2, 3)
    frames.add(4)
    frames.insert().wait()
    assert frames.table("o") == counts(1, 2, 3, 4)
    with closing(Frames(spark, frames.folder)) as later:
        later.add(5, 6)
        later.insert().wait()
        assert later.table("o") == counts(1, 2, 3, 4, 5, 6)
        later.insert().wait()
        assert later.table("o") == counts(1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("point", ["planned", "ran", "prepared", "decided", "committed", "done"])
def test_a_failure_in_a_batch_loses_and_doubles_nothing(frames: Frames, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    failures = []

    def fail(reached: str, epoch: int) -> None:
        if reached == point and epoch == 2 and not failures:
            failures.append(point)
            raise OSError(f"stopped at {point}")

    monkeypatch.setattr(failure_points, "listeners", [fail])
    frames.env.drop_temporary_view("s")
    frames.env.create_temporary_view("s", frames.env.from_data_frame(frames.frame().dropDuplicates(["id"]), SCHEMA))
    frames.env.get_config().set("restart-strategy.type", "fixed-delay").set("restart-strategy.fixed-delay.delay", "0 ms")
    for first in (0, 3, 6):
        frames.add(first, first + 1, first + 2, 1)
    frames.insert().wait()
    assert failures
    assert frames.table("o") == counts(*range(9))


def test_a_job_that_goes_on_takes_new_files_until_it_is_ended(spark: SparkSession, tmp_path: Path) -> None:
    options = {"table.exec.spark.trigger": "interval"}
    with closing(Frames(spark, tmp_path, **options)) as frames:
        frames.add(1)
        client = frames.insert().get_job_client()
        for id in (2, 3):
            while frames.table("o") != counts(*range(1, id)):
                assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            frames.add(id)
        while frames.table("o") != counts(1, 2, 3):
            assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
        assert [query.name.split()[0] for query in spark.streams.active] == ["DataFrame"]
        client.stop_with_savepoint()
        assert spark.streams.active == []
        frames.add(4)
        frames.env.get_config().set("table.exec.spark.trigger", "available-now")
        frames.insert().wait()
        assert frames.table("o") == counts(1, 2, 3, 4)


def test_a_watched_table_beside_the_data_frame_is_read_with_offsets(spark: SparkSession, tmp_path: Path) -> None:
    with closing(Frames(spark, tmp_path)) as frames:
        frames.add(1, 2)
        (tmp_path / "watched").mkdir()
        (tmp_path / "watched" / "0.json").write_text('{"k": 1, "n": 5}\n')
        options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path / 'watched'}', 'source.monitor-interval' = '10 ms'"
        frames.env.execute_sql(f"CREATE TABLE watched (k BIGINT, n BIGINT) WITH ({options})")
        frames.sink("o")
        frames.env.execute_sql("CREATE VIEW w AS SELECT s.id AS a, n AS b, ts AS c FROM s JOIN watched ON id = k")
        insert = "INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)"
        frames.env.execute_sql(insert).wait()
        (tmp_path / "watched" / "1.json").write_text('{"k": 2, "n": 6}\n{"k": 3, "n": 7}\n')
        frames.add(3, 4)
        frames.env.execute_sql(insert).wait()
        assert frames.table("o") == Counter([(1, 5, time_of(1)), (2, 6, time_of(2)), (3, 7, time_of(3))])


def test_a_limit_ends_the_job(spark: SparkSession, tmp_path: Path) -> None:
    with closing(Frames(spark, tmp_path, **{"table.exec.spark.trigger": "interval"})) as frames:
        frames.add(1, 2, 3)
        frames.sink("o")
        frames.env.execute_sql("INSERT INTO o SELECT 'INSERT', id, 0, ts FROM s LIMIT 2").wait()
        assert frames.table("o").total() == 2
        assert spark.streams.active == []


def refusal(frames: Frames, statement: str) -> str:
    with pytest.raises(TableException) as caught:
        frames.env.execute_sql(statement)
    return str(caught.value)


def test_what_a_job_cannot_read_is_refused_with_the_way(frames: Frames) -> None:
    frames.sink("o")
    text = refusal(frames, "SELECT COUNT(*) FROM s")
    assert "keeps state" in text
    assert "INSERT in streaming mode" in text
    assert "to_data_frame" in refusal(frames, "SELECT id FROM s")
    frames.env.create_temporary_view("t", frames.spark.readStream.format("rate").load())
    text = refusal(frames, "INSERT INTO o SELECT 'INSERT', id, `value`, ts FROM s JOIN t ON id = `value`")
    assert "reads 2 streaming DataFrames: the streaming DataFrame (id, ts) and the streaming DataFrame (timestamp, value)" in text
    totals = frames.frame().groupBy("id").agg(fns.count("*").alias("n"))
    frames.env.create_temporary_view("totals", totals)
    text = refusal(frames, "INSERT INTO o SELECT 'INSERT', id, n, CAST(NULL AS TIMESTAMP(3)) FROM totals")
    assert "batches that only add rows" in text
    assert "Do the step that changes rows in the statement" in text
    frames.env.execute_sql("SET 'execution.runtime-mode' = 'batch'")
    assert "INSERT in streaming mode" in refusal(frames, "INSERT INTO o SELECT 'INSERT', id, 0, ts FROM s")


def test_a_batch_that_spark_cannot_read_fails_the_job_with_its_reason(frames: Frames) -> None:
    frames.add(1)
    broken = frames.spark.readStream.schema("id BIGINT, ts TIMESTAMP_NTZ").option("mode", "FAILFAST").json(str(frames.folder / "in"))
    frames.env.create_temporary_view("t", broken)
    (frames.folder / "in" / "9.json").write_text("{oops\n")
    frames.sink("o")
    with pytest.raises(TableError, match=r"9\.json|[Mm]alformed") as caught:
        frames.env.execute_sql("INSERT INTO o SELECT 'INSERT', id, 0, CAST(ts AS TIMESTAMP(3)) FROM t").wait()
    assert "\tat " not in str(caught.value)


def test_a_query_that_the_program_stops_fails_the_job(spark: SparkSession, tmp_path: Path) -> None:
    with closing(Frames(spark, tmp_path, **{"table.exec.spark.trigger": "interval"})) as frames:
        frames.add(1)
        result = frames.insert()
        while frames.table("o") != counts(1):
            assert not result.get_job_client().get_job_status().is_terminal_state()
        (query,) = spark.streams.active
        query.stop()
        with pytest.raises(TableError, match="was stopped outside of the job"):
            result.wait()


def test_a_checkpoint_of_spark_that_is_not_that_of_the_state_is_refused(frames: Frames) -> None:
    frames.add(1)
    frames.add(2)
    frames.insert().wait()
    frames.add(3)
    job, kept = frames.folder / "checkpoints" / "job", frames.folder / "kept"
    shutil.copytree(job, kept)
    max(
        (job / "epochs").iterdir(), key=lambda file: int(file.stem)
    ).unlink()  # the state is that of the batch before, as in an older copy of the folder
    with pytest.raises(TableError, match="Its next batch is 2, and the last one of the job is 0") as caught:
        frames.insert().wait()
    assert "under another 'pipeline.name'" in str(caught.value)
    shutil.rmtree(job)
    shutil.copytree(kept, job)
    shutil.rmtree(job / "spark")
    with pytest.raises(TableError, match="It is of the query"):
        frames.insert().wait()
    shutil.rmtree(job)
    shutil.copytree(kept, job)
    frames.insert().wait()
    assert frames.table("o") == counts(1, 2, 3)


def test_an_epoch_whose_tasks_were_repeated_runs_again_with_the_rows_of_its_batch(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    differing, calls = epoch_loop.differing_attempts, list[int]()

    def differ_once(notes: Any) -> Any:
        calls.append(1)
        return [(0, 0, [1, 2])] if len(calls) == 2 else differing(notes)

    monkeypatch.setattr(epoch_loop, "differing_attempts", differ_once)
    frames.add(1, 2, 3)
    frames.add(4)
    frames.insert().wait()
    assert (frames.table("o"), len(calls) >= 3) == (counts(1, 2, 3, 4), True)


def test_a_batch_with_other_columns_is_refused(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    on_batch = FrameBatches._on_batch
    monkeypatch.setattr(
        FrameBatches, "_on_batch", lambda source, frame, number: on_batch(source, frame.withColumn("new", fns.lit(1)), number)
    )
    frames.add(1)
    with pytest.raises(
        TableError, match=r"The columns of DataFrame have changed while the job runs: batch 0 has struct<.*new.*in place of struct<"
    ):
        frames.insert().wait()
    assert frames.spark.streams.active == []


def test_a_watermark_of_spark_is_none_of_the_statement(frames: Frames) -> None:
    frames.env.create_temporary_view("t", frames.spark.readStream.format("rate").load().withWatermark("timestamp", "1 second"))
    window = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(`timestamp`), INTERVAL '5' SECOND))"
    with pytest.raises(TableError, match=r"time attribute|WATERMARK"):
        frames.env.execute_sql(f"CREATE VIEW x AS SELECT COUNT(*) AS n FROM {window} GROUP BY window_start, window_end")


def test_the_checkpoint_of_spark_is_in_the_folder_of_the_job_whatever_its_name(spark: SparkSession, tmp_path: Path) -> None:
    options = {"pipeline.name": "a job ä%41 #1?", "execution.checkpointing.dir": str(tmp_path / "check points é")}
    with closing(Frames(spark, tmp_path, **options)) as frames:
        frames.add(1, 2)
        frames.insert().wait()
        frames.add(3)
        frames.insert().wait()
        assert frames.table("o") == counts(1, 2, 3)
    (job,) = (tmp_path / "check points é").iterdir()
    assert (job / "spark").is_dir()
    assert sorted(file.name for file in tmp_path.iterdir() if not file.name.startswith(".")) == ["check points é", "in", "o"]


def test_spark_does_not_fail_a_query_whose_batch_the_end_of_the_job_interrupts(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = []

    def fail(reached: str, epoch: int) -> None:
        if reached == "done" and epoch == 1:  # the batch waits still
            queries.extend(frames.spark.streams.active)
            raise OSError("stopped")

    monkeypatch.setattr(failure_points, "listeners", [fail])
    frames.add(1)
    with pytest.raises(TableError, match="stopped"):
        frames.insert().wait()
    (query,) = queries
    assert not query.isActive
    assert query.exception() is None


def test_a_batch_before_the_last_one_is_not_passed_over(frames: Frames, tmp_path: Path) -> None:
    planner: Any = frames.env.session.planner
    source: Any = SimpleNamespace(idle_timeout=0)
    scan: Any = SimpleNamespace(table="t")
    batches: Any = FrameBatches(source, scan, {"batch": 5}, [], Gate.of_program(tmp_path), "run", planner.session, {})
    batches._query = SimpleNamespace(isActive=True)
    call = threading.Thread(target=batches._on_batch, args=(frames.frame(), 3), daemon=True)  # Spark has lost batches, and forms others
    call.start()
    call.join(0.2)
    assert call.is_alive()
    with pytest.raises(TableException, match="Its next batch is 3, and the last one of the job is 5"):
        batches.plan()
    with batches._change:
        batches._batch = 3
        batches._change.notify_all()
    call.join()


def test_the_error_of_a_query_that_spark_ends_has_its_reason_alone(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: FrameBatches, frame: DataFrame, number: int) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(FrameBatches, "_on_batch", fail)
    frames.add(1)
    with pytest.raises(TableError, match=r"Spark cannot read DataFrame: .*no such thing") as caught:
        frames.insert().wait()
    assert "=== Streaming Query ===" not in str(caught.value)
