"""Each family of the embedded engine's kernels and operators: rows per second of processor time, compared with DuckDB where it has the same.

    python benchmarks/kernels.py [--rows 1000000] [--rounds 3] [--only REGEX] [--seed 1] [--smoke]

Both engines read the same Arrow tables in the process. A query gives one row, except for the ones whose result is the subject, as ``collect()``. Both sides
answer once before the rounds, and their answers are compared; in each round both answer in turn. The figures are processor time: ours, theirs, the
median of the rounds' ratios, and millions of input rows per second of ours.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from harness.pairing import interleaved, medians, timed
from harness.rows import first_difference

from table_api import EnvironmentSettings, TableEnvironment

KEYS = 1_000
STATEMENTS = 1_000
"""How many times the small statement runs in one measurement."""


@dataclass(frozen=True)
class Kernel:
    """A query in Flink's dialect over ``t`` and ``u``, and in DuckDB's."""

    name: str
    ours: str
    duckdb: str | None = ""
    """Empty: the same text; None: DuckDB has nothing like it."""
    is_collected: bool = False
    """Whether the rows are fetched as Python objects instead of Arrow."""


_BAND = "SELECT COUNT(*), SUM(a.l + b.l) FROM t AS a JOIN u AS b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '1' SECOND"
_BAND_BY_SECOND = """SELECT count(*), sum(a.l + b.l) FROM (SELECT k, ts, l, unnest([epoch_us(ts) // 1000000, epoch_us(ts) // 1000000 + 1]) AS second FROM t) AS a
    JOIN (SELECT k, ts, l, epoch_us(ts) // 1000000 AS second FROM u) AS b
    ON a.k = b.k AND a.second = b.second AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 SECOND"""
"""The band join written for a hash join: DuckDB would compare all pairs of a key, for minutes."""
_MATCHES = """SELECT COUNT(*), MAX(last_i) FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(c.i) AS last_i
    ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (a b+ c) DEFINE {}) AS m"""

KERNELS = (
    Kernel("filter", "SELECT COUNT(*), MAX(d) FROM t WHERE i > 500000 AND d < 0.5"),
    Kernel("arithmetic", "SELECT SUM(l * 3 + i), MAX(d * 2 + 1) FROM t"),
    Kernel("decimals", "SELECT SUM(p * 2), MAX(p + p) FROM t"),
    Kernel("DOUBLE to DECIMAL", "SELECT COUNT(*) FROM t WHERE CAST(d AS DECIMAL(10, 2)) > 0.50"),
    Kernel("CASE", "SELECT SUM(CASE WHEN i < 1000 THEN 1 WHEN d > 0.5 THEN 2 ELSE 3 END) FROM t"),
    Kernel("strings", "SELECT MAX(UPPER(SUBSTRING(s FROM 2 FOR 4) || 'x')) FROM t"),
    Kernel("LIKE", "SELECT COUNT(*) FROM t WHERE s LIKE '%99%'"),
    Kernel("regular expression", "SELECT COUNT(*) FROM t WHERE REGEXP(s, '9+1')", "SELECT count(*) FROM t WHERE regexp_matches(s, '9+1')"),
    Kernel("temporal", "SELECT MAX(EXTRACT(DAY FROM ts) + EXTRACT(HOUR FROM ts)) FROM t"),
    Kernel("cast to text", "SELECT MAX(CAST(l AS STRING)) FROM t", "SELECT max(CAST(l AS VARCHAR)) FROM t"),
    Kernel("JSON_VALUE", "SELECT MAX(JSON_VALUE(j, '$.b.c')) FROM t", "SELECT max(j ->> '$.b.c') FROM t"),
    Kernel(
        "three JSON_VALUE",
        "SELECT MAX(JSON_VALUE(j, '$.a' RETURNING INT)), MAX(JSON_VALUE(j, '$.b.c')), MAX(JSON_VALUE(j, '$.e[1]')) FROM t",
        "SELECT max(CAST(j ->> '$.a' AS INT)), max(j ->> '$.b.c'), max(j ->> '$.e[1]') FROM t",
    ),
    Kernel("JSON_EXISTS", "SELECT COUNT(*) FROM t WHERE JSON_EXISTS(j, '$.b.c')", "SELECT count(*) FROM t WHERE json_exists(j, '$.b.c')"),
    Kernel("JSON_QUERY", "SELECT MAX(JSON_QUERY(j, '$.e')) FROM t", "SELECT max(CAST(j -> '$.e' AS VARCHAR)) FROM t"),
    Kernel("aggregate, 1 group", "SELECT SUM(l), MIN(d), MAX(i), COUNT(s) FROM t"),
    Kernel("aggregate, few groups", "SELECT COUNT(*), MAX(m) FROM (SELECT k, SUM(l) AS m, MIN(d) FROM t GROUP BY k) AS g"),
    Kernel("aggregate, many groups", "SELECT COUNT(*), MAX(m) FROM (SELECT i, SUM(l) AS m, MIN(d) FROM t GROUP BY i) AS g"),
    Kernel("aggregate by string", "SELECT COUNT(*), MAX(m) FROM (SELECT s, SUM(l) AS m FROM t GROUP BY s) AS g"),
    Kernel("COUNT(DISTINCT)", "SELECT COUNT(DISTINCT i) FROM t"),
    Kernel("COUNT(DISTINCT) per key", "SELECT MAX(n) FROM (SELECT k, COUNT(DISTINCT s) AS n FROM t GROUP BY k) AS g"),
    Kernel("DISTINCT", "SELECT COUNT(*) FROM (SELECT DISTINCT k, s FROM t) AS g"),
    Kernel("sort", "SELECT i, d FROM t ORDER BY d, i"),
    Kernel("top-n", "SELECT i, d, s FROM t ORDER BY d, i LIMIT 10"),
    Kernel(
        "ROW_NUMBER <= 2",
        "SELECT COUNT(*), MAX(d) FROM (SELECT d, ROW_NUMBER() OVER (PARTITION BY k ORDER BY d) AS n FROM t) AS r WHERE n <= 2",
    ),
    Kernel("running sum", "SELECT MAX(total) FROM (SELECT SUM(l) OVER (PARTITION BY k ORDER BY ts) AS total FROM t) AS r"),
    Kernel(
        "sliding sum",
        "SELECT MAX(total) FROM (SELECT SUM(l) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS total FROM t) AS r",
    ),
    Kernel("hash join", "SELECT COUNT(*), SUM(a.l + b.l) FROM t AS a JOIN u AS b ON a.i = b.i"),
    Kernel("string join", "SELECT COUNT(*), SUM(b.n) FROM t AS a JOIN (SELECT s, COUNT(*) AS n FROM u GROUP BY s) AS b ON a.s = b.s"),
    Kernel("semi join", "SELECT COUNT(*) FROM t WHERE i IN (SELECT i FROM u WHERE d < 0.5)"),
    Kernel("band join", _BAND, _BAND_BY_SECOND),
    Kernel("INTERSECT", "SELECT COUNT(*) FROM (SELECT i FROM t INTERSECT SELECT i FROM u) AS g"),
    Kernel(
        "UNNEST",
        "SELECT COUNT(*), MAX(x) FROM t CROSS JOIN UNNEST(ARRAY[i, k]) AS a(x)",
        "SELECT count(*), max(x) FROM (SELECT unnest([i, k]) AS x FROM t)",
    ),
    Kernel(
        "tumbling window",
        "SELECT COUNT(*), MAX(m) FROM (SELECT k, SUM(l) AS m FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
        " GROUP BY k, window_start, window_end) AS g",
        "SELECT count(*), max(m) FROM (SELECT k, sum(l) AS m FROM t GROUP BY k, time_bucket(INTERVAL 1 MINUTE, ts))",
    ),
    Kernel("MATCH_RECOGNIZE", _MATCHES.format("a AS a.d < 0.3, b AS b.d >= 0.3 AND b.d < 0.8, c AS c.d >= 0.8"), None),
    Kernel(
        "MATCH_RECOGNIZE, LAST",
        _MATCHES.format("a AS a.d < 0.5, b AS b.d > LAST(b.d, 1) OR LAST(b.d, 1) IS NULL, c AS c.d < LAST(b.d)"),
        None,
    ),
    Kernel("collect()", "SELECT i, l, d, p, s, ts, k FROM t", is_collected=True),
)


def main() -> None:
    """Measures the chosen families and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="a regular expression that finds the names to measure")
    parser.add_argument("--seed", type=int, default=1, help="of the generated rows")
    parser.add_argument("--smoke", action="store_true", help="few rows and one round, as a smoke test")
    arguments = parser.parse_args()
    rows, rounds, statements = (5_000, 1, 20) if arguments.smoke else (arguments.rows, arguments.rounds, STATEMENTS)
    chosen = [kernel for kernel in KERNELS if re.search(arguments.only, kernel.name)]
    print(
        f"{rows} rows of {KEYS} keys, seed {arguments.seed}, {rounds} rounds; processor time in ms, and millions of rows per second of it"
    )
    print(f"{'':24}{'ours':>9}{'DuckDB':>9}{'ratio':>7}{'M rows/s':>10}")
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    ratios, wrong = [], []
    with TableEnvironment.create(settings) as env, duckdb.connect(config={"memory_limit": "8GB"}) as connection:
        for number, name in enumerate(("t", "u")):
            data = _rows(rows, arguments.seed + number)
            env.create_temporary_view(name, env.from_arrow(data))
            connection.register(name, data)
        for kernel in chosen:
            difference, ours, theirs, ratio = _measured(kernel, env, connection, rounds)
            compared = f"{theirs:9.1f}{ratio:7.2f}" if kernel.duckdb is not None else f"{'':>16}"
            print(f"{kernel.name:24}{ours:9.1f}{compared}{rows / ours / 1000:10.2f}  {difference or ''}".rstrip(), flush=True)
            ratios.extend([ratio] if kernel.duckdb is not None else [])
            wrong.extend([kernel.name] if difference else [])
        if re.search(arguments.only, "SELECT 1"):
            _small_statement(env, connection, statements)
    if ratios:
        print(f"geometric mean of ratios: {statistics.geometric_mean(ratios):.2f}")
    if wrong:
        raise SystemExit(f"Answers differ: {wrong}")


def _measured(
    kernel: Kernel, env: TableEnvironment, connection: duckdb.DuckDBPyConnection, rounds: int
) -> tuple[str | None, float, float, float]:
    """Returns how the answers differ, the milliseconds of both sides, and the ratio."""
    theirs_text = kernel.ours if kernel.duckdb == "" else kernel.duckdb

    def ours(text: str) -> Any:
        result = env.execute_sql(text)
        return list(result.collect()) if kernel.is_collected else result.to_arrow()

    def theirs(text: str | None) -> Any:
        if text is None:
            return None
        result = connection.execute(text)
        return result.fetchall() if kernel.is_collected else result.to_arrow_table()

    difference = _difference(kernel, ours(kernel.ours), theirs(theirs_text))
    timings = interleaved(ours, theirs, (kernel.ours, theirs_text), rounds, time.process_time)
    if theirs_text is None:
        return difference, statistics.median(one for one, _ in timings) * 1000, 0.0, 0.0
    return difference, *medians(timings)


def _difference(kernel: Kernel, ours: Any, theirs: Any) -> str | None:
    if theirs is None:
        return None
    if kernel.is_collected:
        return None if [tuple(row) for row in ours] == theirs else "rows differ"
    if ours.num_rows > 1_000:  # rows in the order of the query
        same = all(np.array_equal(one.to_numpy(), other.to_numpy()) for one, other in zip(ours.columns, theirs.columns, strict=True))
        return None if same else "rows differ"
    return first_difference(ours, theirs, ordered=True)


def _small_statement(env: TableEnvironment, connection: duckdb.DuckDBPyConnection, statements: int) -> None:
    """Prints the median milliseconds of one small statement, as they pass and of the processor."""

    def medians_of(run: Callable[[str], Sequence[Any]]) -> tuple[float, float]:
        assert len(run("SELECT 1")) == 1
        return tuple(  # type: ignore[return-value]  # two clocks
            statistics.median(timed(run, "SELECT 1", clock) for _ in range(statements)) * 1000
            for clock in (time.process_time, time.perf_counter)
        )

    ours, ours_wall = medians_of(lambda text: list(env.execute_sql(text).collect()))
    theirs, _ = medians_of(lambda text: connection.execute(text).fetchall())
    print(f"{'SELECT 1':24}{ours:9.3f}{theirs:9.3f}{ours / theirs:7.2f}  wall {ours_wall:.3f}")


def _rows(rows: int, seed: int) -> pa.Table:
    """Returns rows of the columns i, l, d, p, s, j, ts, k: numbers below the rows, and timestamps of a day."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, rows, rows)
    texts = pa.array([f"name {number:07}" for number in range(max(rows // 100, 1))])
    details = zip(numbers.tolist(), random.integers(0, 1 << 30, rows).tolist(), strict=True)
    return pa.table(
        {
            "i": pa.array(numbers, pa.int32()),
            "l": pa.array(random.integers(0, 1 << 40, rows)),
            "d": pa.array(random.random(rows)),
            "p": pa.array(random.integers(0, 1 << 30, rows)).cast(pa.decimal128(19, 0)).cast(pa.decimal128(12, 2)),
            "s": texts.take(pa.array(random.integers(0, len(texts), rows))),
            "j": pa.array(
                [f'{{"a":{one},"b":{{"c":"text {other}","d":null}},"e":[1.5,{one}],"f":"a longer text"}}' for one, other in details]
            ),
            "ts": pa.array(random.integers(0, 86_400_000_000, rows), pa.int64()).cast(pa.timestamp("us")),
            "k": pa.array(random.integers(0, KEYS, rows), pa.int32()),
        }
    )


if __name__ == "__main__":
    main()
