"""All 22 queries of TPC-H: the Spark engine against spark.sql, or the embedded engine against DuckDB.

    python benchmarks/tpch.py [--engine spark|arrow] [--scale 1] [--rounds 3] [--queries 1,5,20-30] [--smoke]

Each query runs once to warm up and to compare the rows, then both sides take turns. Printed are the medians, the median of the
rounds' ratios, and apart from them what planning takes: parsing, converting and rewriting, and lowering. The Spark pair shares a
session and the texts, in Flink's dialect, which Spark reads too. A run leaves a file in benchmarks/results. Needs the
packages duckdb-extension-tpch and pyspark; data is generated once, into data/tpc.
"""

from __future__ import annotations

from harness.tpc_runs import run

if __name__ == "__main__":
    run("tpch")
