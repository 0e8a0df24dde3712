"""Results of unbounded queries, on the embedded engine: rows as they come, limits, the live table, asynchronous iteration."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing

import pytest

from table_api import EnvironmentSettings, JobStatus, TableEnvironment, TableResult
from table_common.exceptions import TableException, ValidationException

KEYED = "SELECT k, COUNT(*) AS n FROM g GROUP BY k"


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    generated = "'fields.k.min' = '0', 'fields.k.max' = '4', 'seed' = '7'"
    for name, rate in (("g", 2_000), ("slow", 1)):
        made.execute_sql(f"CREATE TABLE {name} (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate}', {generated})")
    yield made
    made.close()


def has_ended(result: TableResult) -> bool:
    """Waits for the end of the job; returns whether it has ended."""
    client = result.get_job_client()
    assert client is not None
    deadline = time.monotonic() + 20
    while not client.get_job_status().is_terminal_state() and time.monotonic() < deadline:
        time.sleep(0.005)
    return client.get_job_status().is_terminal_state()


def test_rows_come_one_by_one_and_closing_ends_the_job(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT k FROM g")
    assert result.is_unbounded
    with result.collect() as rows:
        assert {next(rows).k for _ in range(200)} == {0, 1, 2, 3, 4}
    assert has_ended(result)


def test_a_query_over_tables_that_end_is_not_endless(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (a)")
    assert not result.is_unbounded
    assert result.to_arrow(apply_changes=True).to_pydict() == {"EXPR$0": [2]}


def test_max_rows_ends_the_rows_and_the_job(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT k FROM g")
    assert len(list(result.collect(max_rows=1_234))) == 1_234
    assert has_ended(result)


def test_a_timeout_ends_the_rows_and_the_job_though_no_more_rows_come(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT k FROM slow")
    started = time.monotonic()
    rows = list(result.collect(timeout=0.3))
    assert 1 <= len(rows) <= 2
    assert time.monotonic() - started < 5
    assert has_ended(result)


@pytest.mark.parametrize("limits", [{"max_rows": 5}, {"timeout": 0.2}, {"max_rows": 5, "timeout": 60.0}])
def test_arrow_tables_and_batches_take_limits(env: TableEnvironment, limits: dict[str, float]) -> None:
    for read in (
        lambda result: result.to_arrow(**limits).num_rows,
        lambda result: sum(batch.num_rows for batch in result.to_batches(**limits)),
    ):
        result = env.execute_sql("SELECT k FROM g")
        count = read(result)
        assert count == 5 if "max_rows" in limits else count >= 1
        assert has_ended(result)


def test_batches_come_without_a_limit(env: TableEnvironment) -> None:
    result = env.execute_sql(KEYED)
    batches = result.to_batches()
    assert next(batches).schema.names == ["k", "n", "$row_kind"]
    batches.close()
    assert has_ended(result)


@pytest.mark.parametrize("method", ["to_arrow", "to_pandas"])
def test_a_whole_table_of_an_endless_query_is_refused(env: TableEnvironment, method: str) -> None:
    with pytest.raises(TableException, match=rf"{method}\(\) needs all rows, but this query is unbounded") as caught:
        getattr(env.execute_sql(KEYED), method)()
    assert "live()" in (caught.value.hint or "")


@pytest.mark.parametrize("limits", [{"max_rows": -1}, {"timeout": -0.5}])
def test_a_negative_limit_is_refused(env: TableEnvironment, limits: dict[str, float]) -> None:
    with pytest.raises(ValidationException, match="must not be negative, but is -"):
        env.execute_sql("SELECT k FROM g").collect(**limits)  # type: ignore[arg-type]  # one of both


def test_limits_count_for_statements_without_a_job() -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    assert len(list(env.execute_sql("SHOW FUNCTIONS").collect(max_rows=3))) == 3
    assert env.execute_sql("SHOW FUNCTIONS").to_arrow(max_rows=3).num_rows == 3


def test_limit_over_insertions_ends_the_job(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT k FROM g LIMIT 7")
    assert not result.is_unbounded
    assert len(list(result.collect())) == 7
    client = result.get_job_client()
    assert client is not None
    assert client.get_job_status() is JobStatus.FINISHED


def test_a_query_that_a_limit_ends_has_a_whole_table(env: TableEnvironment) -> None:
    assert env.execute_sql("SELECT k FROM g LIMIT 7").to_arrow().num_rows == 7
    assert env.from_path("g").head(3).execute().to_arrow().num_rows == 3
    updating = env.execute_sql("SELECT k, COUNT(*) AS n FROM g GROUP BY k ORDER BY n DESC LIMIT 2")
    assert updating.is_unbounded
    updating.collect().close()


# --- the live table ---------------------------------------------------------------------------------------------------------------------


def test_the_live_table_follows_the_changes_and_is_consistent(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY VIEW counts AS SELECT k, COUNT(*) AS n FROM g GROUP BY k")
    result = env.execute_sql("SELECT k, n, 10 * n AS ten FROM counts")
    totals = []
    with result.live() as live:
        assert live.wait(1, timeout=20)
        for _ in range(20):
            assert live.wait(timeout=20)
            version, table = live.version, live.to_arrow()
            assert version >= len(totals)
            rows = table.to_pylist()
            assert len({row["k"] for row in rows}) == len(rows), "a key has its old and its new row"
            assert all(row["ten"] == 10 * row["n"] for row in rows)
            totals.append(sum(row["n"] for row in rows))
    assert totals == sorted(totals)
    assert totals[-1] > totals[0]
    assert len(live) == 5
    assert live.has_ended
    assert has_ended(result)


def test_waiting_for_a_version_that_does_not_come_ends_with_the_timeout(env: TableEnvironment) -> None:
    with env.execute_sql("SELECT k FROM slow").live() as live:
        assert live.wait(1, timeout=20)
        assert not live.wait(1_000, timeout=0.05)


def test_the_live_table_raises_the_failure_of_the_query(env: TableEnvironment) -> None:
    with env.execute_sql("SELECT 10 / (k - 2) AS x FROM g").live() as live:
        for call in (lambda: live.wait_for_end(20), live.to_arrow):
            with pytest.raises(Exception, match=r"[Dd]ivision"):
                call()


def test_the_live_table_of_a_query_that_ends_is_its_result(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT w, COUNT(*) AS n FROM (VALUES ('a'), ('b'), ('a')) AS t (w) GROUP BY w")
    with result.live() as live:
        assert live.wait_for_end(20)
        assert sorted(row["n"] for row in live.to_arrow().to_pylist()) == [1, 2]
        assert not live.wait(1_000)


def test_a_statement_without_a_job_has_no_live_table(env: TableEnvironment) -> None:
    with pytest.raises(TableException, match="live\\(\\) is for the rows of queries"):
        env.execute_sql("SHOW TABLES").live()


# --- asynchronous iteration -------------------------------------------------------------------------------------------------------------


def test_rows_come_in_an_event_loop_while_others_run(env: TableEnvironment) -> None:
    results = [env.execute_sql("SELECT k FROM g"), env.execute_sql(KEYED)]

    async def first(result: TableResult, count: int) -> list[object]:
        found: list[object] = []
        async with aclosing(aiter(result)) as rows:
            async for row in rows:
                found.append(row)
                if len(found) == count:
                    break
        return found

    async def main() -> list[list[object]]:
        return await asyncio.wait_for(asyncio.gather(*(first(result, 50) for result in results)), 30)

    assert [len(rows) for rows in asyncio.run(main())] == [50, 50]
    assert all(map(has_ended, results))


def test_cancelling_the_task_ends_the_job(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT k FROM slow WHERE k > 100")  # waits forever

    async def read() -> None:
        async for _ in result:
            pass

    async def main() -> None:
        task = asyncio.create_task(read())
        await asyncio.sleep(0)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(task, 0.1)

    asyncio.run(main())
    assert has_ended(result)


def test_all_rows_of_a_statement_that_ends_come(env: TableEnvironment) -> None:
    async def read(result: TableResult) -> list[tuple[object, ...]]:
        return [tuple(row) async for row in result]

    assert asyncio.run(read(env.execute_sql("SELECT a FROM (VALUES (1), (2)) AS t (a)"))) == [(1,), (2,)]
    assert asyncio.run(read(env.execute_sql("SHOW TABLES"))) == [("g",), ("slow",)]


# --- printing ----------------------------------------------------------------------------------------------------------------------------


def _interrupt_when(holds: Callable[[], bool]) -> threading.Thread:
    """Presses Ctrl-C when something holds."""

    def wait() -> None:
        deadline = time.monotonic() + 20
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_print_writes_rows_until_ctrl_c(env: TableEnvironment) -> None:
    output = io.StringIO()
    result = env.execute_sql(KEYED)
    thread = _interrupt_when(lambda: output.getvalue().count("+U") > 10)
    result.print(output)
    thread.join()
    lines = output.getvalue().splitlines()
    assert lines[0].startswith("+--")
    assert lines[-2] == lines[0], "the table is complete"
    assert lines[-1].endswith("rows in set")
    assert has_ended(result)
