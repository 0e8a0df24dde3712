"""STOP JOB, SHOW JOBS and DESCRIBE JOB of unbounded jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient, JobStatus
from table_common.exceptions import ValidationException
from table_runtime.streaming.checkpoints import failure_points, job_lock
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.job_lock import JobLock, owner_of
from table_runtime.streaming.job.in_process.mailbox import ReaderEvent, ReadRows, SourceQueue
from table_testing.line_log import LineLog, append_lines
from table_testing.rounds import NIGHT

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]


INSERT = "INSERT INTO o SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"


def prepare(env: TableEnvironment, tmp_path: Path, log_table: LogTable) -> Path:
    log = log_table(env, "t", "k INT, ts AS TO_TIMESTAMP_LTZ(k, 0), WATERMARK FOR ts AS ts")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    return log


def start(env: TableEnvironment, tmp_path: Path, log_table: LogTable, eventually: Eventually) -> Path:
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1], [2], [100]])
    env.execute_sql(INSERT)
    eventually(lambda: lines(tmp_path) == ["2"])
    return log


def lines(tmp_path: Path) -> list[str]:
    return sorted(line for path in (tmp_path / "o").glob("[!.]*") for line in path.read_text().splitlines())


def statuses(env: TableEnvironment) -> dict[str, str]:
    return {row[1]: row[2] for row in env.execute_sql("SHOW JOBS").collect()}


def test_a_job_is_shown_described_and_stopped_with_a_savepoint(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    start(env, tmp_path, log_table, eventually)
    assert statuses(env) == {"copy": "RUNNING"}
    (row,) = env.execute_sql("DESCRIBE JOB 'copy'").collect()
    assert (row[1], row[2]) == ("copy", "RUNNING")
    assert Path(row[5]).is_file()
    ((path,),) = env.execute_sql("STOP JOB 'copy' WITH SAVEPOINT").collect()
    assert (Path(path) / "savepoint.json").is_file()
    assert statuses(env) == {"copy": "FINISHED"}
    assert lines(tmp_path) == ["2"]
    with pytest.raises(ValidationException, match="The job 'copy' has ended"):
        env.execute_sql("STOP JOB 'copy'")


def test_metrics_of_a_running_job_have_the_watermark_of_each_split(
    env: TableEnvironment, log_table: LogTable, eventually: Eventually
) -> None:
    log = log_table(env, "t", "k INT, ts AS TO_TIMESTAMP_LTZ(k, 0), WATERMARK FOR ts AS ts")
    append_lines(log, "0", [[100]])
    append_lines(log, "1", [[50]])
    result = env.execute_sql(
        "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    )
    job = result.get_job_client()
    assert job is not None
    seen: list[dict[str, int | float]] = []
    job.add_metrics_listener(lambda _, metrics: seen.append(dict(metrics)), interval=0.02)
    eventually(lambda: bool(seen) and seen[-1].get("Source[1].1.currentWatermark") == 50_000)
    assert seen[-1]["Source[1].0.currentWatermark"] == 100_000
    job.cancel().result()


def test_draining_ends_event_time(env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    start(env, tmp_path, log_table, eventually)
    env.execute_sql("STOP JOB 'copy' WITH SAVEPOINT WITH DRAIN")
    assert lines(tmp_path) == ["1", "2"]


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that readers have put into their queues."""
    read: list[int] = []
    put = SourceQueue.put

    def noted(queue: SourceQueue, item: ReaderEvent) -> bool:
        result = put(queue, item)
        if result and isinstance(item, ReadRows):
            read.append(item.batch.num_rows)
        return result

    monkeypatch.setattr(SourceQueue, "put", noted)
    return read


def test_draining_takes_the_rows_that_wait_in_a_mini_batch(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, rows_read: list[int]
) -> None:
    config = env.get_config().set("table.exec.mini-batch.enabled", "true").set("table.exec.mini-batch.size", "4")
    config.set("table.exec.mini-batch.allow-latency", "1 h").set("table.exec.sink.commit-interval", "1 h")
    log = prepare(env, tmp_path, log_table)
    append_lines(log, "0", [[1], [2], [11], [12], [13], [14], [100]])  # one mini-batch, and rows that wait
    env.execute_sql(INSERT)
    eventually(lambda: sum(rows_read) == 7)
    env.execute_sql("STOP JOB 'copy' WITH SAVEPOINT WITH DRAIN")
    assert lines(tmp_path) == ["1", "2", "4"]
    result = env.execute_sql(INSERT)
    job = result.get_job_client()
    assert job is not None
    append_lines(log, "0", [[3], [4], [5], [6]])
    eventually(lambda: sum(rows_read) == 11)
    job.stop_with_savepoint(advance_to_end_of_event_time=True)
    assert lines(tmp_path) == ["1", "2", "4"]
    assert sum(count for name, count in job.get_metrics().items() if name.endswith("numLateRecordsDropped")) == 4


