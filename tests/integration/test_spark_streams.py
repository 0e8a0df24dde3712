"""Streaming jobs on Spark: one Spark job per epoch, with the operators of the embedded engine, and the same final tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException

ROWS = [{"k": n % 3, "v": n, "ts": f"2024-01-01 00:00:{n * 7 % 60:02}"} for n in range(12)]
LAST = [{"k": 9, "v": 0, "ts": "2024-01-01 01:00:00"}]
"""Its watermark ends all windows before."""
QUERIES = {
    "projection": "SELECT k, v * 2 AS w FROM t WHERE v > 3",
    "aggregate": "SELECT k, COUNT(*) AS n, SUM(v) AS s, COUNT(DISTINCT v % 2) AS d FROM t GROUP BY k",
    "aggregate of an aggregate": "SELECT n, COUNT(*) AS c FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) GROUP BY n",
    "total": "SELECT COUNT(*) AS n, MAX(v) AS m FROM t",
    "join": "SELECT a.k, a.v, b.n FROM t AS a LEFT JOIN (SELECT k, COUNT(*) AS n FROM t WHERE v > 4 GROUP BY k) AS b ON a.k = b.k",
    "bounded side": "SELECT t.k, name FROM t JOIN (VALUES (0, 'zero'), (1, 'one')) AS names (k, name) ON t.k = names.k",
    "top-n": "SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t) WHERE r <= 2",
    "union": "SELECT k FROM t UNION SELECT v FROM t",
    "window": "SELECT window_start, k, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
    "WHERE k < 9 GROUP BY window_start, window_end, k",
}


class Folder:
    """A watched folder with files of rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self._files = 0

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        hidden = self.path / f".{self._files}"
        hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
        hidden.rename(self.path / f"{self._files}.json")
        self._files += 1

    def declare(self, env: TableEnvironment, *, watched: bool) -> None:
        options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{self.path}'"
        monitor = ", 'source.monitor-interval' = '50 ms'" if watched else ""
        columns = "k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"
        env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({options}{monitor})")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "in")


@pytest.fixture
def streaming(spark: Any, tmp_path: Path) -> Callable[[], TableEnvironment]:
    def make() -> TableEnvironment:
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
        env = TableEnvironment.create(settings, external={"spark": spark})
        config = env.get_config()
        config.set("table.local-time-zone", "UTC").set("table.exec.sink.commit-interval", "10 ms").set("table.exec.spark.state-shares", "3")
        config.set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "job")
        return env

    return make


def expected(folder: Folder, query: str) -> Counter[tuple[Any, ...]]:
    """Returns the rows of batch mode on the embedded engine."""
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as env:
        env.get_config().set("table.local-time-zone", "UTC")
        folder.declare(env, watched=False)
        return Counter(tuple(row) for row in env.execute_sql(query).collect())


@pytest.mark.parametrize("name", QUERIES)
def test_the_changes_of_a_query_lead_to_the_rows_of_batch_mode(
    name: str, folder: Folder, streaming: Callable[[], TableEnvironment]
) -> None:
    query = QUERIES[name]
    folder.add(ROWS[:6])
    with streaming() as env:
        folder.declare(env, watched=True)
        wanted: Counter[tuple[Any, ...]] | None = None
        found = Counter[tuple[Any, ...]]()
        with env.execute_sql(query).collect() as rows:
            folder.add(ROWS[6:] + LAST)
            wanted = expected(folder, query)
            for row in rows:
                found[tuple(row)] += 1 if str(row.get_row_kind()) in ("+I", "+U") else -1
                assert min(found.values()) >= 0, "no row is retracted that is not there"
                if +found == wanted:
                    break
    assert +found == wanted


def written(folder: Path) -> Counter[str]:
    """Returns the table that the written changes make."""
    found = Counter[str]()
    for file in folder.glob("*"):
        if file.is_file() and not file.name.startswith((".", "_")):
            for line in file.read_text().splitlines():
                kind, _, row = line.partition(",")
                found[row] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
    assert set(found.values()) <= {0, 1}
    return +found


def test_a_job_goes_on_behind_its_last_epoch(folder: Folder, streaming: Callable[[], TableEnvironment], tmp_path: Path) -> None:
    for part in (ROWS[:4], ROWS[4:8], ROWS[8:]):
        folder.add(part)
        with streaming() as env:
            folder.declare(env, watched=True)
            env.execute_sql(
                f"CREATE TABLE o (op STRING, k INT, n BIGINT, s BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'out'}')"
            )
            env.execute_sql("CREATE VIEW w AS SELECT k, COUNT(*) AS n, CAST(SUM(v) AS BIGINT) AS s FROM t GROUP BY k")
            client = env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)").get_job_client()
            assert client is not None
            wanted = {
                ",".join(map(str, row)): 1 for row in expected(folder, "SELECT k, COUNT(*), CAST(SUM(v) AS BIGINT) FROM t GROUP BY k")
            }
            while written(tmp_path / "out") != wanted:
                assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            savepoint = client.stop_with_savepoint(False, str(tmp_path / "savepoints"))
            assert Path(savepoint).is_dir()


