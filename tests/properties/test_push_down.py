"""Push-down does not change results: random queries with and without push-down, on the embedded engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.arrow import apply_changes
from table_runtime.connectors.memory import drop_memory_table
from table_testing.rounds import rounds

CONDITIONS = (
    "k = 1",
    "k IS NULL",
    "k > 0 OR s = 'b'",
    "k IN (1, 3) AND i > 2",
    "t.r.a < 5",
    "i <> 3",
    "UPPER(s) = 'A'",
    "d IS NULL OR t.r.b.c LIKE 'x%'",
    "k = i",
    "MOD(k, 2) = 1",
)
VALUES = ("i", "s", "k", "t.r.a", "t.r.b.c", "t.r.b", "r", "d", "i + t.r.a", "COALESCE(t.r.b.c, s)")
AGGREGATES = (
    "COUNT(*)",
    "COUNT(d)",
    "SUM(i)",
    "MIN(i)",
    "MAX(d)",
    "AVG(d)",
    "AVG(i)",
    "AVG(k)",
    "COUNT(DISTINCT s)",
    "SUM(t.r.a)",
    "MIN(s)",
)
KEYS = ("s", "k", "i", "t.r.a")


@pytest.fixture(scope="module")
def env() -> Iterator[TableEnvironment]:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true")
    env.execute_sql(
        "CREATE TABLE t (i INT, s STRING, d DOUBLE, r ROW<a INT, b ROW<c STRING>>, k INT) PARTITIONED BY (k) "
        "WITH ('connector' = 'memory', 'name' = 'property', 'splits' = '3')"
    )
    draw = random.Random(7)
    rows = []
    for number in range(40):
        r = (
            f"ROW({draw.randrange(9)}, ROW('{draw.choice('xyz')}{number}'))"
            if draw.random() > 0.2
            else "CAST(NULL AS ROW<a INT, b ROW<c STRING>>)"
        )
        k = draw.choice(("1", "2", "3", "CAST(NULL AS INT)"))
        d = draw.choice((f"{number / 4}e0", "CAST(NULL AS DOUBLE)"))
        rows.append(f"({draw.randrange(6)}, '{draw.choice('abc')}', {d}, {r}, {k})")
    env.execute_sql(f"INSERT INTO t VALUES {', '.join(rows)}")
    yield env
    env.close()
    drop_memory_table("property")


@pytest.fixture(scope="module")
def streaming(env: TableEnvironment) -> Iterator[TableEnvironment]:
    """The same table with event time, in streaming mode."""
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as made:
        made.execute_sql(
            "CREATE TABLE t (i INT, s STRING, d DOUBLE, r ROW<a INT, b ROW<c STRING>>, k INT, twice AS i * 2, "
            "ts AS TO_TIMESTAMP(CONCAT('2020-01-01 00:00:0', CAST(i AS STRING))), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) "
            "PARTITIONED BY (k) WITH ('connector' = 'memory', 'name' = 'property', 'splits' = '3')"
        )
        yield made


def query(draw: random.Random) -> str:
    where = f" WHERE {' AND '.join(f'({c})' for c in draw.sample(CONDITIONS, draw.randrange(1, 3)))}" if draw.random() < 0.7 else ""
    if draw.random() < 0.5:
        values = draw.sample(VALUES, draw.randrange(1, 4))
        return f"SELECT {', '.join(f'{v} AS c{i}' for i, v in enumerate(values))} FROM t{where}"
    keys = draw.sample(KEYS, draw.randrange(0, 3))
    values = [*keys, *draw.sample(AGGREGATES, draw.randrange(1, 4))]
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(f'{v} AS c{i}' for i, v in enumerate(values))} FROM t{where}{group}"


def rows(env: TableEnvironment, text: str) -> list[str]:
    """Returns the rows that remain after all changes, sorted."""

    def rounded(value: Any) -> Any:
        return round(value, 9) if isinstance(value, float) else value

    result = env.execute_sql(text)
    width = len(result.get_resolved_schema().columns)
    remaining = apply_changes(result.to_arrow(), width)
    columns = [[rounded(value) for value in column.to_pylist()] for column in remaining.columns]
    return sorted(map(repr, zip(*columns, strict=True)))


def test_rows_are_the_same_with_and_without_push_down(env: TableEnvironment, size: int, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(len(rounds(100)) * size):
        text = query(draw)
        assert rows(env, text) == rows(env, text.replace("FROM t", "FROM t /*+ OPTIONS('push-down' = 'false') */")), text


def test_rows_are_the_same_with_and_without_push_down_through_a_watermark(
    env: TableEnvironment, streaming: TableEnvironment, size: int, seed: int
) -> None:
    draw = random.Random(seed)
    for _ in range(len(rounds(100)) * size):
        text = query(draw)
        timed = draw.choice((text, text.replace("i <> 3", "ts > TIMESTAMP '2020-01-01 00:00:03'").replace("k = i", "twice > k")))
        found = rows(streaming, timed)
        assert found == rows(streaming, timed.replace("FROM t", "FROM t /*+ OPTIONS('push-down' = 'false') */")), timed
        if timed == text and found:  # in streaming mode a total over no rows has no row
            assert found == rows(env, text), text
