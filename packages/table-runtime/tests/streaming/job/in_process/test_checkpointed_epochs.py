"""INSERTs with a checkpoint folder: what a later run of the same statement finds."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient
from table_common.exceptions import TableException
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.checkpoints import failure_points, file_store
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.graph import state_copy
from table_runtime.streaming.job.in_process import checkpointed_epochs
from table_runtime.streaming.job.in_process.loop import StreamLoop
from table_runtime.streaming.job.in_process.writer import EndOfEpoch, WriterThread
from table_testing.line_log import LineLog, append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]
TOTALS = "INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE totals)"


def prepare(env: TableEnvironment, tmp_path: Path, log_table: LogTable) -> Path:
    log = log_table(env, "t", "k INT, v INT")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "totals")
    env.execute_sql(
        f"CREATE TABLE o (op STRING, k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')"
    )
    env.execute_sql("CREATE VIEW totals AS SELECT k, SUM(v) AS v FROM t GROUP BY k")
    return log


def client_of(result: Any) -> JobClient:
    client = result.get_job_client()
    assert isinstance(client, JobClient)
    return client


def table(folder: Path) -> dict[int, int]:
    """Returns the table that the changes make; they are in files of an epoch each."""
    files = [path for path in folder.glob("[!.]*") if path.is_file()]
    lines = [line.split(",") for path in sorted(files, key=lambda path: path.stat().st_mtime_ns) for line in path.read_text().splitlines()]
    counts = Counter[tuple[int, int]]()
    for kind, key, value in lines:
        counts[int(key), int(value)] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
    assert set(counts.values()) <= {0, 1}, counts
    return dict(row for row, count in counts.items() if count)


def test_a_statement_that_is_run_again_goes_on(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    for number in range(3):
        env = new_env()
        log = prepare(env, tmp_path, log_table)
        append_lines(log, str(number % 2), [[1, 10], [2, 1]])
        env.execute_sql(TOTALS)
        eventually(lambda: table(tmp_path / "o") == {1: 10 * (number + 1), 2: number + 1})  # noqa: B023
        env.close()


@pytest.mark.parametrize("is_repeatable", [True, False])
def test_no_epoch_ends_within_a_range_that_cannot_be_read_again(
    new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch, is_repeatable: bool
) -> None:
    positions: list[Any] = []
    snapshot, read = checkpointed_epochs.CheckpointedEpochs._snapshot, ScanOffsets.read_split

    def recorded(self: Any, loop: Any, began: float) -> None:
        positions.extend(source.position for source in loop.inputs)
        snapshot(self, loop, began)

    def slow(self: Any, reader: Any, split: Any) -> Any:
        (batch,) = read(self, reader, split)
        for start in range(0, batch.num_rows, 50):
            time.sleep(0.01)
            yield batch.slice(start, 50)

    monkeypatch.setattr(checkpointed_epochs.CheckpointedEpochs, "_snapshot", recorded)
    monkeypatch.setattr(ScanOffsets, "read_split", slow)
    monkeypatch.setattr(LineLog, "is_repeatable", lambda self, start, end: is_repeatable)
    env = new_env()
    log = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.interval", "20 ms")
    append_lines(log, "0", [[1, 1]] * 1500)
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 1500})
    env.close()
    assert any(position.get("rows") for position in positions) == is_repeatable, positions


def test_an_epoch_that_was_decided_is_committed_by_the_next_run(
    new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    def fail(point: str, epoch: int) -> None:
        if point == "decided":
            raise ValueError("killed")

    env = new_env()
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1, 10]])
    failure_points.listeners.append(fail)
    try:
        with pytest.raises(Exception, match="killed"):
            env.execute_sql(TOTALS).wait()
    finally:
        failure_points.listeners.clear()
    assert table(tmp_path / "o") == {}
    env = new_env()
    prepare(env, tmp_path, log_table)
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 10})


def test_an_epoch_that_was_not_decided_is_run_again(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    def fail(point: str, epoch: int) -> None:
        if point == "prepared":
            raise ValueError("killed")

    env = new_env()
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1, 10]])
    failure_points.listeners.append(fail)
    try:
        with pytest.raises(Exception, match="killed"):
            env.execute_sql(TOTALS).wait()
    finally:
        failure_points.listeners.clear()
    env = new_env()
    prepare(env, tmp_path, log_table)
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 10})


def test_a_job_runs_once(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    first, second = new_env(), new_env()
    append_lines(prepare(first, tmp_path, log_table), "0", [[1, 10]])
    first.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 10})
    prepare(second, tmp_path, log_table)
    with pytest.raises(TableException, match="The job 'totals' is run by the process"):
        second.execute_sql(TOTALS).wait()


def test_modes_of_recovery(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    env = new_env()
    append_lines(prepare(env, tmp_path, log_table), "0", [[1, 10]])
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 10})
    env.close()
    env = new_env()
    prepare(env, tmp_path, log_table)
    env.get_config().set("execution.state-recovery.mode", "REFUSE")
    with pytest.raises(TableException, match=r"has checkpoints, the last one of epoch \d+"):
        env.execute_sql(TOTALS).wait()
    env.get_config().set("execution.state-recovery.mode", "FRESH")
    client = client_of(env.execute_sql(TOTALS))
    eventually(lambda: [each["epoch"] for each in client.checkpoints()] == [0, 1])


def test_a_savepoint_can_be_moved_and_begins_another_job(
    new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    env = new_env()
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1, 10], [2, 5]])
    client = client_of(env.execute_sql(TOTALS))
    eventually(lambda: table(tmp_path / "o") == {1: 10, 2: 5})
    path = Path(client.trigger_savepoint())
    assert client.get_job_status().value == "RUNNING"
    append_lines(log, "0", [[1, 1]])
    eventually(lambda: table(tmp_path / "o") == {1: 11, 2: 5})
    stopped = Path(client.stop_with_savepoint(False, str(tmp_path / "savepoints")))
    assert client.get_job_status().value == "FINISHED"
    env.close()
    moved = tmp_path / "moved"
    stopped.rename(moved)
    append_lines(log, "0", [[2, 1]])
    env = new_env()
    prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "elsewhere")).set("execution.state-recovery.path", str(moved))
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 11, 2: 6})
    assert path.is_dir()


def test_state_that_is_copied_while_rows_come(
    new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    step = state_copy.StateCopy.step

    def counted(self: state_copy.StateCopy) -> bool:
        is_last = step(self)
        if not is_last:
            steps.append(1)
            if len(steps) <= 10:
                append_lines(log, "1", [[len(steps), 1], [1000 + len(steps), 1]])
        return is_last

    env = new_env()
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[key, 1] for key in range(300)])
    expected = {**dict.fromkeys(range(300), 1), **dict.fromkeys(range(1, 11), 2), **dict.fromkeys(range(1001, 1011), 1)}
    with monkeypatch.context() as patch:
        patch.setattr(state_copy.StateCopy, "step", counted)
        for name, value in (("_STEP_SECONDS", 0.0), ("_FIRST_KEYS", 8), ("_MOST_KEYS", 8)):
            patch.setattr(state_copy, name, value)
        env.execute_sql(TOTALS)
        eventually(lambda: table(tmp_path / "o") == expected)
        assert len(steps) > 20
        env.close()
    env = new_env()
    prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[key, 1] for key in expected])
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {key: value + 1 for key, value in expected.items()})


def test_state_is_made_one_file_and_old_files_go(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    env = new_env()
    log = prepare(env, tmp_path, log_table)
    env.get_config().set("table.exec.sink.commit-interval", "5 ms")
    client = client_of(env.execute_sql(TOTALS))
    for number in range(40):
        append_lines(log, "0", [[key, 1] for key in range(number, number + 10)])
        eventually(lambda: sum(table(tmp_path / "o").values()) == 10 * (number + 1))  # noqa: B023
    eventually(lambda: len(client.checkpoints()) == 3)
    env.close()
    folder = next((tmp_path / "checkpoints" / "totals" / "states").iterdir())
    assert len(list(folder.iterdir())) <= 25
    env = new_env()
    prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[0, 1]])
    env.execute_sql(TOTALS)
    eventually(lambda: sum(table(tmp_path / "o").values()) == 401)


class FailingWrites(logging.Handler):
    """A file store whose next write fails; the thread that writes then waits until the job has looked several times, or has ended its last epoch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.fails = False
        self.failed, self.may_go_on = threading.Event(), threading.Event()
        self._looks = 0
        write, wait, end_epoch = file_store._LocalStore.write, StreamLoop.wait, WriterThread.end_epoch

        def write_or_fail(store: file_store._LocalStore, path: str, parts: Sequence[Any]) -> int:
            if self.fails:
                self.fails = False
                with store.errors(path):
                    raise OSError(28, "No space left on device")
            return write(store, path, parts)

        def count_looks(loop: StreamLoop, seconds: float) -> None:
            self._looks += 1
            if self._looks == 5:
                self.may_go_on.set()
            wait(loop, seconds)

        def end_of_epoch(writer: WriterThread, end: EndOfEpoch) -> None:
            end_epoch(writer, end)
            if self.failed.is_set():
                self.may_go_on.set()

        monkeypatch.setattr(file_store._LocalStore, "write", write_or_fail)
        monkeypatch.setattr(StreamLoop, "wait", count_looks)
        monkeypatch.setattr(WriterThread, "end_epoch", end_of_epoch)
        monkeypatch.setattr(logging.getLogger("table.job"), "handlers", [self])

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("Checkpoint 1 of job totals failed") and not self.failed.is_set():
            self.failed.set()
            assert self.may_go_on.wait(10)


