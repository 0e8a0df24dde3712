"""Joins in event time over random files without late rows give the rows of batch mode: interval joins the same join, versions the newest one at each time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment

DELAY = 5
"""Seconds by which watermarks are behind."""
DISORDER = {"l": DELAY - 1, "r": DELAY - 1, "v": 0}
"""Seconds by which a row of each table may come after one that is later."""
RUNS = 12


def write(chance: random.Random, file: Path, rows: int, disorder: int) -> None:
    """Writes rows of number, key, value and time; ``N`` is NULL."""
    file.parent.mkdir(parents=True, exist_ok=True)
    second, lines = 10, []
    for number in range(rows):
        second += chance.choice([0, 0, 1, 2])
        key, value = chance.choice(["a", "b", "c", "N"]), chance.choice(["N", 1, 2, 3, 4])
        at = second - chance.randint(0, disorder)
        lines.append(f"{number},{key},{value},2026-01-01 00:{at // 60:02d}:{at % 60:02d}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def environment(folder: Path, *, is_streaming: bool) -> TableEnvironment:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    env = TableEnvironment.create((builder.in_streaming_mode() if is_streaming else builder.in_batch_mode()).build())
    for table in DISORDER:
        env.execute_sql(
            f"CREATE TABLE {table} (id INT, k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '{DELAY}' SECOND) "
            f"WITH ('connector' = 'filesystem', 'path' = '{folder / table}', 'format' = 'csv', 'csv.null-literal' = 'N')"
        )
    return env


@pytest.fixture
def runs(tmp_path: Path, seed: int) -> Iterator[tuple[random.Random, TableEnvironment, TableEnvironment]]:
    """Yields a streaming and a batch environment over random files, several times."""

    def run() -> Iterator[tuple[random.Random, TableEnvironment, TableEnvironment]]:
        for number in range(RUNS):
            chance = random.Random(f"{seed} {number}")
            folder = tmp_path / str(number)
            for table, disorder in DISORDER.items():
                write(chance, folder / table / "rows.csv", chance.choice([0, 1, 30, 80]) if number % 4 == 3 else 60, disorder)
            with environment(folder, is_streaming=True) as streaming, environment(folder, is_streaming=False) as batch:
                yield chance, streaming, batch

    return run()


def rows(env: TableEnvironment, query: str) -> list[str]:
    return sorted(repr(tuple(row)) for row in env.execute_sql(query).collect())


def condition(chance: random.Random) -> str:
    first, last = sorted(chance.randint(-8, 8) for _ in range(2))
    bounds = chance.choice(
        [
            f"l.ts BETWEEN r.ts + INTERVAL '{first}' SECOND AND r.ts + INTERVAL '{last}' SECOND",
            f"l.ts > r.ts + INTERVAL '{first}' SECOND AND r.ts >= l.ts - INTERVAL '{last}' SECOND",
            f"r.ts < l.ts - INTERVAL '{first}' SECOND AND l.ts - INTERVAL '{last}' SECOND < r.ts",
            "l.ts = r.ts",
        ]
    )
    keys = chance.choice(["l.k = r.k", "l.k = r.k AND l.x = r.x", "l.k IS NOT DISTINCT FROM r.k", "l.k = r.k AND l.x < r.x"])
    return f"{keys} AND {bounds}"


def test_interval_joins_give_the_rows_of_batch_mode(
    runs: Iterator[tuple[random.Random, TableEnvironment, TableEnvironment]], seed: int
) -> None:
    found = 0
    for chance, streaming, batch in runs:
        for kind in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
            right = chance.choice(["r", "l"])
            query = f"SELECT l.id, l.ts, r.id, r.ts FROM l {kind} {right} AS r ON {condition(chance)}"
            assert "IntervalJoin(" in streaming.explain_sql(query), query
            result = rows(streaming, query)
            found += len(result)
            assert result == rows(batch, query), f"seed {seed}: {query}"
    assert found > 100


@pytest.mark.parametrize("kind", ["LEFT JOIN", "JOIN"])
@pytest.mark.parametrize("more", ["", " AND l.x <= v.x"])
def test_temporal_joins_give_the_newest_version_at_each_time(
    runs: Iterator[tuple[random.Random, TableEnvironment, TableEnvironment]], seed: int, kind: str, more: str
) -> None:
    for _, streaming, batch in runs:
        streaming.execute_sql(
            "CREATE TEMPORARY VIEW versions AS SELECT id, k, x, ts FROM "
            "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM v) WHERE n = 1"
        )
        result = rows(streaming, f"SELECT l.id, v.id, v.x FROM l {kind} versions FOR SYSTEM_TIME AS OF l.ts AS v ON l.k = v.k{more}")
        newest = (
            "SELECT id, k, x, vid FROM (SELECT l.id, l.k, l.x, v.id AS vid, ROW_NUMBER() OVER (PARTITION BY l.id ORDER BY v.ts DESC, v.id DESC) AS n "
            "FROM l LEFT JOIN v ON l.k = v.k AND v.ts <= l.ts) WHERE n = 1"
        )
        assert result == rows(batch, f"SELECT l.id, v.id, v.x FROM ({newest}) AS l {kind} v ON l.vid = v.id{more}"), f"seed {seed}"
