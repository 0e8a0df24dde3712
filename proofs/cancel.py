"""Cancels long-running queries at random times: `python proofs/cancel.py [--engine arrow|spark] [--moments 20] [--seed N] [--plan NAME]`.

Each plan takes many seconds. It is cancelled at a random time, in turn by its job client, by closing its result and by a
time limit. Within 500 ms the process must be idle, that is, no thread may use CPU time. Because other programs may delay this one,
a test also passes if the process used less than half a second of CPU time after the cancellation. A job that has ended cannot be cancelled:
the program then goes on reading the rows that wait for it, which is not measured.

On Spark, no thread of the JVM may run a task, and CPU time is that of this process and of the tasks: Spark cannot interrupt the planning of a
query. The first cancellation of each plan is not measured, because its tasks compile their code and load classes.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from table_api import DataTypes, EnvironmentSettings, TableEnvironment, TableResult
from table_api.udf import udf
from table_common.exceptions import JobCancelledException, JobTimeoutException

sys.path.insert(0, str(Path(__file__).resolve().parent))

from processors import running_tasks, task_seconds

IDLE_SECONDS = 0.5
QUIET_SECONDS = 0.4
"""The process is idle if it uses no CPU time for this long, in seconds."""

PLANS = {
    "join-with-many-partners": "SELECT COUNT(*), MAX(a.i + b.i) FROM same AS a JOIN same AS b ON a.k = b.k",
    "join-by-text": "SELECT COUNT(*) FROM big AS a JOIN big AS b ON a.s = b.s JOIN big AS c ON b.k = c.k",
    "join-without-keys": "SELECT COUNT(*) FROM same AS a JOIN same AS b ON a.i < b.i + 5 AND a.s <> b.s",
    "sort": "SELECT * FROM big ORDER BY s DESC, k",
    "aggregate": "SELECT s, COUNT(DISTINCT k), COLLECT(g), SUM(k) FROM big GROUP BY s",
    "sets": "(SELECT k, s FROM big INTERSECT SELECT k, s FROM big) EXCEPT SELECT k, 'x' FROM big UNION SELECT k + 1, s FROM big",
    "distinct": "SELECT COUNT(*) FROM (SELECT DISTINCT k, s, g FROM big)",
    "windows": "SELECT k, SUM(k) OVER (PARTITION BY g ORDER BY s), ROW_NUMBER() OVER (PARTITION BY g ORDER BY k DESC) FROM big",
    "unnest": "SELECT SUM(e + f) FROM lists CROSS JOIN UNNEST(l) AS t (e) CROSS JOIN UNNEST(l) AS u (f)",
    "user-function": "SELECT SUM(slow(k)) FROM big",
    "text": "SELECT COUNT(DISTINCT MD5(UPPER(REVERSE(s)) || REGEXP_REPLACE(s, '([0-9])+', 'x'))) FROM big AS a CROSS JOIN few",
    "write": "INSERT INTO written SELECT k, s, g FROM big CROSS JOIN few",
    "read": "SELECT MAX(a.k + b.k) FROM read_csv AS a JOIN read_csv AS b ON a.k = b.k",
    "lookup": "SELECT COUNT(*) FROM (SELECT *, PROCTIME() AS p FROM big) AS a JOIN looked FOR SYSTEM_TIME AS OF a.p AS b ON a.k = b.k",
}


@udf(result_type=DataTypes.BIGINT())
def slow(value: int) -> int:
    """A user function that takes some microseconds per row."""
    return sum(value % divisor for divisor in range(1, 30))


def environment(folder: Path, rows: int, engine: str = "arrow") -> TableEnvironment:
    """Returns an environment with the tables that the plans read."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(engine).build())
    # Distinct numbers in random order: multiplier and modulus are coprime.
    keys = pa.array([number * 1_000_003 % (10**9 + 7) for number in range(rows)])
    big = {"k": keys, "s": pc.binary_join_element_wise("text", pc.cast(keys, pa.string()), " "), "g": pc.bit_wise_and(keys, 15)}
    same = {"k": [1] * 22_400, "i": list(range(22_400)), "s": [f"{i}" for i in range(22_400)]}
    lists = {"l": [list(range(2000))] * 2000}
    for name, columns in {"big": big, "same": same, "lists": lists, "few": {"n": list(range(20))}}.items():
        env.create_temporary_view(name, env.from_arrow(pa.table(columns)))
    env.create_temporary_system_function("slow", slow)
    columns = "k BIGINT, s STRING, g BIGINT"
    env.execute_sql(f"CREATE TABLE written ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder}/written', 'format' = 'csv')")
    env.execute_sql(f"CREATE TABLE read_csv ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder}/read', 'format' = 'csv')")
    with sqlite3.connect(folder / "looked.db") as file:
        file.execute("CREATE TABLE looked (k INTEGER PRIMARY KEY, s TEXT)")
        file.executemany("INSERT INTO looked VALUES (?, ?)", ((key, "found") for key in keys.to_pylist()[:100_000]))
    file.close()
    options = f"'connector' = 'sqlite', 'path' = '{folder}/looked.db', 'table-name' = 'looked'"
    env.execute_sql(f"CREATE TABLE looked (k BIGINT, s STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ({options})")
    env.execute_sql("INSERT INTO read_csv SELECT * FROM big").wait()
    return env


