"""Cost of built-in functions: the embedded engine compared with DuckDB, and our Spark SQL compared with hand-written Spark SQL.

    python benchmarks/functions.py [--engine arrow|spark] [--rows 10000000] [--rounds 4] [--only REGEX] [--smoke]

Each function is computed for all rows of one Parquet file and aggregated to one row (MAX, or a count of TRUE), so that the times do not
include the transfer of results to Python; the times of both sides include reading the column and the aggregate. The two sides of a pair
run alternately after one warm-up run, short ones in up to twelve rounds; the result is the median of the rounds'
ratios. On Spark the time from text to analyzed plan is measured separately on both sides, because it does not depend on the number of rows,
and the last column is the ratio of the remaining times. The results are saved in benchmarks/results. Needs duckdb; pyspark for
``--engine spark``.

On Spark some functions cost more than the hand-written SQL because they do more: FLOOR and CEIL of DOUBLE return DOUBLE and accept numbers
beyond BIGINT, LN and similar functions return NaN instead of NULL, comparisons of two DOUBLE columns check for NaN, FLOOR of a TIMESTAMP uses
local time (DATE_TRUNC interprets it as an instant in the session's zone, and is an hour off where clocks skip an hour), and
JSON functions check that a text is exactly one JSON value, that strict paths match, and that a value is not an object. All other functions are the same
Spark SQL except for casts, in a projection below the aggregate. The JVM compiles a query once per session, to code of varying quality:
ratios of functions that return texts were between 0.85 and 1.4 in one session and around 1 in the next, even between Spark's own ``SELECT MAX(f(x))``
and ``SELECT MAX(y) FROM (SELECT f(x) AS y …)``. Repeat a measurement above 1.15 (``--only``).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from harness.pairing import interleaved, medians, timed

RESULTS = Path(__file__).resolve().parent / "results"

COLUMNS = "i INT, l BIGINT, d DOUBLE, p DECIMAL(12, 2), s STRING, u STRING, j STRING, t DATE, ts TIMESTAMP(6), b BOOLEAN"
SCHEMA = pa.schema(
    [
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("d", pa.float64()),
        ("p", pa.decimal128(12, 2)),
        ("s", pa.string()),
        ("u", pa.string()),
        ("j", pa.string()),
        ("t", pa.date32()),
        ("ts", pa.timestamp("us")),
        ("b", pa.bool_()),
    ]
)
CHUNK = 500_000
SHORT = 8.0
"""Minimum total duration of the rounds of a pair, in seconds."""
MOST_ROUNDS = 12


@dataclass(frozen=True)
class Function:
    """A function in the syntax of each system; None where it is the same as ours."""

    ours: str
    duckdb: str | None = None
    spark: str | None = None
    is_condition: bool = False


FUNCTIONS = (
    Function("i + 1"),
    Function("l * 3"),
    Function("l / 7", "l // 7", "l div 7"),
    Function("MOD(l, 97)", "l % 97", "l % 97"),
    Function("d * 1.5e0 + 2", "d * 1.5 + 2", "d * 1.5D + 2"),
    Function("p * 2"),
    Function("p + p"),
    Function("ABS(i)"),
    Function("SQRT(d)"),
    Function("LN(d + 1)", "LN(d + 1)", "LN(d + 1)"),
    Function("POWER(d, 2)", "POWER(d, 2)", "POWER(d, 2)"),
    Function("ROUND(d, 1)"),
    Function("FLOOR(d)", "FLOOR(d)", "FLOOR(d)"),
    Function("GREATEST(i, 500)", "GREATEST(i, 500)", "GREATEST(i, 500)"),
    Function("CASE WHEN i > 500 THEN l ELSE 0 END"),
    Function("COALESCE(i, 0)"),
    Function("NULLIF(i, 5)"),
    Function("i > 10 AND d < 500", is_condition=True),
    Function("i IN (1, 2, 3, 500)", is_condition=True),
    Function("i BETWEEN 100 AND 200", is_condition=True),
    Function("s = 'name 17'", is_condition=True),
    Function("u LIKE '%99%'", is_condition=True),
    Function("u LIKE 'key-1%'", is_condition=True),
    Function("REGEXP(s, 'name [0-9]5')", "regexp_matches(s, 'name [0-9]5')", "s RLIKE 'name [0-9]5'", is_condition=True),
    Function("UPPER(u)"),
    Function("CHAR_LENGTH(u)", "LENGTH(u)", "LENGTH(u)"),
    Function("SUBSTRING(u, 5, 4)"),
    Function("CONCAT(s, '-', u)", "s || '-' || u", "CONCAT(s, '-', u)"),
    Function("TRIM(u)"),
    Function("REPLACE(u, '-', '_')"),
    Function("LPAD(u, 24, '0')"),
    Function("POSITION('9' IN u)", "POSITION('9' IN u)", "POSITION('9' IN u)"),
    Function("MD5(s)"),
    Function("CAST(i AS STRING)", "CAST(i AS VARCHAR)"),
    Function("CAST(d AS INT)", "CAST(TRUNC(d) AS INT)"),
    Function("CAST(d AS STRING)", "CAST(d AS VARCHAR)"),
    Function("EXTRACT(YEAR FROM t)"),
    Function("FLOOR(ts TO HOUR)", "DATE_TRUNC('hour', ts)", "DATE_TRUNC('HOUR', ts)"),
    Function("t + INTERVAL '1' MONTH", "t + INTERVAL 1 MONTH", "ADD_MONTHS(t, 1)"),
    Function("DATE_FORMAT(ts, 'yyyy-MM-dd')", "STRFTIME(ts, '%Y-%m-%d')", "DATE_FORMAT(ts, 'yyyy-MM-dd')"),
    Function("JSON_VALUE(j, 'lax $.a')", "json_extract_string(j, '$.a')", "GET_JSON_OBJECT(j, '$.a')"),
)


@dataclass(frozen=True)
class Pair:
    """Runs a query on both sides, and plans it; None where planning is not measured separately."""

    ours: Callable[[str], Any]
    theirs: Callable[[str], Any]
    ours_plans: Callable[[str], Any] | None
    theirs_plans: Callable[[str], Any] | None
    close: Callable[[], None]


@dataclass(frozen=True)
class Timing:
    """The times of one function, in milliseconds."""

    function: str
    ours: float
    theirs: float
    ratio: float
    ratio_without_planning: float | None


def main() -> None:
    """Prints one line per function."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["arrow", "spark"], default="arrow")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="regular expression for the functions to run, matched with our SQL")
    parser.add_argument("--smoke", action="store_true", help="2000 rows, one round, as a smoke test")
    arguments = parser.parse_args()
    rows, rounds = (2_000, 1) if arguments.smoke else (arguments.rows, arguments.rounds)
    engine = "arrow" if arguments.smoke else arguments.engine
    chosen = [function for function in FUNCTIONS if re.search(arguments.only, function.ours)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t" / "rows.parquet"
        file.parent.mkdir()
        write_rows(file, rows)
        other = "DuckDB" if engine == "arrow" else "hand-written"
        print(f"{engine}: {len(chosen)} functions, {rows:,} rows, median of {rounds} paired rounds, ours / {other}", flush=True)
        pair = (pair_with_duckdb if engine == "arrow" else pair_with_spark)(file)
        timings = [_measure(function, pair, engine, rounds) for function in chosen]
        pair.close()
    summary = _summary(timings)
    for text, value in summary.items():
        print(f"{text}: {value}")
    if not arguments.smoke and not arguments.only:
        RESULTS.mkdir(exist_ok=True)
        found = {"rows": rows, "rounds": rounds, **summary, "functions": [asdict(timing) for timing in timings]}
        lines = json.dumps(found).replace('{"function"', '\n{"function"').replace("}]}", "}\n]}")
        (RESULTS / f"functions-{engine}.json").write_text(lines + "\n")


def write_rows(file: Path, rows: int) -> None:
    """Writes the file; every column is a function of the row's number."""
    with pq.ParquetWriter(file, SCHEMA) as writer:
        for start in range(0, rows, CHUNK):
            n = pa.array(range(start, min(start + CHUNK, rows)), pa.int64())
            mixed = pc.bit_wise_and(pc.multiply(n, 2_654_435_761), 0xFFFFFF)
            thousandth = pc.cast(pc.subtract(mixed, pc.multiply(pc.divide(mixed, 1000), 1000)), pa.int32())
            names = pc.binary_join_element_wise("name ", pc.cast(thousandth, pa.string()), "")
            keys = pc.binary_join_element_wise("key-", pc.cast(mixed, pa.string()), "")
            json = pc.binary_join_element_wise('{"a": "', pc.cast(thousandth, pa.string()), '", "b": [1, 2]}', "")
            doubles = pc.divide(pc.cast(mixed, pa.float64()), 17.0)
            cents = pc.cast(pc.round(pc.divide(doubles, 3.0), 2), pa.decimal128(12, 2))
            days = pc.cast(pc.cast(pc.add(thousandth, 18_000), pa.int32()), pa.date32())
            stamps = pc.cast(pc.multiply(pc.add(mixed, 1_500_000_000), 1_000_000), pa.timestamp("us"))
            columns = [thousandth, mixed, doubles, cents, names, keys, json, days, stamps, pc.greater(thousandth, 500)]
            writer.write_table(pa.table(columns, schema=SCHEMA))


def _measure(function: Function, pair: Pair, engine: str, rounds: int) -> Timing:
    text = function.spark if engine == "spark" else function.duckdb
    queries = (_query(function.ours, function), _query(function.ours if text is None else text, function))
    rounds = _rounds(timed(pair.ours, queries[0]) + timed(pair.theirs, queries[1]), rounds)
    ours, theirs, ratio = medians(interleaved(pair.ours, pair.theirs, queries, rounds))
    running = None
    if pair.ours_plans is not None and pair.theirs_plans is not None:
        ours_plan, theirs_plan, _ = medians(interleaved(pair.ours_plans, pair.theirs_plans, queries, rounds))
        running = round((ours - ours_plan) / (theirs - theirs_plan), 3)
    shown = "" if running is None else f"{running:6.2f}"
    print(f"  {function.ours:40} {ours:7.0f} ms {theirs:7.0f} ms {ratio:6.2f} {shown}", flush=True)
    return Timing(function.ours, round(ours, 1), round(theirs, 1), round(ratio, 3), running)


def _rounds(seconds: float, least: int) -> int:
    """Returns the number of rounds: even, so that each side runs first equally often, and larger for short queries."""
    return 2 * math.ceil(max(least, min(MOST_ROUNDS, SHORT / seconds)) / 2)


def _summary(timings: list[Timing]) -> dict[str, Any]:
    summary: dict[str, Any] = {}
    for name, ratios in (
        ("ratio", [timing.ratio for timing in timings]),
        ("ratio without planning", [timing.ratio_without_planning for timing in timings if timing.ratio_without_planning is not None]),
    ):
        if ratios:
            summary[f"median {name}"] = round(statistics.median(ratios), 3)
            summary[f"within 1.15, {name}"] = f"{sum(ratio <= 1.15 for ratio in ratios)} of {len(ratios)}"
    return summary


def _query(text: str, function: Function) -> str:
    return f"SELECT COUNT(*) FILTER (WHERE {text}) AS x FROM t" if function.is_condition else f"SELECT MAX({text}) AS x FROM t"


def pair_with_duckdb(file: Path) -> Pair:
    """Returns the embedded engine and DuckDB."""
    import duckdb

    from table_api import EnvironmentSettings, TableEnvironment

    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    _define(env, file)
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM '{file}'")

    def on_duckdb(sql: str) -> Any:
        return connection.execute(sql).fetchall()

    return Pair(lambda sql: env.execute_sql(sql).to_arrow(), on_duckdb, None, None, env.close)


def pair_with_spark(file: Path) -> Pair:
    """Returns our Spark engine and Spark itself, in one session."""
    from table_api import Configuration
    from table_api_bridge import SparkTableEnvironment
    from table_planner_spark import local_session

    session = local_session("local[2]", {"spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC"})
    session.sparkContext.setLogLevel("ERROR")
    env = SparkTableEnvironment.create(session, Configuration({"table.local-time-zone": "UTC"}))
    _define(env, file)
    schema = "i INT, l BIGINT, d DOUBLE, p DECIMAL(12, 2), s STRING, u STRING, j STRING, t DATE, ts TIMESTAMP_NTZ, b BOOLEAN"
    session.read.schema(schema).parquet(str(file.parent)).createOrReplaceTempView("t")

    def on_spark(sql: str) -> Any:
        return session.sql(sql).collect()

    def close() -> None:
        env.close()
        session.stop()

    return Pair(
        lambda sql: env.execute_sql(sql).to_arrow(),
        on_spark,
        lambda sql: env.to_data_frame(env.sql_query(sql)),
        session.sql,
        close,
    )


def _define(env: Any, file: Path) -> None:
    env.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{file.parent}')")


if __name__ == "__main__":
    main()
