"""Runs a streaming job for a long time over a troubled source: `python proofs/soak.py [--minutes 30] [--rate 500] [--keys 100] [--growth 10] [--seed N]`.

A process reads JSON messages from Kafka (a local broker is started), with ``json.ignore-parse-errors``, and writes the totals of each key and windows of event time into SQLite, with
checkpoints. The source is steady, then repeats old times, sends garbage, leaves out a partition for longer than the idle timeout, bursts, and stalls; then it starts over.

Each minute it prints the memory of the job's process (the median of a minute), its CPU time, and how many rows the job was behind, at most and at least.
At the end event time is brought to its end, and the sums are compared: the messages sent are the rows of the totals and the messages ignored, and the rows of the totals are those of the
windows and the late ones. The exit code is 1 if

- the memory of a minute is more than 10 % (`--growth`) above that at a sixth of the time;
- the job did not catch up in a minute, or not at the end;
- the sums differ.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from table_api import EnvironmentSettings, TableEnvironment

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "connector-kafka" / "tests"))

PARTITIONS = 3
STEP_SECONDS = 0.5
"""How often messages are sent: the broker does not answer fetches at the end of a partition that has more than about 15,000 batches."""
BURST_SECONDS = 20
"""The number of seconds whose rows come at once in a burst."""
OLD_MILLISECONDS = 60_000
LIMIT_SECONDS = 60.0
"""How long the job may take to catch up and to end."""
GARBAGE = (b"{", b'{"k": 1, "v": 2', b"\xff\xfe\x00", b"no JSON", b'{"k": 1, "v": }')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=int, default=500, help="rows per second while the source is steady")
    parser.add_argument("--keys", type=int, default=100, help="the number of different keys")
    parser.add_argument("--growth", type=float, default=10.0, help="the accepted growth of memory after a sixth of the time, in percent")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--run", nargs=3, metavar=("FOLDER", "SERVERS", "TOPIC"), help="used by the script itself")
    arguments = parser.parse_args()
    if arguments.run is not None:
        run_job(Path(arguments.run[0]), *arguments.run[1:])
        return
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        problems = Soak(Path(folder), arguments).run()
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


def run_job(folder: Path, servers: str, topic: str) -> None:
    """Runs the job until a line comes in; prints a line of JSON each second."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build())
    env.get_config().set("pipeline.name", "soak").set("table.local-time-zone", "UTC").set("table.exec.source.idle-timeout", "2 s")
    env.get_config().set("execution.checkpointing.dir", str(folder / "checkpoints")).set("execution.checkpointing.interval", "1 s")
    env.execute_sql(
        "CREATE TABLE events (k INT, v BIGINT, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ("
        f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{servers}', 'topic' = '{topic}', 'scan.startup.mode' = 'earliest-offset', "
        "'format' = 'json', 'json.ignore-parse-errors' = 'true')"
    )
    for name, columns, key in (("totals", "k INT", "k"), ("windows", "s STRING, k INT", "s, k")):
        env.execute_sql(
            f"CREATE TABLE {name} ({columns}, n BIGINT, v BIGINT, PRIMARY KEY ({key}) NOT ENFORCED) "
            f"WITH ('connector' = 'sqlite', 'path' = '{folder / 'rows.db'}', 'table-name' = '{name}')"
        )
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO totals SELECT k, COUNT(*), SUM(v) FROM events GROUP BY k")
    statements.add_insert_sql(
        "INSERT INTO windows SELECT CAST(window_start AS STRING), k, COUNT(*), SUM(v) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
        "GROUP BY window_start, window_end, k"
    )
    client = statements.execute().get_job_client()
    assert client is not None

    def report() -> None:
        values = client.metrics()
        rows = sum(int(value) for name, value in values.items() if name.startswith("Source[") and name.endswith(".numRecordsOut"))
        ignored, late = (
            sum(int(value) for name, value in values.items() if name.endswith(f".{metric}"))
            for metric in ("numRecordsInErrors", "numLateRecordsDropped")
        )
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"rows": rows, "late": late, "cpu": used.ru_utime + used.ru_stime, "ignored": ignored}), flush=True)

    while not select.select([sys.stdin], [], [], 1.0)[0]:
        if client.get_job_status().is_terminal_state():
            client.get_job_execution_result().result()
            raise SystemExit("the job has ended")
        report()
    client.stop_with_savepoint(advance_to_end_of_event_time=True, savepoint_directory=str(folder / "savepoint"))
    report()