Mark = Callable[[], None]
"""Records the moment of a cancellation."""


def cancel_by_client(env: TableEnvironment, statement: str, seconds: float, mark: Mark) -> bool:
    """Cancels with the job client; returns whether that ended the job."""
    result = env.execute_sql(statement)
    client = result.get_job_client()
    assert client is not None

    def cancel() -> None:
        mark()
        client.cancel()

    timer = threading.Timer(seconds, cancel)
    timer.start()
    ended = _ends_early(result)
    timer.cancel()
    return ended


def cancel_by_closing(env: TableEnvironment, statement: str, seconds: float, mark: Mark) -> bool:
    """Closes the unread result. An INSERT is cancelled with its client, because its result exists only at the end."""
    result = env.execute_sql(statement)
    client = result.get_job_client()
    assert client is not None
    time.sleep(seconds)
    mark()
    if statement.startswith("INSERT"):
        client.cancel()
    else:
        result.collect().close()
    return True


def cancel_by_timeout(env: TableEnvironment, statement: str, seconds: float, mark: Mark) -> bool:
    """Sets a time limit, which begins with the job, after planning; returns whether that ended the job."""
    env.execute_sql(f"SET 'table.exec.timeout' = '{max(1, int(seconds * 1000))} ms'")
    timer = threading.Timer(seconds, mark)
    try:
        result = env.execute_sql(statement)
        timer.start()
        return _ends_early(result)
    finally:
        timer.cancel()
        env.execute_sql("RESET 'table.exec.timeout'")


def _ends_early(result: TableResult) -> bool:
    """Reads the rows; returns whether the job was cancelled before it had ended."""
    try:
        with result.collect() as rows:
            for _ in rows:
                pass
    except (JobTimeoutException, JobCancelledException):
        return True
    return False


WAYS: Sequence[Callable[[TableEnvironment, str, float, Mark], bool]] = (cancel_by_client, cancel_by_closing, cancel_by_timeout)


@dataclass(frozen=True)
class Load:
    """How to measure the load of an engine: its CPU time in seconds, what an idle engine uses in 20 ms, and its number of running tasks."""

    cpu: Callable[[], float] = time.process_time
    idle: float = 0.004
    """The loop that measures uses less."""
    tasks: Callable[[], int] = lambda: 0
    needs_start: bool = False
    """Whether the first cancellation of a plan uses more CPU time than later ones."""

    @classmethod
    def of_spark(cls) -> Load:
        """Returns the load of the running Spark and of this process. The clock of another process has a resolution of 10 ms."""
        return cls(lambda: time.process_time() + task_seconds(), 0.015, running_tasks, needs_start=True)


def busy_after(moment: float, before: float, load: Load) -> tuple[float, float]:
    """Waits until the engine is idle; returns the delay since the cancellation, and the CPU time used since then."""
    still_since = time.monotonic()
    last = load.cpu()
    while time.monotonic() - still_since < QUIET_SECONDS:
        time.sleep(0.02)
        tasks = load.tasks()
        now = load.cpu()
        if now - last > load.idle or tasks:
            still_since = time.monotonic()
        last = now
    return max(0.0, still_since - moment), last - before


def check(env: TableEnvironment, name: str, chance: random.Random, moments: int, longest: float, load: Load) -> Iterator[str]:
    """Yields the queries that were not idle in time."""
    worst, most = 0.0, 0.0
    for number in range(moments):
        marks: list[tuple[float, float]] = []
        seconds = chance.uniform(0.01, longest)
        way = WAYS[number % len(WAYS)]
        ended = way(env, PLANS[name], seconds, lambda marks=marks: marks.append((time.monotonic(), load.cpu())))
        busy, used = busy_after(*marks[0], load) if marks and ended else (0.0, 0.0)
        if load.needs_start and number == 0:
            continue
        worst, most = max(worst, busy), max(most, used)
        if busy > IDLE_SECONDS and used > IDLE_SECONDS:
            yield f"{name}: {way.__name__} after {seconds:.2f} s: busy for {busy:.2f} s, {used:.2f} s of CPU time"
    print(f"{name}: {moments} moments, idle after {worst * 1000:.0f} ms and {most * 1000:.0f} ms of CPU time at most", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--longest", type=float, default=2.5, help="seconds until the latest cancellation")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--plan", choices=sorted(PLANS), action="append")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder), options.rows, options.engine)
        load = Load.of_spark() if options.engine == "spark" else Load()
        wrong = [
            line
            for name in options.plan or PLANS
            for line in check(env, name, chance, options.moments + load.needs_start, options.longest, load)
        ]
        env.close()
    for line in wrong:
        print(line)
    print(f"{len(wrong)} cancelled queries went on")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
