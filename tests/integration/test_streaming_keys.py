"""Upsert keys through casts, on the embedded engine in streaming mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.types import is_injective_cast, parse_logical_type

SAMPLES = {
    "TINYINT": ["-128", "127", "0", "12"],
    "SMALLINT": ["-32768", "32767", "0"],
    "INT": ["-2147483648", "2147483647", "2147483646", "16777217", "16777216"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807", "9223372036854775806"],
    "DECIMAL(10, 2)": ["12345678.91", "12345678.9", "-0.01", "0"],
    "FLOAT": ["0.1", "1e30", "16777216"],
    "BOOLEAN": ["TRUE", "FALSE"],
    "CHAR(3)": ["'a'", "'a  '", "' a'", "'abc'"],
    "VARCHAR(3)": ["'a'", "'a '", "''", "'abc'"],
    "DATE": ["DATE '2020-01-01'", "DATE '0001-01-01'"],
    "TIME(0)": ["TIME '00:00:00'", "TIME '23:59:59'"],
    "TIMESTAMP(3)": ["TIMESTAMP '2020-01-01 00:00:00.001'", "TIMESTAMP '2020-01-01 00:00:00'"],
}
TARGETS = ["INT", "BIGINT", "DECIMAL(38, 10)", "FLOAT", "DOUBLE", "STRING", "VARCHAR(30)", "TIMESTAMP(6)", "DECIMAL(10, 0)"]


@pytest.fixture
def env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())


@pytest.mark.parametrize("source", SAMPLES)
def test_casts_declared_as_injective_are_injective(env: TableEnvironment, source: str) -> None:
    values = ", ".join(f"(CAST({text} AS {source}))" for text in SAMPLES[source])
    for target in TARGETS:
        if is_injective_cast(parse_logical_type(source), parse_logical_type(target)):
            with env.execute_sql(f"SELECT DISTINCT v, CAST(v AS {target}) FROM (VALUES {values}) AS t(v)").collect() as rows:
                pairs = [tuple(row) for row in rows]
            assert len({v for v, _ in pairs}) == len({c for _, c in pairs}), target


@pytest.mark.parametrize(
    ("type_", "query"),
    [
        ("STRING", "SELECT k, SUM(v) FROM (VALUES ('a', 1), ('a', 3)) AS t(k, v) GROUP BY k"),
        ("STRING", "SELECT k, SUM(v) FROM (SELECT CAST(k AS VARCHAR(5)) AS k, v FROM (VALUES ('a', 1), ('a', 3)) AS t(k, v)) GROUP BY k"),
        ("BIGINT", "SELECT k, SUM(v) FROM (VALUES (1, 1), (1, 3)) AS t(k, v) GROUP BY k"),
        ("STRING", "SELECT CAST(k AS STRING), SUM(v) FROM (VALUES (1, 1), (1, 3)) AS t(k, v) GROUP BY k"),
    ],
)
def test_a_cast_of_the_grouping_key_identifies_the_rows_of_a_sink(env: TableEnvironment, tmp_path: Path, type_: str, query: str) -> None:
    env.execute_sql(f"CREATE TABLE s (k {type_}, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = '{tmp_path}')")
    env.execute_sql(f"INSERT INTO s {query}").wait()
    with env.execute_sql("SELECT v FROM s").collect() as rows:
        assert [row[0] for row in rows] == [4]
