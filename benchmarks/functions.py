"""What built-in functions cost: the embedded engine against DuckDB, and Spark SQL of ours against hand-written Spark SQL.

    python benchmarks/functions.py [--engine arrow|spark] [--rows 10000000] [--rounds 5] [--only REGEX] [--smoke]

Every function is computed for all rows of one Parquet file and aggregated to one row (MAX, or a count of TRUE), so that it is the function
and not its result's way to Python that is timed; reading the column and the aggregate are in the times of both sides. A pair runs back to
back in alternating order after one run that is not counted; what counts is the median of the rounds' ratios. Needs duckdb; pyspark for
``--engine spark``.

On Spark some functions cost more than the hand-written ones because they do more: FLOOR and CEIL of DOUBLE stay DOUBLE and take numbers
beyond BIGINT, LN and its like give NaN instead of NULL, comparisons of two columns of DOUBLE look for NaN, and JSON functions see to it that
a text is one JSON value, that strict paths fit, and that a value is no object. Everything else is the same Spark SQL but for casts.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

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


@dataclass(frozen=True)
class Function:
    """One function as each system writes it; None where it is written as ours."""

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


def main() -> None:
    """Prints one line per function."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["arrow", "spark"], default="arrow")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a regular expression that our SQL of the function matches")
    parser.add_argument("--smoke", action="store_true", help="2000 rows, one round: does it run?")
    arguments = parser.parse_args()
    rows, rounds = (2_000, 1) if arguments.smoke else (arguments.rows, arguments.rounds)
    chosen = [function for function in FUNCTIONS if re.search(arguments.only, function.ours)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t" / "rows.parquet"
        file.parent.mkdir()
        write_rows(file, rows)
        engines = [arguments.engine] if not arguments.smoke else ["arrow"]
        for engine in engines:
            other = "DuckDB" if engine == "arrow" else "hand-written"
            print(f"{engine}: {len(chosen)} functions, {rows:,} rows, median of {rounds} paired rounds, ours / {other}")
            ours, theirs, close = (pair_with_duckdb if engine == "arrow" else pair_with_spark)(file)
            ratios = [_measure(function, ours, theirs, rounds) for function in chosen]
            print(
                f"median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, {sum(r <= 1.15 for r in ratios)} of {len(ratios)} ≤ 1.15"
            )
            close()


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


def _measure(function: Function, ours: Callable[[str], Any], theirs: Callable[[str], Any], rounds: int) -> float:
    sides = [lambda: ours(_query(function.ours, function)), lambda: theirs(_query(_other(function, theirs), function))]
    for side in sides:
        side()
    ratios, best = [], [float("inf")] * 2
    for number in range(rounds):
        times = [0.0, 0.0]
        for index in (0, 1) if number % 2 == 0 else (1, 0):
            started = time.perf_counter()
            sides[index]()
            times[index] = time.perf_counter() - started
            best[index] = min(best[index], times[index])
        ratios.append(times[0] / times[1])
    ratio = statistics.median(ratios)
    print(f"  {function.ours:40} {ratio:6.2f}   {best[0] * 1000:7.0f} ms / {best[1] * 1000:7.0f} ms", flush=True)
    return ratio


def _other(function: Function, theirs: Callable[[str], Any]) -> str:
    text = function.spark if theirs.__name__ == "on_spark" else function.duckdb
    return text if text is not None else function.ours


def _query(text: str, function: Function) -> str:
    return f"SELECT COUNT(*) FILTER (WHERE {text}) AS x FROM t" if function.is_condition else f"SELECT MAX({text}) AS x FROM t"


def pair_with_duckdb(file: Path) -> tuple[Callable[[str], Any], Callable[[str], Any], Callable[[], None]]:
    """Returns what runs a query on the embedded engine, what runs it on DuckDB, and what ends both."""
    import duckdb

    from table_api import EnvironmentSettings, TableEnvironment

    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    _define(env, file)
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM '{file}'")

    def on_duckdb(sql: str) -> Any:
        return connection.execute(sql).fetchall()

    return lambda sql: env.execute_sql(sql).to_arrow(), on_duckdb, env.close


def pair_with_spark(file: Path) -> tuple[Callable[[str], Any], Callable[[str], Any], Callable[[], None]]:
    """Returns the same for our Spark engine and Spark itself, in one session."""
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

    return lambda sql: env.execute_sql(sql).to_arrow(), on_spark, close


def _define(env: Any, file: Path) -> None:
    env.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{file.parent}')")


if __name__ == "__main__":
    main()
