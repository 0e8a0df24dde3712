"""Kills programs that overwrite partitions with Spark, for `kill_sinks.py --spark`."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from committing_sinks import NEW, OLD, SINKS
from kill_sinks import check, require_tidy, write
from system_calls import forked

__all__ = ["prove_spark"]

PROGRAM = """
import sys
from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

spark = local_session("local[2]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"})
env = SparkTableEnvironment.create(spark, Configuration({"table.dml-sync": "true"}))
columns = "id BIGINT, name STRING, part INT"
options = f"'connector' = 'filesystem', 'path' = '{sys.argv[1]}', 'format' = 'csv'"
env.execute_sql(f"CREATE TEMPORARY TABLE t ({columns}) PARTITIONED BY (part) WITH ({options})")
env.create_temporary_view("numbers", env.from_data_frame(spark.range(100, 160)))
print("begin", flush=True)
env.execute_sql("INSERT OVERWRITE t SELECT id, 'new ' || CAST(id AS STRING), CAST(MOD(id, 7) AS INT) FROM numbers")
print("end", flush=True)
sys.stdin.read()
"""


def prove_spark(points: int, rng: random.Random, folder: Path) -> str:
    """Kills this number of programs, each with its own Spark; returns a summary."""
    sink = next(sink for sink in SINKS if sink.name == "overwritten-partitions")
    new = sink.after(OLD, NEW)
    seconds, late = 0.0, 0
    for number in range(-1, points):
        place = folder / f"point-{number}"
        place.mkdir()
        assert forked(partial(write, sink, place, OLD, "old")) == 0, "files cannot be written"
        pipe = subprocess.PIPE
        program = subprocess.Popen([sys.executable, "-c", PROGRAM, str(place / "t")], stdin=pipe, stdout=pipe, start_new_session=True)
        assert program.stdout is not None
        try:
            assert program.stdout.readline() == b"begin\n", "the program ended before it wrote"
            started = time.monotonic()
            ended = bool(select.select([program.stdout], [], [], None if number < 0 else rng.random() * seconds)[0])
            seconds = seconds if number >= 0 else time.monotonic() - started
        finally:
            os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
        check(sink, place, [new] if ended else [OLD, new])
        assert forked(partial(write, sink, place, NEW, "again")) == 0, "files cannot be written after a kill"
        check(sink, place, [new])
        require_tidy(sink, place)
        late += ended
    return f"{points} programs killed in the {seconds:.1f} s of their statement, {late - 1} after it; nothing lost, doubled, half visible or left behind"
