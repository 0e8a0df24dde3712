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

PROGRAM = """
import sys, time
from pathlib import Path
from table_api import Configuration
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

folder, hold = Path(sys.argv[1]), Path(sys.argv[2])
spark = local_session("local[2]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"})
env = SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "UTC"}))

@udf(result_type="BIGINT")
def slow(x: int) -> int:
    if x == 37 and hold.exists():
        hold.with_name("reached").touch()
        while hold.exists():
            time.sleep(0.02)
    return x * 2

env.create_temporary_function("slow", slow)
if not (folder / "in").exists():
    for part in range(4):
        rows = spark.range(part * 10, part * 10 + 10).selectExpr("id", "TIMESTAMP_NTZ'2024-01-01 00:00:00' + make_dt_interval(0, 0, 0, id) AS ts")
        rows.repartition(1).write.mode("append").parquet(str(folder / "in"))
source = spark.readStream.schema("id BIGINT, ts TIMESTAMP_NTZ").option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
env.create_temporary_view("s", source)
query = "SELECT id, slow(id) AS n, window_start FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '7' SECOND))"
frame = env.to_data_frame(env.sql_query(query)).repartition(2, "id")
written = frame.writeStream.format("parquet").option("path", str(folder / "out")).option("checkpointLocation", str(folder / "checkpoint"))
written.trigger(availableNow=True).start().awaitTermination()
print(sorted(map(tuple, spark.read.parquet(str(folder / "out")).select("id", "n").collect())))
"""


def start(folder: Path, hold: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(hold)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )


def test_a_program_killed_in_a_batch_writes_every_row_once(tmp_path: Path) -> None:
    hold, reached = tmp_path / "hold", tmp_path / "reached"
    hold.touch()
    program = start(tmp_path, hold)
    try:
        eventually(lambda: reached.exists() or program.poll() is not None, 90)
        assert program.poll() is None
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()
        hold.unlink()  # its workers end
    assert 0 < len(list((tmp_path / "checkpoint" / "commits").glob("[0-9]"))) < 4
    again = start(tmp_path, hold)
    try:
        printed, _ = again.communicate(timeout=90)
    finally:
        again.kill()
    assert printed.decode() == f"{[(n, 2 * n) for n in range(40)]}\n"


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
