"""All 99 queries of TPC-DS: the Spark engine compared with spark.sql, or the embedded engine with DuckDB.

    python benchmarks/tpcds.py [--engine spark|arrow] [--scale 1] [--rounds 3] [--queries 1,5,20-30] [--smoke]

Each query runs once as a warm-up and to compare the rows, then both sides run alternately. Prints the medians, the median of the
rounds' ratios and their geometric mean, and separately the planning times: parsing, converting and rewriting, and lowering. On Spark both sides share a
session and the SQL texts in Flink's dialect, which Spark accepts. The results are saved in benchmarks/results. Needs the
packages duckdb-extension-tpcds and pyspark; data is generated once, into data/tpc.
"""

from __future__ import annotations

from harness.tpc_runs import run

if __name__ == "__main__":
    run("tpcds")
