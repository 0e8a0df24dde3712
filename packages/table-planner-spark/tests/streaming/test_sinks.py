"""Sinks of streaming jobs: the tasks write them, the client commits."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from connector_sqlite.sink import SqliteSinkProvider
from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, TableRuntimeException
from table_planner_spark.streaming import epochs
from table_runtime.streaming import Cell, Kind

SIZES = "(SELECT n, COUNT(*) AS c FROM w GROUP BY n)"
"""How many keys have a number of rows: groups that become empty go."""


def database(watched: Any, name: str, columns: str) -> None:
    """Creates a table of SQLite, in the environment and in ``reader``, which reads it by the connector: a second library of SQLite in one process breaks the locks of the first."""
    with closing(sqlite3.connect(watched.folder / "rows.db")) as connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
    declared = columns.replace("PRIMARY KEY", "").replace("INTEGER", "BIGINT")
    options = f"'connector' = 'sqlite', 'path' = '{watched.folder / 'rows.db'}', 'table-name' = '{name}'"
    if not hasattr(watched, "reader"):
        watched.reader = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    for env in (watched.env, watched.reader):
        env.execute_sql(f"CREATE TABLE {name} ({declared}, PRIMARY KEY ({columns.split()[0]}) NOT ENFORCED) WITH ({options})")


def stored(watched: Any, name: str) -> list[tuple[Any, ...]]:
    table = watched.reader.execute_sql(f"SELECT * FROM {name}").to_arrow()
    return sorted(tuple(row.values()) for row in table.to_pylist())


def await_stored(watched: Any, client: Any, name: str, rows: list[tuple[Any, ...]]) -> None:
    while stored(watched, name) != rows:
        assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()


def files(watched: Any, name: str) -> list[Path]:
    found = (watched.folder / name).rglob("*")
    return sorted(
        path for path in found if path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(watched.folder).parts)
    )


def test_several_sinks_of_one_statement_set_get_the_rows_of_each_epoch(
    watched: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: list[Cell] = []
    run_levels = epochs.run_levels

    def noted(*arguments: Any) -> list[Cell]:
        cells.extend(found := run_levels(*arguments))
        return found

    monkeypatch.setattr(epochs, "run_levels", noted)
    database(watched, "counts", "k INTEGER PRIMARY KEY, n INTEGER")
    for name, columns, options in (
        ("parts", "v INT, k INT", "'format' = 'parquet'"),
        ("changed", "k INT, n BIGINT", "'format' = 'debezium-json'"),
    ):
        where = f"'connector' = 'filesystem', 'path' = '{watched.folder / name}', {options}"
        watched.env.execute_sql(f"CREATE TABLE {name} ({columns}) {'PARTITIONED BY (k)' if name == 'parts' else ''} WITH ({where})")
    watched.env.execute_sql("CREATE TABLE printed (k INT, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'row')")
    watched.env.execute_sql("CREATE TABLE nothing (k INT, n BIGINT) WITH ('connector' = 'blackhole')")
    statements = watched.env.create_statement_set()
    statements.add_insert_sql("INSERT INTO parts SELECT v, k FROM t")
    for sink in ("counts", "changed", "printed", "nothing"):
        statements.add_insert_sql(f"INSERT INTO {sink} SELECT * FROM w")
    watched.add((1, 1), (2, 1), (3, 7))
    client = statements.execute().get_job_client()
    await_stored(watched, client, "counts", [(1, 1), (2, 1), (3, 1)])
    watched.add((1, 2), (2, 2))
    await_stored(watched, client, "counts", [(1, 2), (2, 2), (3, 1)])
    client.end()
    client.get_job_execution_result().result()
    parts = Counter((path.parent.name, row["v"]) for path in files(watched, "parts") for row in pq.ParquetFile(path).read().to_pylist())
    assert parts == Counter([("k=1", 1), ("k=2", 1), ("k=3", 7), ("k=1", 2), ("k=2", 2)])
    table = Counter[tuple[int, int]]()
    for path in files(watched, "changed"):
        for change in map(json.loads, path.read_text().splitlines()):
            for side, sign in (("before", -1), ("after", 1)):
                if change[side] is not None:
                    table[change[side]["k"], change[side]["n"]] += sign
    assert +table == Counter([(1, 2), (2, 2), (3, 1)])
    assert min(table.values()) == 0
    printed = Counter(line for line in capsys.readouterr().out.splitlines() if line.startswith("row>"))
    wanted = ["+I[1, 1]", "+I[2, 1]", "+I[3, 1]", "-U[1, 1]", "-U[2, 1]", "+U[1, 2]", "+U[2, 2]"]
    assert printed == Counter(f"row> {row}" for row in wanted)
    results = {cell.input_index for cell in cells if cell.kind == Kind.RESULT}
    assert results == {3}, "only the rows that are printed come to the client"


def test_rows_of_a_key_that_move_between_shares_replace_each_other(watched: Any) -> None:
    watched.env.get_config().set("table.exec.sink.upsert-materialize", "NONE").set("table.exec.spark.state-shares", "3")
    database(watched, "ranked", "k INTEGER PRIMARY KEY, n INTEGER")
    database(watched, "sizes", "n INTEGER PRIMARY KEY, c INTEGER")
    database(watched, "pairs", "n INTEGER PRIMARY KEY, c INTEGER, d INTEGER")
    statements = watched.env.create_statement_set()
    ranks = "SELECT k, n, ROW_NUMBER() OVER (PARTITION BY n ORDER BY k) AS r FROM w"
    statements.add_insert_sql(f"INSERT INTO ranked SELECT k, n FROM ({ranks}) WHERE r <= 100")
    statements.add_insert_sql(f"INSERT INTO sizes SELECT n + 0, c FROM {SIZES}")
    statements.add_insert_sql(f"INSERT INTO pairs SELECT a.n, a.c, b.c FROM {SIZES} a JOIN {SIZES} b ON a.n = b.n")
    watched.add(*((k, 0) for k in range(12)))
    client = statements.execute().get_job_client()
    for n in (1, 2, 3):
        await_stored(watched, client, "pairs", [(n, 12, 12)])
        assert stored(watched, "sizes") == [(n, 12)]
        assert stored(watched, "ranked") == [(k, n) for k in range(12)]
        if n < 3:
            watched.add(*((k, 0) for k in range(12)))
    client.end()
    client.get_job_execution_result().result()


def test_what_a_process_that_died_has_staged_is_gone_behind_the_next_start(watched: Any) -> None:
    database(watched, "counts", "k INTEGER PRIMARY KEY, n INTEGER")

    def run() -> None:
        statements = watched.env.create_statement_set()
        statements.add_insert_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)")
        statements.add_insert_sql("INSERT INTO counts SELECT * FROM w")
        client = statements.execute().get_job_client()
        watched.await_written(client, ["INSERT,1,1"])
        client.end()
        client.get_job_execution_result().result()

    watched.add((1, 1))
    run()
    (job,) = (watched.folder / "out" / ".table-epochs").iterdir()
    assert [path.name for path in job.iterdir()] == ["committed.json"]
    (number,) = {path.name.split(".")[0] for path in (watched.folder / "checkpoints" / "job" / "epochs").glob("*.json")} or {"0"}
    (job / f"{int(number) + 1}-0-7-dead").mkdir()
    (job / f"{int(number) + 1}-0-7-dead" / "part").touch()
    (watched.folder / f"rows.db.{job.name.removesuffix('o-0')}counts-0-{int(number) + 1}-0-7-dead.arrow").touch()
    run()
    assert [path.name for path in job.iterdir()] == ["committed.json"]
    assert sorted(path.name for path in watched.folder.glob("rows.db*")) == ["rows.db"]


def test_an_error_of_a_sink_names_the_table_and_the_row(watched: Any) -> None:
    database(watched, "counts", "k INTEGER PRIMARY KEY, n INTEGER NOT NULL")
    watched.add((1, 1))
    job = watched.env.execute_sql("INSERT INTO counts SELECT k, NULLIF(v, 1) FROM t")
    with pytest.raises(TableRuntimeException) as caught:
        job.wait()
    assert str(caught.value).startswith(
        "Column 'n' of table default_catalog.default_database.counts is declared NOT NULL, but a row has NULL there."
    )
    assert "org.apache" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_a_connector_that_cannot_be_pickled_is_named(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise TypeError("cannot pickle 'sqlite3.Connection' object")

    database(watched, "counts", "k INTEGER PRIMARY KEY, n INTEGER")
    monkeypatch.setattr(SqliteSinkProvider, "__reduce_ex__", fail)
    with pytest.raises(
        TableException,
        match=r"sink of default_catalog\.default_database\.counts cannot be sent .*SqliteSinkProvider cannot be pickled \(TypeError",
    ):
        watched.env.execute_sql("INSERT INTO counts SELECT * FROM w")
