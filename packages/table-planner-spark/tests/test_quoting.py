"""Names and paths in texts for Spark."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from table_planner_spark.quoting import exact_path, quote_name


def test_a_file_is_found_whatever_its_name(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a [1].txt", "a 1.txt", "%20{b}.txt", "*?.txt", "c\\d.txt", "e+f.txt"):
        (tmp_path / name).write_text(name)
        assert [row[0] for row in spark.read.text(exact_path(tmp_path / name)).collect()] == [name]


def test_a_column_is_found_whatever_its_name(spark: SparkSession) -> None:
    name = "a.b `c`"
    assert spark.createDataFrame([(1,)], f"{quote_name(name)} INT").select(quote_name(name)).collect()[0][0] == 1