@pytest.mark.parametrize("end", ["end", "savepoint", "drain"])
def test_the_last_epoch_has_the_changes_of_one_that_failed_after_the_timeout(
    end: str, new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = FailingWrites(monkeypatch)
    env = new_env()
    log = prepare(env, tmp_path, log_table)
    config = env.get_config().set("execution.checkpointing.interval", "1 h").set("execution.checkpointing.timeout", "1 ms")
    config.set("execution.checkpointing.tolerable-failed-checkpoints", "5")
    append_lines(log, "0", [[1, 10], [2, 20]])
    client = client_of(env.execute_sql(TOTALS))
    client.trigger_savepoint()
    append_lines(log, "0", [[1, 1]])
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == 3)
    writes.fails = True
    asking = threading.Thread(target=client.trigger_savepoint)
    asking.start()
    assert writes.failed.wait(10)
    if end == "end":
        client.end()
    else:
        client.stop_with_savepoint(end == "drain")
    assert client.get_job_execution_result().exception() is None
    asking.join(10)
    assert not asking.is_alive()
    assert table(tmp_path / "o") == {1: 11, 2: 20}
    env = new_env()
    prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1, 1], [2, 1]])
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {1: 12, 2: 21})


@pytest.mark.parametrize("failures", [1, 3])
def test_the_next_epoch_has_the_changes_of_those_that_failed(
    failures: int, new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rows of different keys come before, between and after the failures.
    left, committed = 0, list[int]()
    write, commit = file_store._LocalStore.write, LineLog.commit

    def write_or_fail(store: file_store._LocalStore, path: str, parts: Sequence[Any]) -> int:
        nonlocal left
        if left:
            left -= 1
            append_lines(log, "0", [[3 + left, 1]])
            with store.errors(path):
                raise OSError(28, "No space left on device")
        return write(store, path, parts)

    def note(source: LineLog, offset: Any) -> None:
        committed.append(offset["0"])
        commit(source, offset)

    monkeypatch.setattr(file_store._LocalStore, "write", write_or_fail)
    monkeypatch.setattr(LineLog, "commit", note)
    env = new_env()
    log = prepare(env, tmp_path, log_table)
    env.get_config().set("execution.checkpointing.tolerable-failed-checkpoints", "3")
    append_lines(log, "0", [[1, 10], [2, 20]])
    client = client_of(env.execute_sql(TOTALS))
    eventually(lambda: table(tmp_path / "o") == {1: 10, 2: 20} and bool(committed))
    offset = (log / "0.jsonl").stat().st_size
    left = failures
    append_lines(log, "0", [[1, 1]])
    expected = {1: 11, 2: 20, **{3 + number: 1 for number in range(failures)}}
    eventually(lambda: table(tmp_path / "o") == expected)
    client.stop_with_savepoint()
    ends = [
        state["offset"]["0"]
        for manifest in JobFolder.open(str(tmp_path / "checkpoints"), "totals", "arrow").manifests()
        for state in manifest.sources.values()
    ]
    assert set(committed) <= {offset, *ends}
    env = new_env()
    prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[key, 1] for key in expected])
    env.execute_sql(TOTALS)
    eventually(lambda: table(tmp_path / "o") == {key: value + 1 for key, value in expected.items()})