@dataclass
class Sent:
    """What the source has sent."""

    messages: int = 0
    rows: int = 0
    values: int = 0
    """The sum of the column v."""
    bad_messages: int = 0
    bad_values: int = 0


class Feed:
    """The source: what it sends in each step."""

    def __init__(self, servers: str, topic: str, rate: int, keys: int, chosen: random.Random) -> None:
        self._servers = servers
        self._topic = topic
        self._rate = rate
        self._keys = keys
        self._chosen = chosen
        self.sent = Sent()

    def steps(self) -> Iterator[None]:
        """Sends forever; each step is to take ``STEP_SECONDS``."""
        chosen = self._chosen
        while True:
            yield from self._steady(chosen.uniform(1, 4))
            yield from self._steady(chosen.uniform(0.5, 2), age=OLD_MILLISECONDS)
            yield from self._steady(chosen.uniform(0.5, 2), garbage=0.3)
            yield from self._steady(chosen.uniform(2, 4), silent=chosen.randrange(PARTITIONS))
            self._send(self._rate * BURST_SECONDS, garbage=0.01)
            yield from self._steady(0, pause=chosen.uniform(2, 5))

    def _steady(
        self, seconds: float, *, age: int = 0, garbage: float = 0.0, silent: int | None = None, pause: float = 0.0
    ) -> Iterator[None]:
        for _ in range(int(seconds / STEP_SECONDS)):
            self._send(int(self._rate * STEP_SECONDS), age=age, garbage=garbage, silent=silent)
            yield
        for _ in range(int(pause / STEP_SECONDS)):
            yield

    def _send(self, count: int, *, age: int = 0, garbage: float = 0.0, silent: int | None = None) -> None:
        import kafka_brokers

        chosen, now = self._chosen, int(time.time() * 1000)
        for partition in range(PARTITIONS):
            if partition != silent:
                messages = [self._message(now - chosen.randint(0, age), garbage) for _ in range(count // PARTITIONS)]
                kafka_brokers.produce(self._servers, self._topic, messages, partition)

    def _message(self, at: int, garbage: float) -> bytes:
        sent, chosen = self.sent, self._chosen
        sent.messages += 1
        if chosen.random() >= garbage:
            value = chosen.randrange(1000)
            sent.rows += 1
            sent.values += value
            return b'{"k": %d, "v": %d, "t": %d}' % (chosen.randrange(self._keys), value, at)
        if chosen.random() < 0.5:
            sent.bad_messages += 1
            return chosen.choice(GARBAGE)
        sent.rows += 1
        sent.bad_values += 1
        return b'{"k": %d, "v": "no number", "t": %d}' % (chosen.randrange(self._keys), at)


class Soak:
    """The process of the job, and what is measured."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        import kafka_brokers

        with sqlite3.connect(folder / "rows.db") as database:
            database.execute("CREATE TABLE totals (k INTEGER PRIMARY KEY, n INTEGER, v INTEGER)")
            database.execute("CREATE TABLE windows (s TEXT, k INTEGER, n INTEGER, v INTEGER, PRIMARY KEY (s, k))")
        servers, topic = kafka_brokers.servers("tansu"), kafka_brokers.new_topic("tansu", PARTITIONS)
        self._folder = folder
        self._seconds = 60 * arguments.minutes
        self._growth = arguments.growth
        self._feed = Feed(servers, topic, arguments.rate, arguments.keys, random.Random(arguments.seed))
        self._job = subprocess.Popen(
            [sys.executable, __file__, "--run", str(folder), servers, topic], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._said = {"rows": 0, "late": 0, "cpu": 0.0, "ignored": 0}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._memory: list[tuple[float, float]] = []
        """Seconds since the beginning, and megabytes."""
        self._problems: list[str] = []

    def run(self) -> list[str]:
        """Runs the job, prints what it measures, and returns what is wrong."""
        self._reader.start()
        try:
            self._soak()
            self._finish()
        finally:
            self._job.kill()
            self._job.wait()
        return self._problems

    @property
    def _behind(self) -> int:
        return self._feed.sent.rows - int(self._said["rows"])

    def _read(self) -> None:
        assert self._job.stdout is not None
        for line in self._job.stdout:
            self._said = json.loads(line)

    def _soak(self) -> None:
        steps = self._feed.steps()
        next(steps)
        self._catch_up()  # the job has started
        began = time.monotonic()
        behind: list[int] = []
        minute, cpu = 1, 0.0
        while (now := time.monotonic() - began) < self._seconds:
            if self._job.poll() is not None:
                raise SystemExit(f"the job has ended with {self._job.returncode}")
            next(steps)
            self._memory.append((now, self._resident()))
            behind.append(self._behind)
            if now >= 60 * minute:
                self._print_minute(minute, behind, float(self._said["cpu"]) - cpu)
                behind, cpu, minute = [], float(self._said["cpu"]), minute + 1
            time.sleep(max(0.0, began + now + STEP_SECONDS - time.monotonic()))
        self._print_minute(minute, behind, float(self._said["cpu"]) - cpu)

    def _resident(self) -> float:
        pages = int(Path(f"/proc/{self._job.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _memory_between(self, start: float, end: float) -> float:
        return statistics.median(memory for at, memory in self._memory if start <= at <= end)

    def _print_minute(self, minute: int, behind: list[int], cpu: float) -> None:
        memory = self._memory_between(60 * (minute - 1), 60 * minute)
        most = max(value for at, value in self._memory if at > 60 * (minute - 1))
        print(
            f"minute {minute}: memory {memory:.0f} MB (at most {most:.0f}), CPU {cpu:.1f} s, {self._feed.sent.messages} messages sent, "
            f"behind by {min(behind)} to {max(behind)} rows",
            flush=True,
        )
        if min(behind) > 0:
            self._problems.append(f"the job did not catch up in minute {minute}: it was at least {min(behind)} rows behind")

    def _catch_up(self) -> None:
        deadline = time.monotonic() + LIMIT_SECONDS
        while self._behind and time.monotonic() < deadline and self._job.poll() is None:
            time.sleep(0.1)

    def _finish(self) -> None:
        self._catch_up()
        print(f"behind by {self._behind} rows at the end")
        if self._behind:
            self._problems.append(f"the job is {self._behind} rows behind {LIMIT_SECONDS:g} s after the last message")
        assert self._job.stdin is not None
        self._job.stdin.write("end\n")
        self._job.stdin.close()
        if self._job.wait(LIMIT_SECONDS) != 0:
            raise SystemExit(f"the job has ended with {self._job.returncode}")
        self._reader.join()
        self._check_memory()
        self._check_sums()

    def _check_memory(self) -> None:
        sixth = self._seconds / 6
        first = self._memory_between(sixth / 2, sixth)
        after = {at: self._memory_between(at, at + sixth) for at in (sixth * part for part in range(1, 6))}
        most = max(after.values())
        print(f"memory at a sixth of the time {first:.0f} MB, then at most {most:.0f} MB ({most / first - 1:+.1%})")
        for at, memory in after.items():
            if memory > (1 + self._growth / 100) * first:
                self._problems.append(f"the memory grew from {first:.0f} MB to {memory:.0f} MB after {at:.0f} s")

    def _check_sums(self) -> None:
        sent, late, ignored = self._feed.sent, int(self._said["late"]), int(self._said["ignored"])
        with sqlite3.connect(self._folder / "rows.db") as database:
            (totals, values), (windows,) = (
                database.execute(text).fetchone() for text in ("SELECT SUM(n), SUM(v) FROM totals", "SELECT SUM(n) FROM windows")
            )
        for name, left, right in (
            ("messages sent = rows of totals + messages ignored", sent.messages, totals + ignored - sent.bad_values),
            ("messages and values that are garbage = ignored", sent.bad_messages + sent.bad_values, ignored),
            ("rows of totals = rows of windows + late rows", totals, windows + late),
            ("sum of values sent = sum of totals", sent.values, values),
        ):
            print(f"{name}: {left} = {right}" if left == right else f"{name}: {left} is not {right}")
            if left != right:
                self._problems.append(f"{name}: {left} is not {right}")
        print(f"{sent.messages} messages = {windows} rows of windows + {late} late + {sent.bad_messages} ignored")
        if not late:
            self._problems.append("no row was late")


if __name__ == "__main__":
    main()
