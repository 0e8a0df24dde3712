"""Streaming DataFrames with other distributions: lookups in a database, and programs that are killed in the middle of a batch."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from waiting import eventually

from table_api_bridge import SparkTableEnvironment
from table_planner_spark.spark_internals import SPARK_VERSION

PROGRAM = """
import json, os, sys, time
from pathlib import Path
from table_api import Configuration
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

folder, hold = Path(sys.argv[1]), Path(sys.argv[2])
spark = local_session("local[3]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"})
options = {"execution.runtime-mode": "streaming", "table.exec.spark.max-rows-per-epoch": "10", "table.local-time-zone": "UTC"}
env = SparkTableEnvironment.create(spark, Configuration(options))

@udf(result_type="BIGINT")
def slow(x: int, query: str) -> int:
    if x == 37 and hold.exists():
        hold.with_name("reached-" + query).touch()
        while hold.exists():
            time.sleep(0.02)
    return x * 2

env.create_temporary_function("slow", slow)
if not (folder / "in").exists():
    (folder / "in").mkdir()
    for part in range(4):
        rows = [json.dumps({"id": id, "ts": f"2024-01-01 00:00:{id}"}) for id in range(10 * part, 10 * part + 10)]
        (folder / "in" / f"{part}.json").write_text("\\n".join(rows))
        os.utime(folder / "in" / f"{part}.json", (1_700_000_000 + part, 1_700_000_000 + part))
path = str(folder / "in")
source = spark.readStream.schema("id BIGINT, ts STRING").option("maxFilesPerTrigger", 1).json(path)
env.create_temporary_view("frame", source)
watched = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json', 'source.monitor-interval' = '1 s'"
env.execute_sql(f"CREATE TABLE watched (id BIGINT, ts STRING) WITH ({watched})")
queries = {}
for name in sys.argv[3:]:
    frame = env.to_data_frame(env.sql_query(f"SELECT id, slow(id, '{name}') AS n FROM {name}")).repartition(2, "id")
    written = frame.writeStream.format("parquet").option("checkpointLocation", str(folder / f"checkpoint-{name}"))
    queries[name] = written.trigger(availableNow=True).start(str(folder / f"out-{name}"))
for name, query in queries.items():
    query.awaitTermination()
    print(name, sorted(map(tuple, spark.read.parquet(str(folder / f"out-{name}")).select("id", "n").collect())))
"""
NAMES = ("frame", "watched") if SPARK_VERSION >= (4, 2) else ("frame",)


def start(folder: Path, hold: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(hold), *NAMES],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def test_a_program_killed_in_a_batch_writes_every_row_once(tmp_path: Path) -> None:
    hold, reached = tmp_path / "hold", [tmp_path / f"reached-{name}" for name in NAMES]
    hold.touch()
    program = start(tmp_path, hold)
    try:
        eventually(lambda: all(one.exists() for one in reached) or program.poll() is not None, 90)
        assert program.poll() is None
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()
        hold.unlink()  # its workers end
    assert [len(list((tmp_path / f"checkpoint-{name}" / "commits").glob("[0-9]"))) for name in NAMES] == [3] * len(NAMES)
    again = start(tmp_path, hold)
    try:
        printed, _ = again.communicate(timeout=90)
    finally:
        again.kill()
    assert printed.decode().splitlines() == [f"{name} {[(n, 2 * n) for n in range(40)]}" for name in NAMES]


def test_each_batch_looks_up_the_rows_of_a_database(spark: Any, tmp_path: Path) -> None:
    database = tmp_path / "labels.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE labels (k INTEGER PRIMARY KEY, label TEXT)")
        connection.executemany("INSERT INTO labels VALUES (?, ?)", [(1, "one"), (2, "two")])
    spark.range(6).write.parquet(str(tmp_path / "in"))
    with SparkTableEnvironment.create(spark) as env:
        env.create_temporary_view("s", spark.readStream.schema("id BIGINT").parquet(str(tmp_path / "in")))
        options = f"'connector' = 'sqlite', 'path' = '{database}', 'table-name' = 'labels'"
        env.execute_sql(f"CREATE TEMPORARY TABLE labels (k BIGINT, label STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ({options})")
        frame = env.to_data_frame(
            env.sql_query(
                "SELECT s.id, l.label FROM (SELECT id, PROCTIME() AS p FROM s) AS s LEFT JOIN labels FOR SYSTEM_TIME AS OF s.p AS l ON s.id = l.k"
            )
        )
    query = frame.writeStream.format("memory").queryName("with_labels").trigger(availableNow=True).start()
    query.awaitTermination(60)
    found = sorted(map(tuple, spark.table("with_labels").collect()))
    spark.catalog.dropTempView("with_labels")
    assert found == [(n, {1: "one", 2: "two"}.get(n)) for n in range(6)]
