"""Which rows a running job takes, and what passes while there are none."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job.in_process import loop, stalled_operators
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
TIMED = "k INT, t INT, ts AS TO_TIMESTAMP_LTZ(t, 0), WATERMARK FOR ts AS ts"
WINDOWS = "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"


def values(rows: Any, count: int) -> list[Any]:
    return [row[0] for row in islice(rows, count)]


def test_no_source_starves_another(env: TableEnvironment, log_table: LogTable) -> None:
    first, second = log_table(env, "a", "k INT"), log_table(env, "b", "k INT")
    append_lines(first, "0", [[1]] * 200_000)
    append_lines(second, "0", [[2]])
    with env.execute_sql("SELECT k FROM a UNION ALL SELECT k FROM b").collect() as rows:
        assert 2 in values(rows, 150_000)


def test_the_watermark_is_the_least_of_the_splits(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", TIMED)
    append_lines(log, "0", [[1, 1], [1, 100]])
    append_lines(log, "1", [[1, 2]])
    with env.execute_sql(WINDOWS).collect() as rows:
        append_lines(log, "1", [[1, 3], [1, 50]])
        assert values(rows, 1) == [3]


@pytest.mark.parametrize("start", [-3600, -100, 0])
def test_windows_of_times_before_1970_end(start: int, env: TableEnvironment, log_table: LogTable) -> None:
    append_lines(log_table(env, "t", TIMED), "0", [[1, start + second] for second in (0, 5, 12, 20)])
    with env.execute_sql(WINDOWS).collect() as rows:
        assert values(rows, 2) == [2, 1]
    seen = "SELECT CAST(FLOOR(UNIX_TIMESTAMP(CAST(CURRENT_WATERMARK(ts) AS STRING))) AS INT) FROM t"
    with env.execute_sql(seen).collect() as rows:
        assert values(rows, 4) == [None, start, start + 5, start + 12]


def test_an_idle_split_holds_nobody_back(env: TableEnvironment, log_table: LogTable) -> None:
    env.get_config().set("table.exec.source.idle-timeout", "200 ms")
    log = log_table(env, "t", TIMED)
    append_lines(log, "1", [[1, 2]])
    with env.execute_sql(WINDOWS).collect() as rows:
        append_lines(log, "0", [[1, 1]])
        has_ended = threading.Event()

        def speak() -> None:
            while not has_ended.wait(0.05):
                append_lines(log, "0", [[1, 100]])

        speaker = threading.Thread(target=speak)
        speaker.start()
        try:
            assert values(rows, 1) == [2]
        finally:
            has_ended.set()
            speaker.join()


IN_PROCESSING_TIME = {
    "windows": "SELECT COUNT(*) FROM {tumble} GROUP BY window_start, window_end",
    "cumulative windows": "SELECT COUNT(*) FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(p), INTERVAL '0.3' SECOND, INTERVAL '0.9' SECOND)) GROUP BY window_start, window_end",
    "sessions": "SELECT COUNT(*) FROM TABLE(SESSION(TABLE t, DESCRIPTOR(p), INTERVAL '0.3' SECOND)) GROUP BY window_start, window_end",
    "first rows of windows": "SELECT k FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY k) AS n FROM {tumble}) WHERE n = 1",
    "join of times": "SELECT t.k FROM t LEFT JOIN other ON t.k = other.k AND other.p BETWEEN t.p AND t.p + INTERVAL '0.3' SECOND",
}
TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '0.3' SECOND))"


@pytest.mark.parametrize("query", IN_PROCESSING_TIME.values(), ids=IN_PROCESSING_TIME)
def test_operators_over_processing_time_are_called_when_they_have_something_to_do(
    query: str, env: TableEnvironment, log_table: LogTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_UPKEEP_SECONDS", 1e9)  # time passes for no other reason
    ticks = []
    advance = GraphRun.advance_clock

    def counted(run: GraphRun) -> None:
        ticks.append(1)
        advance(run)

    monkeypatch.setattr(GraphRun, "advance_clock", counted)
    log_table(env, "other", "k INT, p AS PROCTIME()")
    append_lines(log_table(env, "t", "k INT, p AS PROCTIME()"), "0", [[1]])
    with env.execute_sql(query.format(tumble=TUMBLE)).collect() as rows:
        assert values(rows, 1) == [1]
        assert len(ticks) <= 5  # one for the row and one for the result, and for rows that are split; every 20 ms it would be 15


def test_lines_that_are_ignored_are_a_metric_and_a_loss(env: TableEnvironment, tmp_path: Path, eventually: Eventually) -> None:
    (tmp_path / "in").mkdir()
    env.execute_sql(
        f"CREATE TABLE f (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'in'}', 'format' = 'json', "
        "'source.monitor-interval' = '10 ms', 'json.ignore-parse-errors' = 'true')"
    )
    result = env.execute_sql("SELECT k FROM f")
    client = result.get_job_client()
    assert client is not None
    for name, bad in (("a", "no JSON"), ("b", "{")):
        (tmp_path / "in" / f".{name}").write_text(f'{{"k": 1}}\n{bad}\n')
        (tmp_path / "in" / f".{name}").rename(tmp_path / "in" / name)
    with result.collect() as rows:
        assert values(rows, 2) == [1, 1]
        eventually(lambda: client.get_metrics()["Source[1].numRecordsInErrors"] == 2)
        assert [text.partition(" ignored ")[2].partition(":")[0] for text in client.get_warnings()] == ["2 messages or values"]


def test_mini_batches_wait_for_their_size(env: TableEnvironment, log_table: LogTable) -> None:
    config = env.get_config().set("table.exec.mini-batch.enabled", "true").set("table.exec.mini-batch.size", "4")
    config.set("table.exec.mini-batch.allow-latency", "20 s").set("table.exec.sink.commit-interval", "1 h")  # an epoch ends a mini-batch
    log = log_table(env, "t", "k INT")
    append_lines(log, "0", [[1], [1], [1]])
    with env.execute_sql("SELECT COUNT(*) FROM t GROUP BY k").collect() as rows:
        append_lines(log, "0", [[1], [1]])
        assert values(rows, 1)[0] in (4, 5)


def test_a_batch_has_at_most_64k_rows(env: TableEnvironment, log_table: LogTable, monkeypatch: pytest.MonkeyPatch) -> None:
    from table_runtime.columns.batches import BATCH_ROWS
    from table_runtime.streaming.graph.graph_run import GraphRun

    sizes: list[int] = []
    push = GraphRun.push

    def noted(run: GraphRun, edges: Any, batch: Any, split: str = "") -> None:
        sizes.append(batch.num_rows)
        push(run, edges, batch, split)

    monkeypatch.setattr(GraphRun, "push", noted)
    append_lines(log_table(env, "t", "k INT"), "0", [[1]] * 150_000)
    with env.execute_sql("SELECT k FROM t").collect() as rows:
        values(rows, 150_000)
    assert max(sizes) <= BATCH_ROWS


def test_a_failure_of_a_source_ends_the_job(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT")
    (log / "0.jsonl").write_text("broken\n")
    with pytest.raises(TableRuntimeException, match=r"Reading default_catalog\.default_database\.t failed"):
        list(env.execute_sql("SELECT k FROM t").collect())


def test_an_operator_that_waits_for_a_table_says_so(
    env: TableEnvironment, log_table: LogTable, monkeypatch: pytest.MonkeyPatch, eventually: Eventually, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(stalled_operators, "LONG_SECONDS", 0.3)
    facts, rates = log_table(env, "t", TIMED), log_table(env, "rates", f"{TIMED}, PRIMARY KEY (k) NOT ENFORCED")
    append_lines(rates, "0", [[1, 1], [1, 10]])
    append_lines(facts, "0", [[1, 5], [1, 60]])
    sql = "SELECT t.k, t.t FROM t JOIN rates FOR SYSTEM_TIME AS OF t.ts ON t.k = rates.k"
    with env.execute_sql(sql).collect() as rows:
        assert values(rows, 1) == [1]
        pattern = r"TemporalJoin waits for default_catalog\.default_database\.rates: no rows for \d+ s, watermark 1970-01-01 00:00:10\."
        eventually(lambda: any(re.fullmatch(pattern, record.getMessage()) for record in caplog.records))
