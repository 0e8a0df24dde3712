"""Statements whose operators exceed their share of the memory: the same rows, and nothing left on the disk."""

from __future__ import annotations

import errno
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_runtime.run.memory import account

ROWS = 3000
SHARE = 4_000
STATEMENTS = [
    "SELECT a.i, b.s FROM t a JOIN t b ON a.k = b.i AND a.d < b.d",
    "SELECT a.i, b.s FROM t a LEFT JOIN t b ON a.s = b.s AND b.k < 300",
    "SELECT a.i, b.s FROM t a RIGHT JOIN t b ON a.k = b.i AND a.s = b.s",
    "SELECT a.i, b.i FROM t a FULL JOIN t b ON a.l = b.l AND a.i + 1000 = b.i",
    "SELECT i FROM t WHERE k IN (SELECT i FROM t WHERE d > 0.5)",
    "SELECT i FROM t WHERE k NOT IN (SELECT i FROM t WHERE d > 0.5 AND i IS NOT NULL)",
    "SELECT i FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE a.k = b.i AND a.s <> b.s)",
    "SELECT a.i, b.i FROM t a JOIN t b ON a.i < b.i - 2990",
    "SELECT s, k, COUNT(*), SUM(m), AVG(d), MAX(s) FROM t GROUP BY s, k",
    "SELECT l, k, MIN(i), COUNT(d) FILTER (WHERE k > 5) FROM t GROUP BY l, k",
    "SELECT k, COUNT(DISTINCT i), SUM(DISTINCT i), COUNT(*) FROM t GROUP BY k",
    "SELECT COUNT(DISTINCT s), COUNT(DISTINCT i), SUM(i) FROM t",
    "SELECT g, k, GROUPING_ID(g, k), COUNT(*), COUNT(DISTINCT i), SUM(m) FROM t GROUP BY CUBE (g, k)",
    "SELECT k, MIN(c), MAX(c) FROM (SELECT k, LISTAGG(s) WITHIN GROUP (ORDER BY i) AS c FROM t GROUP BY k) GROUP BY k",
    "SELECT DISTINCT s, k, d FROM t",
    "SELECT s, k FROM t UNION SELECT s, i FROM t",
    "SELECT k FROM t INTERSECT ALL SELECT i FROM t",
    "SELECT i, s FROM t EXCEPT SELECT k, s FROM t",
    "SELECT i, ROW_NUMBER() OVER (PARTITION BY k ORDER BY i), SUM(m) OVER (PARTITION BY k ORDER BY i) FROM t",
    "SELECT i, RANK() OVER (PARTITION BY k ORDER BY s), LAG(i) OVER (PARTITION BY l ORDER BY i), MAX(d) OVER (PARTITION BY l, g) FROM t",
]


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    environment.get_config().set("table.exec.spill.dir", str(tmp_path / "spill"))
    rng = random.Random(5)
    texts = [None, *(f"text {i}" for i in range(400))]
    table = pa.table(
        {
            "i": pa.array(rng.sample(range(ROWS), ROWS), pa.int64()),
            "k": pa.array([None if i % 17 == 0 else rng.randrange(700) for i in range(ROWS)], pa.int64()),
            "g": pa.array([rng.randrange(3) for _ in range(ROWS)], pa.int64()),
            "d": pa.array([rng.choice([None, 0.25, 0.5, 1.5, float(i)]) for i in range(ROWS)]),
            "m": pa.array(range(ROWS)).cast(pa.decimal128(20, 0)),
            "s": pa.array([rng.choice(texts) for _ in range(ROWS)]),
            "l": pa.array([[rng.randrange(60), None] for _ in range(ROWS)], pa.list_(pa.int32())),
        }
    )
    batches = table.to_batches(max_chunksize=100)
    environment.create_temporary_view("t", environment.from_arrow(pa.Table.from_batches(batches)))
    yield environment
    environment.close()


def rows_of(env: TableEnvironment, statement: str) -> tuple[list[str], dict[str, Any]]:
    result = env.execute_sql(statement)
    rows = [repr(tuple(row)) for row in result.collect()]
    client = result.get_job_client()
    assert client is not None
    return rows, {name: value for name, value in client.get_metrics().items() if name.endswith("spilledBytes")}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_spills_gives_the_same_rows(env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    expected, spilled = rows_of(env, statement)
    assert spilled == {}
    monkeypatch.setattr(account, "FIXED", SHARE)
    found, spilled = rows_of(env, statement)
    assert Counter(found) == Counter(expected)
    assert min(spilled.values()) > 0
    assert list((tmp_path / "spill").iterdir()) == []


def test_sorted_runs_are_merged_in_order(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = "SELECT d, s, i FROM t ORDER BY d DESC NULLS LAST, s, i DESC"
    expected, _ = rows_of(env, statement)
    monkeypatch.setattr(account, "FIXED", SHARE)
    found, spilled = rows_of(env, statement)
    assert found == expected
    assert list(spilled) == ["Sort[1].spilledBytes"]


@pytest.mark.parametrize(
    "statement", ["SELECT DISTINCT s, i FROM t", "SELECT i FROM t ORDER BY i", "SELECT COUNT(*) FROM t a JOIN t b ON a.i = b.i"]
)
def test_a_full_disk_is_our_error_and_nothing_is_left(
    env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    written = [0]
    write = os.pwrite

    def fill(descriptor: int, data: Any, offset: int) -> int:
        written[0] += len(data)
        if written[0] > 20_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data, offset)

    monkeypatch.setattr(account, "FIXED", SHARE)
    monkeypatch.setattr(os, "pwrite", fill)
    open_files = len(os.listdir("/proc/self/fd"))
    with pytest.raises(TableRuntimeException, match=r"No space left on device; it has spilled(.|\n)*table\.exec\.spill\.dir"):
        list(env.execute_sql(statement).collect())
    monkeypatch.undo()
    assert list((tmp_path / "spill").iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= open_files


def test_a_cancelled_job_stops_while_it_spills(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    began = threading.Event()
    write = os.pwrite

    def slow(descriptor: int, data: Any, offset: int) -> int:
        began.set()
        return write(descriptor, data, offset)

    monkeypatch.setattr(account, "FIXED", 64)
    monkeypatch.setattr(os, "pwrite", slow)
    result = env.execute_sql("SELECT COUNT(*) FROM t a JOIN t b ON a.s < b.s JOIN t c ON a.k = c.k")
    client = result.get_job_client()
    assert client is not None
    assert began.wait(20)
    cpu = time.process_time()
    client.cancel()
    with pytest.raises(JobCancelledException):
        list(result.collect())
    assert time.process_time() - cpu < 2
    assert client.get_job_status().name != "RUNNING"
