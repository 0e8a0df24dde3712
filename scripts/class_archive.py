"""Writes an archive of the classes that Spark loads: `python scripts/class_archive.py FILE`.

A JVM that starts with `-XX:SharedArchiveFile=FILE` finds them read and verified, which halves the processor time of its start. The tests start
dozens. The archive serves the jars that it was made of, at their path; a JVM with others ignores it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

STATEMENTS = (
    "CREATE TEMPORARY VIEW t AS SELECT id AS k, CAST(id AS STRING) AS s, CAST(id AS DECIMAL(10, 2)) AS d, TIMESTAMP '2024-01-01 00:00:00' AS ts FROM range(9)",
    "SELECT k % 3, COUNT(*), SUM(d), MAX(s), COUNT(DISTINCT k) FROM t WHERE s LIKE '1%' OR k IN (2, 3) GROUP BY k % 3 ORDER BY 1 LIMIT 5",
    "SELECT a.*, b.s FROM t a LEFT JOIN t b ON a.k = b.k + 1 WHERE EXISTS (SELECT 1 FROM t c WHERE c.k = a.k) UNION ALL SELECT *, NULL FROM t",
    "SELECT k, ROW_NUMBER() OVER (PARTITION BY k % 2 ORDER BY ts DESC), LAG(d) OVER (ORDER BY k), ARRAY(k), MAP(s, d), STRUCT(k, s) FROM t",
    "SELECT plus(k), CAST(s AS INT), DATE_FORMAT(ts, 'yyyy'), REGEXP_REPLACE(s, '1', '2'), CASE WHEN k > 1 THEN 'a' END FROM t",
)


def main(archive: str) -> None:
    os.environ["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -XX:ArchiveClassesAtExit={archive} -Xlog:disable"
    options = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2"}
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    process = spark.sparkContext._gateway.proc
    try:
        run_statements(spark)
    finally:
        spark.stop()
        process.stdin.close()  # the JVM ends, and writes the archive
        process.wait()


def run_statements(spark: SparkSession) -> None:
    spark.sparkContext.setLogLevel("ERROR")
    spark.udf.register("plus", udf(lambda value: value + 1, "BIGINT", useArrow=False))
    for statement in STATEMENTS:
        spark.sql(statement).toArrow()
    with tempfile.TemporaryDirectory() as folder:
        for format_ in ("csv", "json", "parquet"):
            place = str(Path(folder) / format_)
            spark.table("t").write.format(format_).save(place)
            spark.read.format(format_).load(place).count()
    spark.createDataFrame(pa.table({"a": [1, 2]})).collect()


if __name__ == "__main__":
    main(sys.argv[1])
