"""State as a table: keys and values of checkpoints and savepoints, and what there is to read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]


@pytest.fixture
def folder(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> Path:
    """The folder of a job whose state is in several files, with a key that was deleted."""
    env = new_env()
    log_table(env, "t", "k INT, name STRING, v BIGINT", "changes:")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "sums")
    env.execute_sql("CREATE TABLE o (k INT, name STRING, n BIGINT, s BIGINT) WITH ('connector' = 'blackhole')")
    for number, rows in enumerate(([["+I", 1, "a", 10], ["+I", 2, "b", 20], ["+I", 3, None, 7]], [["+I", 1, "a", 5], ["-D", 2, "b", 20]])):
        append_lines(tmp_path / "t", "0", rows)
        client = env.execute_sql("INSERT INTO o SELECT k, name, COUNT(*), SUM(v) FROM t GROUP BY k, name").get_job_client()
        assert client is not None
        eventually(lambda: [each["epoch"] for each in client.checkpoints()] == list(range(number + 1)))  # noqa: B023
        env.execute_sql("STOP JOB 'sums'")
    return tmp_path / "checkpoints" / "sums"


def rows_of(env: TableEnvironment, path: Path, columns: str, **options: str) -> list[tuple[Any, ...]]:
    given = "".join(f", '{name}' = '{value}'" for name, value in options.items())
    env.execute_sql(f"CREATE TEMPORARY TABLE s ({columns}) WITH ('connector' = 'job-state', 'path' = '{path}'{given})")
    try:
        return sorted((tuple(row) for row in env.execute_sql("SELECT * FROM s").collect()), key=repr)
    finally:
        env.execute_sql("DROP TEMPORARY TABLE s")


def refused(env: TableEnvironment, path: Path, columns: str, **options: str) -> str:
    with pytest.raises(TableError) as raised:
        rows_of(env, path, columns, **options)
    return str(raised.value)


def test_keys_and_values_of_the_newest_files(folder: Path, env: TableEnvironment) -> None:
    operator = "GroupAggregate#0"
    assert rows_of(env, folder, "k INT, name STRING", operator=operator) == [(1, "a"), (3, None)]
    assert rows_of(env, folder, "k INT, name STRING, n BIGINT", operator=operator, state="counts") == [(1, "a", 2), (3, None, 1)]


def test_queries_join_and_project_state(folder: Path, env: TableEnvironment) -> None:
    options = f"'connector' = 'job-state', 'path' = '{folder}', 'operator' = 'GroupAggregate#0', 'state' = 'counts'"
    env.execute_sql(f"CREATE TABLE c (k INT, name STRING, n BIGINT) WITH ({options})")
    assert [tuple(row) for row in env.execute_sql("SELECT n FROM c WHERE name = 'a'").collect()] == [(2,)]


def test_without_operator_all_are_listed(folder: Path, env: TableEnvironment) -> None:
    listed = rows_of(env, folder, "operator STRING, state STRING, columns STRING")
    assert ("GroupAggregate#0", "counts", "`k` INT, `name` STRING, `v0` BIGINT") in listed
    (description,) = {row[0] for row in rows_of(env, folder, "description STRING")}
    assert description.startswith("GroupAggregate(groupBy=[k, name]")


def test_a_savepoint_that_was_moved(folder: Path, new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    env = new_env()
    log_table(env, "u", "k INT")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "other")).set("pipeline.name", "counts")
    env.execute_sql("CREATE TABLE o (n BIGINT) WITH ('connector' = 'blackhole')")
    append_lines(tmp_path / "u", "0", [[1], [2]])
    client = env.execute_sql("INSERT INTO o SELECT COUNT(*) FROM u").get_job_client()
    assert client is not None
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut", 0) > 0)
    saved = Path(client.stop_with_savepoint(savepoint_directory=str(tmp_path / "saved")))
    moved = saved.rename(tmp_path / "moved")
    assert rows_of(env, moved, "n BIGINT", operator="GroupAggregate#0", state="counts") == [(2,)]


def test_errors_say_what_there_is(folder: Path, env: TableEnvironment, tmp_path: Path) -> None:
    operator = "GroupAggregate#0"
    assert "There is no savepoint and no checkpoint at" in refused(env, tmp_path / "none", "operator STRING")
    text = refused(env, folder, "k INT", operator="GroupAggregate#9")
    assert "Operator 'GroupAggregate#9' does not exist" in text
    assert "'GroupAggregate#0'" in text
    assert "State 'count' does not exist" in refused(env, folder, "k INT", operator=operator, state="count")
    text = refused(env, folder, "k BIGINT, name STRING", operator=operator)
    assert "The state 'keys' of GroupAggregate#0 has the columns `k` INT, `name` STRING, but table" in text
    assert "has `k` BIGINT, `name` STRING" in text
    assert "counts (`k` INT, `name` STRING, `v0` BIGINT)" in text
    text = refused(env, folder, "k INT")
    assert "set the option 'operator' to read the state of one: GroupAggregate#0" in text
    text = refused(env, folder, "k INT, name STRING NOT NULL", operator=operator)
    assert "The column 'name' is NOT NULL, but the state 'keys' of GroupAggregate#0 has NULL in it" in text


def test_a_manifest_that_is_damaged(folder: Path, env: TableEnvironment) -> None:
    path = max((folder / "epochs").glob("*.json"), key=lambda manifest: int(manifest.stem))
    path.write_bytes(path.read_bytes().replace(b"GroupAggregate", b"GroupAggregatf"))
    assert f"The checkpoint '{path}' is damaged: its checksum differs" in refused(env, folder, "operator STRING")
