"""Tables, checkpoints, savepoints and watched folders on S3, with a server in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_runtime.streaming.checkpoints.file_store import open_store

NewEnv = Callable[..., TableEnvironment]


@pytest.fixture
def new_env() -> Iterator[NewEnv]:
    made: list[TableEnvironment] = []

    def make(*, streaming: bool = False) -> TableEnvironment:
        builder = EnvironmentSettings.new_instance().with_planner("arrow")
        env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
        env.get_config().set("table.exec.sink.commit-interval", "20 ms").set("table.dml-sync", "false" if streaming else "true")
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()


def table(
    env: TableEnvironment, name: str, path: str, columns: str = "a INT", end: str = "", options: str = "", format_: str = "csv"
) -> None:
    env.execute_sql(
        f"CREATE TABLE {name} ({columns}) {end} WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}'{options})"
    )


def rows(env: TableEnvironment, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in env.execute_sql(f"SELECT * FROM {name}").collect())


def eventually(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_batch_statements(new_env: NewEnv, bucket: str, store: Any, format_: str) -> None:
    env = new_env()
    table(env, "t", f"{bucket}/t", "a INT, p STRING", "PARTITIONED BY (p)", format_=format_)
    with pytest.raises(TableRuntimeException, match="does not exist"):
        rows(env, "t")
    env.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    env.execute_sql("INSERT OVERWRITE t PARTITION (p = 'x') SELECT 5")
    assert rows(env, "t") == [(2, "y"), (5, "x")]
    assert [path for path in store.find(bucket) if "/." in path] == []
    env.execute_sql("TRUNCATE TABLE t")
    assert rows(env, "t") == []


def test_a_bucket_that_does_not_exist_is_not_made(new_env: NewEnv, bucket: str, store: Any) -> None:
    env = new_env()
    table(env, "t", f"{bucket}-2/t")
    with pytest.raises(TableError, match="cannot be written: FileNotFoundError: The specified bucket does not exist"):
        env.execute_sql("INSERT INTO t VALUES (1)").wait()
    assert f"{bucket}-2".removeprefix("s3://") not in store.ls("")


def test_an_empty_object_in_place_of_a_folder_is_no_file(new_env: NewEnv, bucket: str, store: Any) -> None:
    env = new_env()
    for name, content in (("t/", b""), ("t/sub/", b""), ("t/a.csv", b"1\n")):
        bucket_name = bucket.removeprefix("s3://")
        store.call_s3("put_object", Bucket=bucket_name, Key=name, Body=content)
    table(env, "t", f"{bucket}/t")
    assert rows(env, "t") == [(1,)]


def test_a_file_of_a_checkpoint_is_created_once(bucket: str) -> None:
    checkpoints = open_store(f"{bucket}/checkpoints")  # type: ignore[arg-type]
    assert checkpoints.create("a/b", b"1")
    assert not open_store(f"{bucket}/checkpoints").create("a/b", b"2")  # type: ignore[arg-type]
    assert (checkpoints.read("a/b"), checkpoints.names(""), checkpoints.read("a/c")) == (b"1", ["a"], None)


def test_a_watched_folder_is_copied_epoch_by_epoch_and_on_behind_a_savepoint(new_env: NewEnv, bucket: str, store: Any) -> None:
    batch = new_env()
    table(batch, "o", f"{bucket}/out")
    store.pipe_file(f"{bucket}/out/0.csv", b"0\n")
    savepoint, expected = "", [(0,)]
    for number in range(1, 3):
        env = new_env(streaming=True)
        config = env.get_config().set("execution.checkpointing.dir", f"{bucket}/checkpoints-{number}").set("pipeline.name", "copy")
        if savepoint:
            config.set("execution.state-recovery.path", savepoint)
        table(env, "i", f"{bucket}/in", options=", 'source.monitor-interval' = '20 ms'")
        table(env, "o", f"{bucket}/out")
        client = env.execute_sql("INSERT INTO o SELECT a FROM i").get_job_client()
        assert client is not None
        for part in range(2):
            value = 10 * number + part
            store.pipe_file(f"{bucket}/in/{value}.csv", f"{value}\n".encode())
            expected.append((value,))
            eventually(lambda: rows(batch, "o") == expected)
        savepoint = client.stop_with_savepoint(savepoint_directory=f"{bucket}/savepoints")
        assert savepoint.startswith(f"{bucket}/savepoints/")
    assert rows(batch, "o") == expected


def test_secrets_are_not_printed(new_env: NewEnv, bucket: str) -> None:
    env = new_env()
    table(env, "t", "s3://someone:hidden-word@bucket/t")
    for statement in ("INSERT INTO t VALUES (1)", "SELECT * FROM t"):
        with pytest.raises(TableError) as raised:
            list(env.execute_sql(statement).collect())
        assert "hidden-word" not in f"{raised.value}{raised.value.hint}"


URLS = ("s3://shop/other", "s3://shop/public/../other", "s3://shop/public-2", "s3://shop", "s3a://shop/public/x")
REFUSED = "must not be used by statements of this session"


@pytest.mark.parametrize("key", ["execution.checkpointing.dir", "execution.checkpointing.savepoint-dir", "execution.state-recovery.path"])
def test_statements_set_only_allowed_urls_of_checkpoints(new_env: NewEnv, key: str) -> None:
    env = new_env(streaming=True)
    env.get_config().set("table.security.allowed-paths", "s3://shop/public")
    env.execute_sql(f"SET '{key}' = 's3://shop/public/x'")
    for url in URLS:
        with pytest.raises(ValidationException, match=REFUSED):
            env.execute_sql(f"SET '{key}' = '{url}'")


@pytest.mark.parametrize("url", URLS)
def test_statements_use_only_tables_at_allowed_urls(new_env: NewEnv, url: str) -> None:
    env = new_env()
    env.get_config().set("table.security.allowed-paths", "s3://shop/public")
    table(env, "t", url)
    for statement in ("SELECT * FROM t", "INSERT INTO t VALUES (1)"):
        with pytest.raises(ValidationException, match=REFUSED):
            env.execute_sql(statement)