def test_a_savepoint_that_failed_is_not_tried_again_at_once(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would use up the failures that are tolerated.
    tries = 0
    write = file_store._LocalStore.write

    def write_or_fail(store: file_store._LocalStore, path: str, parts: Sequence[Any]) -> int:
        nonlocal tries
        tries += 1
        if tries == 1:
            with store.errors(path):
                raise OSError(28, "No space left on device")
        return write(store, path, parts)

    monkeypatch.setattr(file_store._LocalStore, "write", write_or_fail)
    monkeypatch.setattr(checkpointed_epochs, "_RETRY_SECONDS", 1e9)
    log = prepare(env, tmp_path, log_table)
    config = env.get_config().set("execution.checkpointing.interval", "100000 h")
    config.set("execution.checkpointing.tolerable-failed-checkpoints", "1")
    append_lines(log, "0", [[1, 10]])
    client, paths = client_of(env.execute_sql(TOTALS)), list[str]()
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == 1)
    asking = threading.Thread(target=lambda: paths.append(client.trigger_savepoint()))
    asking.start()
    eventually(lambda: tries == 1)
    for number in range(2, 5):
        append_lines(log, "0", [[1, 10]])
        eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == number)  # noqa: B023
    assert tries == 1
    client.stop_with_savepoint()
    asking.join(10)
    assert len(paths) == 1
    assert table(tmp_path / "o") == {1: 40}
