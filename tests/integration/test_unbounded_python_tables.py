"""Python objects with unbounded rows, as tables of the embedded engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.connectors.python import register_callable, unregister_callable


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    yield made
    made.close()
    unregister_callable("feed")


def feed(env: TableEnvironment, rows: Any) -> None:
    register_callable("feed", rows)
    env.execute_sql("CREATE TABLE f (n INT, word STRING) WITH ('connector' = 'python', 'callable' = 'feed', 'bounded' = 'false')")


def ticking() -> Iterator[tuple[int, str]]:
    number = 0
    while True:
        yield number, "ab"[number % 2]
        number += 1
        time.sleep(0.001)


async def ticking_asynchronously() -> AsyncIterator[dict[str, object]]:
    number = 0
    while True:
        yield {"n": number, "word": "ab"[number % 2]}
        number += 1
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("rows", [ticking, ticking_asynchronously])
def test_rows_come_as_the_object_gives_them(env: TableEnvironment, rows: Any) -> None:
    feed(env, rows)
    with env.execute_sql("SELECT n, word FROM f WHERE word = 'b'").collect(max_rows=5) as found:
        assert [tuple(row) for row in found] == [(number, "b") for number in (1, 3, 5, 7, 9)]
    with env.execute_sql("SELECT word, COUNT(*) AS n FROM f GROUP BY word").live() as live:
        assert live.wait(5, timeout=20)
        assert {row["word"] for row in live.to_arrow().to_pylist()} == {"a", "b"}


def test_the_query_ends_with_the_rows(env: TableEnvironment) -> None:
    feed(env, lambda: iter([(1, "a"), (2, "b")]))
    with env.execute_sql("SELECT SUM(n) AS s FROM f").collect() as rows:
        assert [row.s for row in rows][-1] == 3


def test_a_failure_of_the_object_ends_the_query(env: TableEnvironment) -> None:
    def failing() -> Iterator[tuple[int, str]]:
        yield 1, "a"
        raise KeyError("broken")

    feed(env, failing)
    with env.execute_sql("SELECT n FROM f").collect() as rows, pytest.raises(TableRuntimeException, match="KeyError: 'broken'"):
        list(rows)


def test_explain_says_that_rows_come_at_most_once(env: TableEnvironment) -> None:
    feed(env, ticking)
    assert "at-most-once" in env.explain_sql("SELECT n FROM f")


def test_in_batch_mode_it_is_refused() -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    feed(env, ticking)
    with pytest.raises(TableException, match="never ends"):
        env.execute_sql("SELECT n FROM f").collect()
    unregister_callable("feed")


def test_a_job_with_checkpoints_that_resumes_takes_what_comes_then(env: TableEnvironment, tmp_path: Path) -> None:
    """Rows between the last checkpoint and the end of the run are lost, and none comes twice."""
    starts: list[int] = []

    def numbered() -> Iterator[tuple[int, str]]:
        first = 1_000_000 * len(starts)
        starts.append(first)
        for number in range(first, first + 1_000_000):
            yield number, "x"
            time.sleep(0.001)

    feed(env, numbered)
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    env.get_config().set("execution.checkpointing.interval", "50 ms")
    env.get_config().set("pipeline.name", "numbered")
    env.execute_sql(f"CREATE TABLE o (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv')")

    def written() -> list[int]:
        return sorted(int(line) for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines())

    for run in range(2):
        job = env.execute_sql("INSERT INTO o SELECT n FROM f").get_job_client()
        assert job is not None
        deadline = time.monotonic() + 30
        while not any(number >= 1_000_000 * run for number in written()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        job.cancel()
        while not job.get_job_status().is_terminal_state():
            time.sleep(0.005)
    numbers = written()
    assert len(set(numbers)) == len(numbers)
    assert len(starts) == 2
