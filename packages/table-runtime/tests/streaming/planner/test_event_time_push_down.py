"""What the source of a table with WATERMARK is given in streaming mode, and that its rows stay the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider
from table_common.exceptions import ValidationException
from table_runtime.connectors.memory import drop_memory_table
from table_runtime.connectors.memory.source import MemoryScan, MemoryTableSource

COLUMNS = "id INT, s STRING, x DOUBLE, ts AS TO_TIMESTAMP(s), y AS x + 1, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
QUERIES = (
    "SELECT * FROM t",
    "SELECT y FROM t",
    "SELECT id FROM t WHERE ts > TIMESTAMP '2020-01-01 00:00:06'",
    "SELECT a.id, b.ts FROM t AS a JOIN t AS b ON a.id = b.id",
    "SELECT ts, y, s FROM t WHERE y > 1",
    "SELECT x FROM (SELECT x, ts FROM t WHERE x > 1) WHERE EXTRACT(SECOND FROM ts) > 1",
    "SELECT id, ts FROM t WHERE id IN (SELECT id FROM t WHERE ts IS NULL)",
    "WITH a AS (SELECT ts, y FROM t) SELECT * FROM a UNION ALL SELECT ts, y + 1 FROM a WHERE ts IS NOT NULL",
)


def environment(*, streaming: bool, columns: str = COLUMNS, options: str = "") -> TableEnvironment:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
    env.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'memory', 'name' = 'event-time'{options})")
    return env


@pytest.fixture(autouse=True)
def rows() -> Iterator[None]:
    draw = random.Random(5)
    with environment(streaming=False, columns="id INT, s STRING, x DOUBLE") as env:
        values = [f"({number}, '2020-01-01 00:00:{draw.randrange(60):02d}', {number % 4}e0)" for number in range(30)]
        env.execute_sql(f"INSERT INTO t VALUES {', '.join(values)}")
    yield
    drop_memory_table("event-time")


def plan(env: TableEnvironment, query: str) -> str:
    return env.explain_sql(query).split("== Optimized Logical Plan ==")[1].split("== Physical")[0]


def result(env: TableEnvironment, query: str) -> list[str]:
    return sorted(repr(list(row)) for row in env.execute_sql(query).collect())


def test_the_scan_shows_the_watermark_and_the_column_it_needs() -> None:
    with environment(streaming=True) as env:
        assert "fields=[id, s, x, ts], computed=[ts], watermark=[(ts - INTERVAL '5' SECOND)]" in plan(env, "SELECT * FROM t")
        assert plan(env, "SELECT * FROM t").count("TO_TIMESTAMP") == 0
        assert "fields=[s, x, ts], computed=[ts]" in plan(env, "SELECT y FROM t")


def test_batch_mode_has_no_watermarks() -> None:
    with environment(streaming=False) as env:
        assert "watermark" not in plan(env, "SELECT * FROM t")


def test_a_computed_column_that_the_watermark_does_not_need_stays_above_the_scan() -> None:
    with environment(streaming=True, columns="id INT, s STRING, w TIMESTAMP(3), ts AS TO_TIMESTAMP(s), WATERMARK FOR w AS w") as env:
        text = plan(env, "SELECT ts FROM t")
        assert "TO_TIMESTAMP(s)" in text
        assert "fields=[s, w], watermark=[w]" in text


@pytest.mark.parametrize("query", QUERIES)
def test_rows_are_those_of_batch_mode_where_nothing_is_pushed(query: str) -> None:
    with environment(streaming=False) as batch, environment(streaming=True) as streaming:
        assert "watermark=" in plan(streaming, query)
        assert result(streaming, query) == result(batch, query)


@pytest.mark.parametrize(("strategy", "kind"), [("on-periodic", PeriodicAssignerProvider), ("on-event", PunctuatedAssignerProvider)])
def test_the_source_is_told_when_to_emit(strategy: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(MemoryTableSource, "apply_watermark", lambda self, provider: told.append(provider))
    with environment(streaming=True, options=f", 'scan.watermark.emit.strategy' = '{strategy}'") as env:
        env.get_config().set("pipeline.auto-watermark-interval", "50 ms")
        env.explain_sql("SELECT * FROM t")
    assert type(told[0]) is kind
    assert getattr(told[0], "interval", timedelta(milliseconds=50)) == timedelta(milliseconds=50)


def test_the_source_makes_watermarks_of_the_batches_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[MemoryScan] = []
    read = MemoryScan.read
    monkeypatch.setattr(MemoryScan, "read", lambda self, split: (scans.append(self), read(self, split))[1])
    with environment(streaming=True) as env:
        times = [row[0] for row in env.execute_sql("SELECT ts FROM t WHERE ts IS NOT NULL").collect()]
    ((batch, watermark),) = scans[0].read_with_watermarks(0)
    assert batch.schema.names == ["s", "ts"]
    assert watermark == round((max(times) - timedelta(seconds=5) - datetime(1970, 1, 1)).total_seconds() * 1000)


def test_a_source_can_have_watermarks_of_its_own() -> None:
    columns = "id INT, s STRING, w TIMESTAMP_LTZ(3), WATERMARK FOR w AS SOURCE_WATERMARK()"
    with environment(streaming=True, columns=columns) as env:
        assert "source=[memory(event-time, source watermark)], fields=[id], watermark=[SOURCE_WATERMARK()]" in plan(env, "SELECT id FROM t")


def test_a_source_without_watermarks_of_its_own_is_named() -> None:
    with environment(streaming=True) as env:
        env.execute_sql(
            "CREATE TABLE n (x TIMESTAMP_LTZ(3), WATERMARK FOR x AS SOURCE_WATERMARK()) WITH ('connector' = 'datagen', 'number-of-rows' = '1')"
        )
        with pytest.raises(ValidationException, match=r"n` declares SOURCE_WATERMARK\(\).*does not generate watermarks"):
            env.explain_sql("SELECT * FROM n")


def test_a_watermark_that_the_source_cannot_make_stays_in_the_plan() -> None:
    with environment(streaming=True) as env:
        env.execute_sql(
            "CREATE TABLE n (x TIMESTAMP(3), WATERMARK FOR x AS x - INTERVAL '1' SECOND) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
        )
        assert "WatermarkAssigner(rowtime=[x], watermark=[(x - INTERVAL '1' SECOND)])" in plan(env, "SELECT * FROM n")
        assert len(result(env, "SELECT * FROM n")) == 3


def test_an_unknown_emit_strategy_is_named() -> None:
    with (
        environment(streaming=True, options=", 'scan.watermark.emit.strategy' = 'sometimes'") as env,
        pytest.raises(ValidationException, match=r"scan\.watermark\.emit\.strategy"),
    ):
        env.explain_sql("SELECT * FROM t")


def test_conditions_and_limits_reach_the_source_through_a_watermark_that_stays(tmp_path: Path) -> None:
    with environment(streaming=True) as env:
        env.execute_sql(
            "CREATE TABLE f (a INT, s STRING, p STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts) PARTITIONED BY (p) "
            f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')"
        )
        env.execute_sql(
            "INSERT INTO f VALUES (1, '2020-01-01 00:00:00', 'x'), (2, '2020-01-01 00:00:01', 'y'), (3, '2020-01-01 00:00:02', 'x')"
        )
        query = "SELECT a FROM f WHERE p = 'x' AND a > 1 AND ts > TIMESTAMP '2020-01-01 00:00:01'"
        text = plan(env, query)
        assert "fields=[a, s], partitions=[p=x], filters=[(a > 1)]" in text
        assert text.index("Filter(") < text.index("WatermarkAssigner(") < text.index("TO_TIMESTAMP") < text.index("TableScan(")
        assert result(env, query) == ["[3]"]
        assert "limit=[1]" in plan(env, "SELECT a FROM f LIMIT 1")


def test_a_partition_that_is_left_out_whole_leaves_no_rows_below_the_watermark(tmp_path: Path) -> None:
    with environment(streaming=True) as env:
        env.execute_sql(
            "CREATE TABLE f (a INT, p STRING, w TIMESTAMP(3), WATERMARK FOR w AS w) PARTITIONED BY (p) "
            f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')"
        )
        env.execute_sql("INSERT INTO f VALUES (1, 'x', TIMESTAMP '2020-01-01 00:00:00')")
        assert result(env, "SELECT a FROM f WHERE p = 'y'") == []


def test_fields_of_rows_are_read_alone_below_a_watermark() -> None:
    with environment(streaming=True, columns="id INT, r ROW<a INT, b INT>, w TIMESTAMP(3), WATERMARK FOR w AS w") as env:
        text = plan(env, "SELECT r.a FROM t WHERE id + r.a > 1")
        assert "nested=[r.a]" in text
        assert "watermark=[w]" in text


@pytest.mark.parametrize("connector", ["'filesystem', 'path' = '/none', 'format' = 'csv'", "'datagen', 'number-of-rows' = '1'"])
def test_every_connector_has_the_emit_strategy(connector: str) -> None:
    with environment(streaming=True) as env:
        env.execute_sql(
            f"CREATE TABLE n (x TIMESTAMP(3), WATERMARK FOR x AS x) WITH ('connector' = {connector}, 'scan.watermark.emit.strategy' = 'on-event')"
        )
        assert "WatermarkAssigner" in plan(env, "SELECT * FROM n")
