"""Dates and timestamps outside the years 1 to 9999, which Python does not support: an error in ``collect``, values elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException

MakeEnv = Callable[[str], TableEnvironment]

ENGINES = ["arrow", "spark"]
PAST_9999 = [
    "SELECT DATE '9999-12-31' + INTERVAL '1' DAY AS v",
    "SELECT TIMESTAMP '9999-12-31 00:00:00' + INTERVAL '1' DAY AS v",
    "SELECT d + INTERVAL '1' DAY AS v FROM (VALUES (DATE '9999-12-31')) AS t(d)",
    "SELECT ARRAY[d + INTERVAL '1' DAY] AS v FROM (VALUES (DATE '9999-12-31')) AS t(d)",
]


@pytest.mark.parametrize("query", PAST_9999)
@pytest.mark.parametrize("engine", ENGINES)
def test_collect_names_the_column_and_the_range(engine: str, query: str, make_env: MakeEnv) -> None:
    result = make_env(engine).execute_sql(query)
    with pytest.raises(TableRuntimeException, match=r"(?i)column 'v': a value of .*the years 1 to 9999"):
        list(result.collect())


@pytest.mark.parametrize("engine", ENGINES)
def test_to_arrow_holds_the_date(engine: str, make_env: MakeEnv) -> None:
    result = make_env(engine).execute_sql("SELECT DATE '9999-12-31' + INTERVAL '1' DAY AS v").to_arrow()
    assert result["v"].cast(pa.int32()).to_pylist() == [2_932_897]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_year_of_five_digits_as_text(engine: str, make_env: MakeEnv) -> None:
    query = (
        "SELECT CAST(d + INTERVAL '1' DAY AS STRING), CAST(t + INTERVAL '1' DAY AS STRING), CAST(CAST(t + INTERVAL '1' DAY AS"
        " TIMESTAMP(0)) AS STRING) FROM (VALUES (DATE '9999-12-31', TIMESTAMP '9999-12-31 01:02:03.450')) AS v(d, t)"
    )
    assert [tuple(row) for row in make_env(engine).execute_sql(query).collect()] == [
        ("10000-01-01", "10000-01-01 01:02:03.450", "10000-01-01 01:02:03")
    ]


@pytest.mark.parametrize("format_", ["parquet", "orc"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_date_of_a_file(engine: str, format_: str, tmp_path: Path, make_env: MakeEnv) -> None:
    rows = pa.table({"d": pa.array([2_932_897], pa.int32()).cast(pa.date32())})
    if format_ == "parquet":
        pq.write_table(rows, tmp_path / "a.parquet")
    else:
        from pyarrow import orc

        orc.write_table(rows, tmp_path / "a.orc")
    env = make_env(engine)
    env.execute_sql(f"CREATE TEMPORARY TABLE t (d DATE) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = '{format_}')")
    with pytest.raises(TableRuntimeException, match=r"Column 'd': a value of DATE .*the years 1 to 9999"):
        list(env.execute_sql("SELECT d FROM t").collect())


def test_the_error_of_a_kernel_over_python_dates_names_the_range(make_env: MakeEnv) -> None:
    query = "SELECT ARRAY_SORT(ARRAY[d + INTERVAL '1' DAY]) FROM (VALUES (DATE '9999-12-31')) AS t(d)"
    with pytest.raises(TableRuntimeException, match=r"ARRAY_SORT failed: .*the years 1 to 9999"):
        list(make_env("arrow").execute_sql(query).collect())


def test_the_error_of_a_long_interval_in_collect_names_the_range(make_env: MakeEnv) -> None:
    result = make_env("arrow").execute_sql("SELECT INTERVAL '1' DAY * 1000000000 AS v")
    with pytest.raises(
        TableRuntimeException, match=r"Column 'v': a value of INTERVAL .* the range of Python's timedelta \(999,999,999 days\)"
    ):
        list(result.collect())
