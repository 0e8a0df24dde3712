"""The scheduler of materialized tables as processes: one owner, kills, and the end by a signal."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

CATALOG = "CREATE CATALOG mt WITH ('type' = 'sqlite', 'path' = '{folder}/c.db', 'warehouse' = '{folder}/w');\nUSE CATALOG mt;\n"


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    script = CATALOG.format(folder=tmp_path)
    (tmp_path / "init.sql").write_text(script)
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as made:
        for statement in script.split(";")[:2]:
            made.execute_sql(statement)
        made.execute_sql("SET 'workflow-scheduler.type' = 'embedded'")
        made.execute_sql("CREATE TABLE s (a INT, k STRING) WITH ('format' = 'json')")
        made.execute_sql("INSERT INTO s VALUES (1, 'x'), (2, 'x'), (3, 'y')").wait()
        made.execute_sql(
            "CREATE MATERIALIZED TABLE m PARTITIONED BY (k) FRESHNESS = INTERVAL '1' SECOND REFRESH_MODE = FULL"
            " AS SELECT COUNT(*) AS n, k FROM s GROUP BY k"
        )
        yield made


@contextmanager
def scheduler(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "sql_client", "--scheduler", "-i", str(folder / "init.sql")]
    environment = {**os.environ, "XDG_CONFIG_HOME": "/nowhere"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def line_with(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    assert process.stderr is not None
    raise AssertionError(process.stderr.read())


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return sorted(tuple(row) for row in found)


def test_one_process_owns_a_catalog_and_the_next_goes_on(env: TableEnvironment, tmp_path: Path) -> None:
    with scheduler(tmp_path) as first:
        line_with(first, "Refreshed `mt`.`default`.`m`")
        assert rows(env, "SELECT * FROM m") == [(1, "y"), (2, "x")]
        with scheduler(tmp_path) as second:
            _, err = second.communicate(timeout=60)
        assert second.returncode == 2
        assert f"The materialized tables of catalog 'mt' have a scheduler already: process {first.pid} on " in err
        first.kill()
    env.execute_sql("INSERT INTO s VALUES (4, 'z')").wait()
    with scheduler(tmp_path) as third:
        line_with(third, "Refreshed `mt`.`default`.`m`")
        assert rows(env, "SELECT * FROM m") == [(1, "y"), (1, "z"), (2, "x")]
        third.send_signal(signal.SIGTERM)
        _, err = third.communicate(timeout=60)
    assert third.returncode == 143
    assert "The scheduler has ended." in err


def test_kills_at_any_time_leave_all_rows_once(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    expected = rows(env, "SELECT * FROM m")
    for _ in range(4):
        with scheduler(tmp_path) as process:
            line_with(process, "The scheduler refreshes")
            time.sleep(random.uniform(0.0, 2.0))
            process.kill()
        assert rows(env, "SELECT * FROM m") == expected
    env.execute_sql("INSERT INTO s VALUES (4, 'y')").wait()
    with scheduler(tmp_path) as process:
        line_with(process, "Refreshed `mt`.`default`.`m`")
        assert rows(env, "SELECT * FROM m") == [(2, "x"), (2, "y")]