def test_a_job_goes_on_with_new_rows_after_draining(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    log = log_table(env, "t", "k INT")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    append_lines(log, "0", [[1]])
    env.execute_sql("INSERT INTO o SELECT k FROM t")
    eventually(lambda: lines(tmp_path) == ["1"])
    env.execute_sql("STOP JOB 'copy' WITH SAVEPOINT WITH DRAIN")
    append_lines(log, "0", [[2]])
    env.execute_sql("INSERT INTO o SELECT k FROM t")
    eventually(lambda: lines(tmp_path) == ["1", "2"])


def test_rows_wait_for_a_table_that_is_read_first_also_after_draining(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = log_table(env, "facts", "k INT, p AS PROCTIME()")
    names = log_table(env, "names", "k INT, name STRING, PRIMARY KEY (k) NOT ENFORCED", "bounded:")
    are_read = [False]
    monkeypatch.setattr(LineLog, "has_ended", lambda log, _: log.bounded and are_read[0])
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (k INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    insert = "INSERT INTO o SELECT f.k, name FROM facts AS f LEFT JOIN names FOR SYSTEM_TIME AS OF f.p ON f.k = names.k"
    job = env.execute_sql(insert).get_job_client()
    assert job is not None
    job.stop_with_savepoint(advance_to_end_of_event_time=True)
    append_lines(facts, "0", [[1]])
    job = env.execute_sql(insert).get_job_client()
    assert job is not None
    eventually(lambda: job.get_metrics().get("TemporalJoin[1].numRecordsIn") == 1)
    are_read[0] = True
    append_lines(names, "0", [[1, "one"]])
    eventually(lambda: lines(tmp_path) != [])
    assert lines(tmp_path) == ["1,one"]


def test_processing_time_goes_on_after_draining(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, rows_read: list[int]
) -> None:
    log = log_table(env, "t", "k INT, ts AS TO_TIMESTAMP_LTZ(k, 0), p AS PROCTIME(), WATERMARK FOR ts AS ts")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.get_config().set("table.exec.source.idle-timeout", "50 ms")
    env.execute_sql(f"CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    insert = INSERT.replace("DESCRIPTOR(ts), INTERVAL '10' SECOND", "DESCRIPTOR(p), INTERVAL '0.2' SECOND")
    append_lines(log, "0", [[1]])
    job = env.execute_sql(insert).get_job_client()
    assert job is not None
    eventually(lambda: rows_read == [1])
    job.stop_with_savepoint(advance_to_end_of_event_time=True)
    assert lines(tmp_path) == ["1"]
    env.execute_sql(insert)
    for count in (2, 3):  # the source is idle in between
        append_lines(log, "0", [[count]])
        eventually(lambda: lines(tmp_path) == ["1"] * count)  # noqa: B023


def test_a_job_stops_without_a_savepoint(env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    start(env, tmp_path, log_table, eventually)
    env.execute_sql("STOP JOB 'copy'")
    assert statuses(env) == {"copy": "FINISHED"}


@pytest.mark.parametrize("waits", [True, False], ids=["after the future", "at once"])
def test_a_cancelled_job_can_be_started_again(
    waits: bool,
    env: TableEnvironment,
    log_table: LogTable,
    tmp_path: Path,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_lock, "HEARTBEAT_SECONDS", 0.02)  # the next start sees that the owner lives
    env.get_config().set("table.exec.sink.commit-interval", "1 ms")
    log = log_table(env, "t", "k INT")
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    jobs = []
    runs = range(50 if NIGHT else 15)
    for number in runs:
        append_lines(log, "0", [[number]])
        job = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
        assert job is not None
        jobs.append(job)
        if number % 5 == 4:  # the others are cancelled while they begin
            eventually(lambda: len(lines(tmp_path)) == number + 1)  # noqa: B023
        cancelled = job.cancel()
        if waits:
            cancelled.result()
            assert cancelled.done()
            owner = owner_of(open_store(str(tmp_path / "checkpoints" / "copy")))
            assert owner is None or owner[0]["released"]
    assert {job.get_job_status() for job in jobs} == {JobStatus.CANCELED}
    env.execute_sql("INSERT INTO o SELECT k FROM t")
    eventually(lambda: len(lines(tmp_path)) == len(runs))
    assert sorted(map(int, lines(tmp_path))) == list(runs)


@pytest.mark.parametrize("checkpoints", [True, False], ids=["with checkpoints", "without"])
def test_a_cancellation_has_ended_when_the_sinks_have(
    checkpoints: bool, env: TableEnvironment, log_table: LogTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def commit(passed: str, _: int) -> None:
        if passed == "decided":
            begun.set()
            go_on.wait(10)

    monkeypatch.setattr(failure_points, "listeners", [commit])
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    if checkpoints:
        env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    job = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
    assert job is not None
    assert begun.wait(10)
    cancelled = job.cancel()
    threading.Timer(0.6, go_on.set).start()  # the thread of the job does not wait so long
    assert not cancelled.done()
    cancelled.result()
    assert go_on.is_set()
    assert not any(thread.name.startswith("table-sinks") for thread in threading.enumerate())


def test_a_job_that_has_not_begun_is_stopped_with_a_savepoint(
    copy_job: Callable[[], JobClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    may_begin = threading.Event()
    acquire = JobLock.acquire

    def slow(*arguments: Any) -> JobLock:
        may_begin.wait(10)
        return acquire(*arguments)

    monkeypatch.setattr(JobLock, "acquire", slow)
    job, paths = copy_job(), list[str]()
    stopping = threading.Thread(target=lambda: paths.append(job.stop_with_savepoint()))
    stopping.start()
    stopping.join(0.2)
    assert stopping.is_alive()
    may_begin.set()
    stopping.join(10)
    assert (Path(paths[0]) / "savepoint.json").is_file()
    assert job.get_job_status() is JobStatus.FINISHED
    copy_job()
    eventually(lambda: lines(tmp_path) == ["1"])


def test_a_savepoint_that_is_asked_for_during_an_epoch_is_written_behind_it(
    env: TableEnvironment, copy_job: Callable[[], JobClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    env.get_config().set("execution.checkpointing.interval", "100000 h")
    begun, go_on = threading.Event(), threading.Event()

    def commit(passed: str, _: int) -> None:
        if passed == "decided":
            begun.set()
            go_on.wait(10)

    monkeypatch.setattr(failure_points, "listeners", [commit])
    job, paths = copy_job(), list[str]()
    asking = [threading.Thread(target=lambda: paths.append(job.trigger_savepoint())) for _ in range(2)]
    asking[0].start()
    assert begun.wait(10)
    asking[1].start()
    asking[1].join(0.5)  # the loop looks several times
    go_on.set()
    for thread in asking:
        thread.join(10)
    assert len(set(paths)) == 2


def test_a_savepoint_that_is_asked_for_before_a_restart_is_written_after_it(
    env: TableEnvironment, copy_job: Callable[[], JobClient], is_away: list[bool], eventually: Eventually
) -> None:
    env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "10 ms")
    is_away[0] = True
    job, paths = copy_job(), list[str]()
    eventually(lambda: job.get_job_status() is JobStatus.RESTARTING)
    asking = threading.Thread(target=lambda: paths.append(job.trigger_savepoint()))
    asking.start()
    is_away[0] = False
    asking.join(10)
    assert len(paths) == 1


def test_jobs_in_the_checkpoint_folder_are_shown(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> None:
    first, second = new_env(), new_env()
    start(first, tmp_path, log_table, eventually)
    second.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    assert statuses(second) == {"copy": "RUNNING"}
    with pytest.raises(Exception, match=r"not a job of this session: it is run by the process \d+"):
        second.execute_sql("STOP JOB 'copy'")
    first.close()
    assert statuses(second) == {"copy": "SUSPENDED"}
    assert next(iter(second.execute_sql("DESCRIBE JOB 'copy'").collect()))[4] >= 0


def test_an_unknown_job_is_an_error(env: TableEnvironment) -> None:
    for statement in ("STOP JOB 'x'", "DESCRIBE JOB 'x'"):
        with pytest.raises(ValidationException, match="Job 'x'"):
            env.execute_sql(statement)
