"""Mirrors tables of PostgreSQL under fire: `python proofs/cdc_fuzz.py [--minutes 2] [--driver arrow|spark] [--writers 4] [--identity full|default] [--no-server-kills] [--seed N]`.

Writers change a table in transactions: insertions, updates, also of keys, deletions, rollbacks, savepoints, large values, now and then all rows, or 20,000 new ones at once. A job mirrors the
table through `postgres-cdc`, and keeps the number and the sum of its rows by group. The process of the job is killed by SIGKILL at random times, also while it copies the table, and so is the server; both
are started again. From time to time the writers pause: then the mirrored table must become equal to the table, and the groups to those of the database's own GROUP BY. At the end of each round the
job begins anew with another slot, so that snapshot and log meet again under load.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "connector-postgres-cdc" / "tests"))

from cdc_server import SETTINGS, Server

from connector_jdbc import Session
from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

PROCESSES = multiprocessing.get_context("forkserver")
"""Processes that have imported everything and have no connection."""
KEYS = 3000
COLUMNS = "id BIGINT, g INT, v BIGINT, s STRING, PRIMARY KEY (id) NOT ENFORCED"
GROUPS = "SELECT g, count(*) AS n, sum(v)::int8 AS v FROM source GROUP BY g"
START_SECONDS = {"arrow": 0.5, "spark": 20.0}
"""What a job needs before it reads."""
QUIET_SECONDS = 120.0
"""How long a job may take until it has all changes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--driver", choices=list(START_SECONDS), default="arrow")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--identity", choices=("full", "default"), default="full", help="the replica identity of the table")
    parser.add_argument("--no-server-kills", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    PROCESSES.set_forkserver_preload(["connector_postgres_cdc.reader", "connector_jdbc.writing", "table_runtime.planner.planner"])
    server = Server({**SETTINGS, "fsync": "on"})
    try:
        Fuzz(server, arguments).all()
    finally:
        server.stop()


def run_job(url: str, folder: str, number: int, driver: str) -> None:
    """Mirrors the table until the process is killed; a server that is gone for long ends it."""
    try:
        mirror(url, folder, number, driver)
    except TableError as error:
        print(f"a job ended: {error}", flush=True)


def mirror(url: str, folder: str, number: int, driver: str) -> None:
    """Runs the statements."""
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner(driver).build()
    env = TableEnvironment.create(settings)
    config = env.get_config()
    config.set("execution.checkpointing.dir", folder).set("execution.checkpointing.interval", "200 ms").set(
        "pipeline.name", f"fuzz{number}"
    )
    options = f"'slot.name' = 'fuzz{number}', 'scan.incremental.snapshot.chunk.size' = '500', 'heartbeat.interval.ms' = '1 s'"
    env.execute_sql(
        f"CREATE TABLE source ({COLUMNS}) WITH ('connector' = 'postgres-cdc', 'url' = '{url}', 'table-name' = 'source', {options})"
    )
    jdbc = f"'connector' = 'jdbc', 'url' = '{url}'"
    env.execute_sql(f"CREATE TABLE mirror ({COLUMNS}) WITH ({jdbc}, 'table-name' = 'mirror{number}')")
    env.execute_sql(
        f"CREATE TABLE totals (g INT, n BIGINT, v BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH ({jdbc}, 'table-name' = 'totals{number}')"
    )
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO mirror SELECT * FROM source")
    statements.add_insert_sql("INSERT INTO totals SELECT g, COUNT(*), SUM(v) FROM source GROUP BY g")
    statements.execute().wait()


class Writer(threading.Thread):
    """Changes the table in random transactions."""

    def __init__(self, server: Server, seed: int) -> None:
        super().__init__(daemon=True)
        self._server, self._chosen = server, random.Random(seed)
        self.runs, self._is_idle, self._ends = threading.Event(), threading.Event(), False
        self.transactions = 0

    def run(self) -> None:
        session: Session | None = None
        while not self._ends:
            if not self.runs.is_set():
                self._is_idle.set()
                self.runs.wait(0.1)
                continue
            self._is_idle.clear()
            try:
                session = session or self._server.database().open()
                self._transaction(session)
                self.transactions += 1
            except TableError:  # the server was killed, a deadlock, or a key that is there already
                if session is not None:
                    session.close()
                session = None
                time.sleep(0.05)
        if session is not None:
            session.close()

    def _transaction(self, session: Session) -> None:
        session.rows("BEGIN")
        for _ in range(self._chosen.randrange(1, 8)):
            session.rows(self._statement())
        if self._chosen.random() < 0.2:
            session.rows("SAVEPOINT a")
            session.rows(self._statement())
            session.rows(self._chosen.choice(["ROLLBACK TO a", "RELEASE a"]))
        session.rows("ROLLBACK" if self._chosen.random() < 0.15 else "COMMIT")
        time.sleep(self._chosen.uniform(0.0, 0.01))

    def _statement(self) -> str:
        key, other, size = self._chosen.randrange(KEYS), self._chosen.randrange(KEYS), self._chosen.choice((0, 5, 50, 6000))
        match self._chosen.choices(range(7), (30, 12, 20, 8, 4, 0.1, 0.1))[0]:
            case 0:
                return f"UPDATE source SET v = v + 1, g = g % 7 + 1 WHERE id = {key}"
            case 1:
                return f"DELETE FROM source WHERE id = {key}"
            case 2:
                return f"INSERT INTO source VALUES ({key}, {key % 5}, 1, repeat('ü', {size})) ON CONFLICT (id) DO UPDATE SET v = source.v + 100"
            case 3:
                return f"UPDATE source SET id = {other} WHERE id = {key} AND NOT EXISTS (SELECT FROM source WHERE id = {other})"
            case 4:
                return f"UPDATE source SET s = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, {size // 30 + 1}) AS i) WHERE id = {key}"
            case 5:
                return f"INSERT INTO source SELECT i, i % 5, i, 'many' FROM generate_series({KEYS}, {KEYS + 20_000}) AS i ON CONFLICT (id) DO NOTHING"
            case _:
                return f"DELETE FROM source WHERE id >= {KEYS}"

    def pause(self) -> None:
        """Waits for the end of the transaction."""
        self.runs.clear()
        self._is_idle.wait()

    def end(self) -> None:
        """Ends the thread."""
        self._ends = True
        self.join()


class Fuzz:
    """One run of the proof."""

    def __init__(self, server: Server, arguments: argparse.Namespace) -> None:
        self._server, self._driver = server, arguments.driver
        self._end = time.monotonic() + 60 * arguments.minutes
        self._chosen = random.Random(arguments.seed)
        self._kills_server = not arguments.no_server_kills
        self._writers = [Writer(server, self._chosen.randrange(10**6)) for _ in range(arguments.writers)]
        self._folder = tempfile.mkdtemp(prefix="cdc-fuzz")
        self._process: BaseProcess | None = None
        self._number = self._kills = self._server_kills = self._checks = 0
        # Large values that do not change are in the log only with the identity FULL.
        storage = "FULL" if arguments.identity == "full" else "DEFAULT"
        server.run(
            "CREATE TABLE source (id int8 PRIMARY KEY, g int4, v int8, s text)",
            f"ALTER TABLE source REPLICA IDENTITY {storage}",
            *(["ALTER TABLE source ALTER COLUMN s SET STORAGE MAIN"] if storage == "DEFAULT" else []),
            f"INSERT INTO source SELECT i, i % 5, i, 'first' FROM generate_series(1, {KEYS}) AS i",
        )

    def all(self) -> None:
        """Runs rounds until the time is over."""
        for writer in self._writers:
            writer.start()
        while True:
            self._round()
            if time.monotonic() > self._end:
                break
        for writer in self._writers:
            writer.end()
        transactions = sum(writer.transactions for writer in self._writers)
        print(
            f"{self._number} starts, {transactions} transactions, {self._kills} kills of the job, {self._server_kills} of the server: "
            f"the mirrored table and its groups were equal at {self._checks} quiet points",
            flush=True,
        )

    def _round(self) -> None:
        """Starts a job with a slot of its own under load, kills it and the server, and compares at quiet points."""
        self._number += 1
        self._server.run(
            f"CREATE TABLE mirror{self._number} (id int8 PRIMARY KEY, g int4, v int8, s text)",
            f"CREATE TABLE totals{self._number} (g int4 PRIMARY KEY, n int8, v int8)",
        )
        for _ in range(2):
            for writer in self._writers:
                writer.runs.set()
            for _ in range(self._chosen.randrange(1, 4)):
                self._start()
                time.sleep(START_SECONDS[self._driver] + self._chosen.uniform(0.0, 2.0))
                if self._kills_server and self._chosen.random() < 0.3:
                    self._server.kill()
                    self._server_kills += 1
                    time.sleep(self._chosen.uniform(0.0, 1.0))
                    self._server.start()
                    time.sleep(0.5)
                if self._chosen.random() < 0.8:
                    self._kill()
            for writer in self._writers:
                writer.pause()
            self._compare()
            if time.monotonic() > self._end:
                break
        self._kill()
        self._server.run(f"SELECT pg_drop_replication_slot('fuzz{self._number}')::text", f"DROP PUBLICATION fuzz{self._number}")
        self._server.run(f"DROP TABLE mirror{self._number}, totals{self._number}")

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        arguments = (self._server.url, self._folder, self._number, self._driver)
        self._process = PROCESSES.Process(target=run_job, args=arguments, daemon=False)
        self._process.start()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.is_alive():
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            self._kills += 1
        process.join()

    def _compare(self) -> None:
        """Waits until the mirrored table and the groups are equal to those of the source."""
        mirror, totals = f"mirror{self._number}", f"totals{self._number}"
        queries = {
            "rows that the mirror lacks": f"SELECT id, g, v, length(s) FROM (TABLE source EXCEPT TABLE {mirror}) AS x",
            "rows that only the mirror has": f"SELECT id, g, v, length(s) FROM (TABLE {mirror} EXCEPT TABLE source) AS x",
            "groups that are lacking": f"{GROUPS} EXCEPT TABLE {totals}",
            "groups that are wrong": f"TABLE {totals} EXCEPT ({GROUPS})",
        }
        end = time.monotonic() + QUIET_SECONDS
        while True:
            self._start()
            found = {name: rows for name, query in queries.items() if (rows := self._server.run(query))}
            if not found:
                self._checks += 1
                return
            assert time.monotonic() < end, {name: (len(rows), rows[:5]) for name, rows in found.items()}
            time.sleep(0.1)


if __name__ == "__main__":
    main()
