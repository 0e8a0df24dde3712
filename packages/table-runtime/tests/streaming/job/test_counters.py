"""What a job with checkpoints counts adds up over restarts: rows, late rows, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.checkpoints.job_folder import JobFolder

Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]
INSERT = (
    "INSERT INTO o SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)) "
    "GROUP BY k, window_start, window_end"
)
FIRST, SECOND = ("00:00:00.100", "00:00:09.000", "garbage", "00:00:01.000"), ("garbage", "00:00:02.000", "garbage", "00:00:20.000")
"""Times of rows: with the second one of ``FIRST``, event time has come to 9 s."""
COUNTS = {"numRecordsOut": 5, "numRecordsInErrors": 3, "numLateRecordsDropped": 2}


@pytest.fixture(autouse=True)
def no_listeners() -> Iterator[None]:
    yield
    failure_points.listeners.clear()


def write(folder: Path, name: str, times: tuple[str, ...]) -> None:
    lines = ("{" if time == "garbage" else f'{{"k": 1, "ts": "2024-01-01 {time}"}}' for time in times)
    (folder / "t" / f".{name}").write_text("".join(f"{line}\n" for line in lines))
    (folder / "t" / f".{name}").rename(folder / "t" / name)


def start(env: TableEnvironment, folder: Path) -> JobClient:
    (folder / "t").mkdir(exist_ok=True)
    env.get_config().set("execution.checkpointing.dir", str(folder / "checkpoints")).set("pipeline.name", "counts")
    env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "10 ms")
    env.execute_sql(
        "CREATE TABLE t (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'format' = 'json', "
        f"'path' = '{folder / 't'}', 'source.monitor-interval' = '10 ms', 'json.ignore-parse-errors' = 'true')"
    )
    env.execute_sql(
        f"CREATE TABLE o (k INT, s TIMESTAMP(3), n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{folder / 'o'}')"
    )
    client = env.execute_sql(INSERT).get_job_client()
    assert client is not None
    return client


def counts(client: JobClient) -> dict[str, int | float]:
    found = dict.fromkeys(COUNTS, 0.0)
    for name, value in client.get_metrics().items():
        metric = name.rpartition(".")[2]
        if metric in found:
            found[metric] += value
    return found


def in_last_epoch(folder: Path) -> dict[str, int]:
    last = JobFolder.open(str(folder / "checkpoints"), "counts", "arrow").latest()
    assert last is not None
    return {name: sum(each.get(name, 0) for each in last.counters.values()) for name in COUNTS}


def test_a_later_run_counts_on(new_env: NewEnv, tmp_path: Path, eventually: Eventually) -> None:
    env = new_env()
    first = start(env, tmp_path)
    write(tmp_path, "1", FIRST)
    eventually(lambda: counts(first) == {"numRecordsOut": 3, "numRecordsInErrors": 1, "numLateRecordsDropped": 1})
    env.close()
    second = start(new_env(), tmp_path)
    eventually(lambda: counts(second) == {"numRecordsOut": 3, "numRecordsInErrors": 1, "numLateRecordsDropped": 1})
    write(tmp_path, "2", SECOND)
    eventually(lambda: counts(second) == COUNTS)


@pytest.mark.parametrize("point", ["prepared", "decided"])
def test_a_restart_counts_the_rows_of_epochs_that_stand(new_env: NewEnv, tmp_path: Path, eventually: Eventually, point: str) -> None:
    failures: list[int] = []

    def fail(name: str, epoch: int) -> None:
        if name == point and done and len(failures) < 2:
            failures.append(epoch)
            raise ConnectionError("the sink is away")

    done: list[int] = []
    failure_points.listeners.append(fail)
    env = new_env()
    client = start(env, tmp_path)
    write(tmp_path, "1", FIRST)
    eventually(lambda: bool(client.checkpoints()) and counts(client)["numRecordsInErrors"] == 1)
    done.append(1)
    write(tmp_path, "2", SECOND)
    eventually(lambda: in_last_epoch(tmp_path) == COUNTS)
    eventually(lambda: bool(failures))  # the manifest is there before the listener is called
    eventually(lambda: counts(client) == COUNTS)
    env.close()
    assert counts(client) == in_last_epoch(tmp_path) == COUNTS
