"""TPC-DS and TPC-H: data and queries from DuckDB's extensions, the tables as DDL of ours, the queries in Flink's dialect.

Data is generated once per scale, into the folder that is handed over; nothing of it is kept in the repository. The texts of the queries are
asked of the extensions each time and rewritten by the few rules below, so that what runs is what TPC's generator says for scale 1.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["BENCHMARKS", "Benchmark", "Workload", "connect", "generate", "load"]

_WHOLE_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_TYPES = {"VARCHAR": "STRING", "INTEGER": "INT"}
"""Types that Flink calls by other names than DuckDB."""


@dataclass(frozen=True)
class Benchmark:
    """One of the benchmarks: what its extension is called, how it makes data, where its queries are."""

    name: str
    extension: str
    generator: str
    queries: str
    edits: Mapping[int, tuple[tuple[str, str], ...]]
    """By number of the query: what is replaced by what, beside what is done to all; a text without it is an error."""


_TPCDS_EDITS: dict[int, tuple[tuple[str, str], ...]] = {
    27: (("avg(agg1)", "avg(CAST(agg1 AS DOUBLE))"),),  # as for columns of tables
    49: ((") CATALOG", ") catalog"),),  # names are told apart by case
    # A quotient of decimals has six digits, of which the factor 100 leaves four.
    58: tuple((f"{channel}_item_rev/((", f"CAST({channel}_item_rev AS DOUBLE)/((") for channel in ("ss", "cs", "ws")),
    72: (("d1.d_date + 5", "d1.d_date + INTERVAL '5' DAY"),),  # days are not numbers
}
_TPCH_EDITS: dict[int, tuple[tuple[str, str], ...]] = {
    11: (("AS value", "AS `value`"), ("value DESC", "`value` DESC")),  # a reserved word
    15: (("GROUP BY\n        supplier_no", "GROUP BY\n        l_suppkey"),),  # what SELECT calls it is not known there
}

BENCHMARKS = {
    "tpcds": Benchmark("TPC-DS", "tpcds", "dsdgen", "tpcds_queries", _TPCDS_EDITS),
    "tpch": Benchmark("TPC-H", "tpch", "dbgen", "tpch_queries", _TPCH_EDITS),
}


@dataclass(frozen=True)
class Workload:
    """A benchmark at a scale: its files, its tables as DDL of ours, its queries in both dialects, by number."""

    benchmark: Benchmark
    files: Mapping[str, Path]
    definitions: tuple[str, ...]
    queries: Mapping[int, str]
    """In Flink's dialect, which Spark reads too."""
    duckdb_queries: Mapping[int, str]


def load(name: str, scale: float, cache: Path) -> Workload:
    """Returns a benchmark by its key in ``BENCHMARKS``; makes its data if ``cache`` does not hold it."""
    benchmark = BENCHMARKS[name]
    folder = generate(benchmark, scale, cache)
    files = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
    with connect(benchmark, files) as connection:
        columns = {table: _columns(connection, table) for table in files}
        texts = dict(connection.execute(f"SELECT query_nr, query FROM {benchmark.queries}() ORDER BY query_nr").fetchall())
    whole = {column for table in columns.values() for column, type_ in table.items() if type_ in _WHOLE_NUMBERS}
    return Workload(
        benchmark,
        files,
        tuple(_definition(table, columns[table], files[table]) for table in files),
        {number: _in_our_dialect(text, whole, benchmark.edits.get(number, ())) for number, text in texts.items()},
        texts,
    )


def generate(benchmark: Benchmark, scale: float, cache: Path) -> Path:
    """Returns the folder with one Parquet file for each table; made now unless it is there."""
    folder = cache / f"{benchmark.extension}-{scale:g}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=f"{folder.name}.unfinished-") as made, connect(benchmark) as connection:
        unfinished = Path(made) / folder.name
        unfinished.mkdir()
        connection.execute(f"CALL {benchmark.generator}(sf = {scale})")
        for (table,) in connection.execute("SHOW TABLES").fetchall():
            connection.execute(f"COPY {table} TO '{unfinished / table}.parquet' (FORMAT parquet, COMPRESSION zstd)")
        with suppress(OSError):  # another process was first, with the same rows
            unfinished.replace(folder)
    return folder


@contextmanager
def connect(benchmark: Benchmark, files: Mapping[str, Path] | None = None) -> Iterator[Any]:
    """Yields a connection to DuckDB with the benchmark's extension, and the files as views."""
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false", "memory_limit": "4GB"}) as connection:
        connection.execute(f"LOAD '{_extension(benchmark.extension)}'")
        connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")  # as in Flink
        for table, path in (files or {}).items():
            connection.execute(f"CREATE VIEW {table} AS FROM '{path}'")
        yield connection


def _extension(name: str) -> Path:
    """Returns the file of an extension, which a package brings along."""
    package = f"duckdb_extension_{name}"
    if find_spec(package) is None:
        raise SystemExit(f"The package {package.replace('_', '-')} is not installed, in the version of duckdb.")
    folder = Path(str(import_module(package).__file__)).parent
    return next(folder.rglob("*.duckdb_extension"))


def _columns(connection: Any, table: str) -> dict[str, str]:
    return {name: type_ for name, type_, *_ in connection.execute(f"DESCRIBE {table}").fetchall()}


def _definition(table: str, columns: Mapping[str, str], path: Path) -> str:
    text = ", ".join(f"{column} {_TYPES.get(type_, type_)}" for column, type_ in columns.items())
    return f"CREATE TABLE {table} ({text}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')"


def _in_our_dialect(text: str, whole_numbers: set[str], edits: tuple[tuple[str, str], ...]) -> str:
    """Rewrites what Flink spells or means differently."""
    text = re.sub(r"--.*", "", text).strip().rstrip(";")
    text = re.sub(r'"([^"]*)"', r"`\1`", text)

    def average(match: re.Match[str]) -> str:
        # The average of whole numbers is a whole number in Flink, and so is their deviation.
        return f"{match[1]}(CAST({match[2]} AS DOUBLE))" if match[2] in whole_numbers else match[0]

    text = re.sub(r"\b(avg|stddev_samp)\((\w+)\)", average, text, flags=re.IGNORECASE)
    # Dates are not compared with strings.
    text = re.sub(r"(?i)(?<!cast\()(?<!cast \()(?<!date )('\d{4}-\d\d-\d\d')", r"DATE \1", text)
    for old, new in edits:
        if old not in text:
            raise ValueError(f"An edit does not fit the query any more: {old}")
        text = text.replace(old, new)
    return text
