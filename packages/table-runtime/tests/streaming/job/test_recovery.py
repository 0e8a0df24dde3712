"""Checkpoint folders and sources that a job cannot use: each error says what, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError
from table_runtime.streaming.checkpoints.checksums import FORMAT, WITHOUT_PICKLES, read_json, to_json
from table_runtime.streaming.checkpoints.file_store import FileStore
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]


def prepare(env: TableEnvironment, tmp_path: Path, log_table: LogTable, directory: str | None = None) -> str:
    log_table(env, "t", "k INT")
    env.get_config().set("execution.checkpointing.dir", directory or str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(
        f"CREATE TABLE o (op STRING, k INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')"
    )
    env.execute_sql("CREATE VIEW q AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")
    return "INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE q)"


@pytest.fixture
def folder(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> Path:
    """The folder of a job that has two checkpoints."""
    env = new_env()
    statement = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.interval", "1 h")  # the stop makes the only checkpoint
    for number in range(2):
        append_lines(tmp_path / "t", "0", [[1]])
        client = env.execute_sql(statement).get_job_client()
        assert client is not None
        eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == number + 1)  # noqa: B023
        env.execute_sql("STOP JOB 'copy'")
        assert [each["epoch"] for each in client.checkpoints()] == list(range(number + 1))
    env.close()
    return tmp_path / "checkpoints" / "copy"


def failure(env: TableEnvironment, statement: str) -> str:
    with pytest.raises(TableError) as raised:
        env.execute_sql(statement).wait()
    return str(raised.value)


def test_the_folder_of_another_job(folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    content = read_json((folder / "job.json").read_bytes())
    del content["format"]
    (folder / "job.json").write_bytes(to_json({**content, "job": "other"}))
    text = failure(env, prepare(env, folder.parent.parent, log_table))
    assert f"The checkpoint folder '{folder}' is that of the job 'other' of the engine 'arrow', and not of 'copy'" in text
    assert "hint: Give this job another 'pipeline.name'" in text


def test_a_newer_format(folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    (folder / "job.json").write_text(json.dumps({**json.loads((folder / "job.json").read_text()), "format": 99}))
    assert f"has the format 99; this version reads the formats {WITHOUT_PICKLES} to {FORMAT}" in failure(
        env, prepare(env, folder.parent.parent, log_table)
    )


def test_a_damaged_file_of_the_job(folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    # Sinks know the epochs of the job by the id in it: with another one they would commit the last epoch twice.
    file = folder / "job.json"
    file.write_bytes(file.read_bytes().replace(b'"id": "copy-', b'"id": "cope-'))
    text = failure(env, prepare(env, folder.parent.parent, log_table))
    assert f"The file '{file}' is damaged: its checksum differs" in text
    assert "hint: Restore it" in text


def test_a_folder_of_an_older_version_is_refused(folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    for file in (folder / "job.json", folder / "epochs" / "0.json", folder / "epochs" / "1.json"):
        content = json.loads(file.read_text())
        del content["crc"]
        file.write_text(json.dumps({**content, "format": 1}, indent=1))
    text = failure(env, prepare(env, folder.parent.parent, log_table))
    assert f"The checkpoint folder '{folder}' has the format 1" in text
    assert f"python -m table_runtime.streaming.checkpoints.convert '{folder}' NEW_FOLDER" in text


def test_a_manifest_of_a_newer_format(folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    manifest = folder / "epochs" / "1.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 99}))
    assert f"The checkpoint '{manifest}' has the format 99" in failure(env, prepare(env, folder.parent.parent, log_table))


def test_a_damaged_manifest_and_the_one_before(folder: Path, env: TableEnvironment, log_table: LogTable, eventually: Eventually) -> None:
    manifest = folder / "epochs" / "1.json"
    manifest.write_text("{")
    statement = prepare(env, folder.parent.parent, log_table)
    text = failure(env, statement)
    assert f"The checkpoint '{manifest}' is damaged" in text
    assert "hint: Rename this file, to '<n>.json.damaged', to resume from the manifest before" in text
    manifest.rename(manifest.with_name("1.json.damaged"))
    client = env.execute_sql(statement).get_job_client()
    assert client is not None
    eventually(lambda: [each["epoch"] for each in client.checkpoints()] == [0, 2])


@pytest.mark.parametrize("how", ["renamed", "deleted", "deleted with its mark"])
def test_rows_behind_a_manifest_that_was_taken_away_are_written(
    how: str, folder: Path, env: TableEnvironment, log_table: LogTable, eventually: Eventually
) -> None:
    # Sinks take the number of the epoch that was committed for known.
    top, manifest = folder.parent.parent, folder / "epochs" / "1.json"
    manifest.rename(manifest.with_name("1.json.damaged")) if how == "renamed" else manifest.unlink()
    if how == "deleted with its mark":  # or killed before the mark was made
        (folder / "done" / "1").unlink()
    statement = prepare(env, top, log_table)
    append_lines(top / "t", "0", [[7]])
    env.execute_sql(statement)
    eventually(lambda: any(",7,1" in file.read_text() for file in (top / "o").glob("part-*")))


def test_a_job_does_not_begin_behind_an_epoch_of_another_one_that_may_not_be_committed(
    folder: Path, env: TableEnvironment, log_table: LogTable, eventually: Eventually
) -> None:
    statement = prepare(env, folder.parent.parent, log_table)
    env.get_config().set("pipeline.name", "second").set("execution.state-recovery.path", str(folder))
    (folder / "done" / "1").unlink()
    text = failure(env, statement)
    assert "The epoch 1 of the job 'copy' in" in text
    assert "hint: Run the job 'copy' once more, which commits them" in text
    (folder / "done" / "1").touch()
    client = env.execute_sql(statement).get_job_client()
    assert client is not None
    eventually(lambda: [each["epoch"] for each in client.checkpoints()] == [2])


@pytest.mark.parametrize("damage", ["does not exist", "is damaged"])
def test_a_damaged_file_of_state(damage: str, folder: Path, env: TableEnvironment, log_table: LogTable) -> None:
    file = next((folder / "states" / "GroupAggregate#0").iterdir())
    if damage == "is damaged":
        file.write_bytes(file.read_bytes()[:-9] + b"123456789")
    else:
        file.unlink()
    text = failure(env, prepare(env, folder.parent.parent, log_table))
    assert f"The checkpoint file '{file}' {damage}" in text
    assert "hint: Restore the file, or resume from the manifest before" in text


def test_a_folder_that_cannot_be_written(env: TableEnvironment, log_table: LogTable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    text = failure(env, prepare(env, tmp_path, log_table, str(tmp_path / "file" / "checkpoints")))
    assert "The checkpoint file" in text
    assert "failed: NotADirectoryError: Not a directory" in text


def test_a_file_system_without_atomic_creation(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec = pytest.importorskip("fsspec")
    system = type(fsspec.filesystem("memory"))
    pipe = system.pipe_file
    monkeypatch.setattr(system, "pipe_file", lambda self, path, value, **_: pipe(self, path, value))
    text = failure(env, prepare(env, tmp_path, log_table, "memory://checkpoints"))
    assert "Checkpoints cannot be at 'memory://checkpoints/copy'" in text
    assert "does not create a file only if it is absent" in text


def test_checkpoints_on_a_remote_file_system(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    pytest.importorskip("fsspec")
    for number in range(2):
        env = new_env()
        statement = prepare(env, tmp_path, log_table, f"memory://{tmp_path.name}")
        append_lines(tmp_path / "t", "0", [[1]])
        client = env.execute_sql(statement).get_job_client()
        assert client is not None
        eventually(lambda: [each["epoch"] for each in client.checkpoints()] == list(range(number + 1)))  # noqa: B023
        env.close()


def test_a_full_disk_in_the_middle_of_a_checkpoint(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.tolerable-failed-checkpoints", "1000")
    from table_runtime.streaming.checkpoints import file_store

    store = file_store._LocalStore
    write, full = store.write, [True]

    def fails(self: FileStore, path: str, parts: list[bytes]) -> int:
        if full:
            with self.errors(path):
                raise OSError(28, "No space left on device")
        return write(self, path, parts)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "write", fails)
    append_lines(tmp_path / "t", "0", [[1]])
    client = env.execute_sql(statement).get_job_client()
    assert client is not None
    append_lines(tmp_path / "t", "0", [[1]])
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == 2)
    assert client.get_job_status().value == "RUNNING"
    assert client.checkpoints() == []
    full.clear()
    eventually(lambda: len(client.checkpoints()) == 1)


def test_a_full_disk_in_the_last_checkpoint_is_never_tolerated(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No epoch follows that would commit the rows, so the job has not finished.
    from table_runtime.streaming.checkpoints import file_store

    statement = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.tolerable-failed-checkpoints", "1000").set("execution.checkpointing.interval", "10 min")

    def fails(self: FileStore, path: str, parts: list[bytes]) -> int:
        with self.errors(path):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_store._LocalStore, "write", fails)
    append_lines(tmp_path / "t", "0", [[1]])
    client = env.execute_sql(statement).get_job_client()
    assert client is not None
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == 1)
    with pytest.raises(TableError, match="No space left on device"):
        client.stop_with_savepoint()
    assert client.get_job_status().value == "FAILED"


def test_a_full_disk_fails_the_job_if_that_is_not_tolerated(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from table_runtime.streaming.checkpoints import file_store

    def fails(self: FileStore, path: str, parts: list[bytes]) -> int:
        with self.errors(path):
            raise OSError(28, "No space left on device")
        return 0

    monkeypatch.setattr(file_store._LocalStore, "write", fails)
    statement = prepare(env, tmp_path, log_table)
    env.get_config().set("restart-strategy.type", "none")
    append_lines(tmp_path / "t", "0", [[1]])
    assert "failed: OSError: No space left on device" in failure(env, statement)


def test_a_path_without_a_savepoint(env: TableEnvironment, log_table: LogTable, tmp_path: Path) -> None:
    statement = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.state-recovery.path", str(tmp_path / "nothing"))
    assert f"There is no savepoint and no checkpoint at '{tmp_path / 'nothing'}'" in failure(env, statement)