VIEWS = {
    "counts": "SELECT k, COUNT(*) AS n, CAST(SUM(v) AS BIGINT) AS s FROM t GROUP BY k",
    "of_counts": "SELECT CAST(n AS INT) AS n, COUNT(*) AS c, CAST(0 AS BIGINT) AS z FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) GROUP BY n",
    "joined": "SELECT a.k, CAST(a.v AS BIGINT) AS v, b.n FROM t AS a LEFT JOIN (SELECT k, COUNT(*) AS n FROM t WHERE v > 4 GROUP BY k) AS b ON a.k = b.k",
    "best": "SELECT k, CAST(v AS BIGINT) AS v, CAST(0 AS BIGINT) AS z FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t) WHERE r <= 2",
    "windows": "SELECT k, COUNT(*) AS n, CAST(SUM(v) AS BIGINT) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
    "WHERE k < 9 GROUP BY window_start, window_end, k",
}
"""Queries with three columns, of which the last two are BIGINT."""
PLACES = (("arrow", "1"), ("spark", "8"), ("spark", "3"), ("arrow", "1"))


def test_a_job_moves_to_spark_and_back_by_savepoints(folder: Folder, streaming: Callable[[], TableEnvironment], tmp_path: Path) -> None:
    savepoint = None
    parts = (ROWS[:3], ROWS[3:6], ROWS[6:9], ROWS[9:] + LAST)
    for number, ((planner, shares), part) in enumerate(zip(PLACES, parts, strict=True)):
        folder.add(part)
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
        with TableEnvironment.create(settings) if planner == "arrow" else streaming() as env:
            config = env.get_config().set("table.local-time-zone", "UTC").set("table.exec.sink.commit-interval", "10 ms")
            config.set("execution.checkpointing.dir", str(tmp_path / f"checkpoints{number}")).set("pipeline.name", "job")
            if planner == "spark":
                config.set("table.exec.spark.state-shares", shares)
            if savepoint is not None:
                config.set("execution.state-recovery.path", savepoint)
            folder.declare(env, watched=True)
            statements = env.create_statement_set()
            for name, query in VIEWS.items():
                env.execute_sql(f"CREATE VIEW {name} AS {query}")
                sink = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'out' / name}'"
                env.execute_sql(f"CREATE TABLE to_{name} (op STRING, a INT, b BIGINT, c BIGINT) WITH ({sink})")
                statements.add_insert_sql(f"INSERT INTO to_{name} SELECT * FROM TO_CHANGELOG(TABLE {name})")
            client = statements.execute().get_job_client()
            assert client is not None
            for name, query in VIEWS.items():
                if name != "windows" or number == 3:
                    wanted = lines_of(expected(folder, query))
                    while table_of(tmp_path / "out" / name) != wanted:
                        assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            savepoint = client.stop_with_savepoint(False, str(tmp_path / "savepoints"))


def table_of(folder: Path) -> Counter[str]:
    """Returns the rows that the written changes make, in which a row may be several times."""
    found = Counter[str]()
    for file in folder.glob("*"):
        if file.is_file() and not file.name.startswith((".", "_")):
            for line in file.read_text().splitlines():
                kind, _, row = line.partition(",")
                found[row] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
    assert min(found.values(), default=0) >= 0
    return +found


def lines_of(rows: Counter[tuple[Any, ...]]) -> Counter[str]:
    """Returns rows as the sinks write them."""
    return Counter(",".join("" if value is None else str(value) for value in row) for row in rows.elements())


def test_an_insert_without_a_folder_for_checkpoints_is_refused(folder: Folder, streaming: Callable[[], TableEnvironment]) -> None:
    with streaming() as env:
        env.get_config().set("execution.checkpointing.dir", "")
        folder.declare(env, watched=True)
        env.execute_sql("CREATE TABLE o (k INT) WITH ('connector' = 'blackhole')")
        with pytest.raises(ValidationException, match="no folder for them") as caught:
            env.execute_sql("INSERT INTO o SELECT k FROM t")
        assert "execution.checkpointing.dir" in (caught.value.hint or "")


def test_a_wrong_number_of_shares_is_refused(folder: Folder, streaming: Callable[[], TableEnvironment]) -> None:
    with streaming() as env:
        env.get_config().set("table.exec.spark.state-shares", "65")
        folder.declare(env, watched=True)
        with pytest.raises(ValidationException, match="between 1 and 64"):
            env.execute_sql("SELECT k, COUNT(*) FROM t GROUP BY k").collect()


def test_changes_that_lack_columns_are_completed_by_the_primary_key_if_asked(
    folder: Folder, streaming: Callable[[], TableEnvironment]
) -> None:
    image = {"id": 1, "v": 5}
    folder.add([{"op": "c", "before": None, "after": image}, {"op": "c", "before": None, "after": {"id": 2, "v": 5}}])
    folder.add([{"op": "d", "before": {"id": 1, "v": None}, "after": None}])
    with streaming() as env:
        options = f"'connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{folder.path}', 'source.monitor-interval' = '50 ms'"
        env.execute_sql(f"CREATE TABLE c (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ({options})")
        env.get_config().set("table.exec.source.cdc-events-duplicate", "true")
        query = "SELECT v, COUNT(*) AS n FROM c GROUP BY v"
        found = Counter[tuple[Any, ...]]()
        with env.execute_sql(query).collect() as rows:
            for row in rows:
                found[tuple(row)] += 1 if str(row.get_row_kind()) in ("+I", "+U") else -1
                if +found == {(5, 1): 1}:
                    break


def test_the_error_of_a_row_names_what_failed(folder: Folder, streaming: Callable[[], TableEnvironment]) -> None:
    folder.add([{"k": 0, "v": 1, "ts": "2024-01-01 00:00:00"}])
    with streaming() as env:
        env.get_config().set("restart-strategy.type", "none")
        folder.declare(env, watched=True)
        with pytest.raises(TableError, match="zero"), env.execute_sql("SELECT v / k AS q FROM t").collect() as rows:
            list(rows)
