"""Digits below microseconds on both engines: what goes in comes out, and what is calculated keeps them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any

import pytest

from table_api import DataTypes, NanosecondDatetime, NanosecondTime, Row, TableEnvironment
from table_api.expressions import col, lit
from table_api.udf import udf

MakeEnv = Callable[[str], TableEnvironment]
ENGINES = ["arrow", "spark"]
MOMENT = NanosecondDatetime(2020, 1, 31, 23, 59, 59, 123456, nanosecond=789)
INSTANT = MOMENT.replace(tzinfo=UTC)
TIME = NanosecondTime(23, 59, 59, 123456, nanosecond=789)


@pytest.fixture(params=ENGINES)
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    return make_env(request.param)


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


def test_collect_gives_nanoseconds(env: TableEnvironment) -> None:
    sql = "SELECT TIMESTAMP '2020-01-31 23:59:59.123456789', CAST('2020-01-31 23:59:59.123456789' AS TIMESTAMP_LTZ(9))"
    assert rows(env, sql) == [(MOMENT, INSTANT)]


def test_elements_keep_nanoseconds(env: TableEnvironment) -> None:
    with env.from_elements([(1, MOMENT, INSTANT), (2, None, None)], ["k", "a", "b"]).execute().collect() as found:
        assert sorted(map(tuple, found)) == [(1, MOMENT, INSTANT), (2, None, None)]


def test_literals_keep_nanoseconds(env: TableEnvironment) -> None:
    table = env.from_elements([(MOMENT,)], ["a"])
    with table.select((col("a") == lit(MOMENT)).alias("x"), lit(INSTANT).alias("y")).execute().collect() as found:
        assert list(map(tuple, found)) == [(True, INSTANT)]


def test_print_shows_nine_digits(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.execute_sql("SELECT TIMESTAMP '2020-01-31 23:59:59.123456789' AS v").print()
    assert "| 2020-01-31 23:59:59.123456789 |" in capsys.readouterr().out


@udf(
    result_type=DataTypes.ROW(
        [DataTypes.FIELD("a", DataTypes.TIMESTAMP(9)), DataTypes.FIELD("b", DataTypes.ARRAY(DataTypes.TIMESTAMP_LTZ(9)))]
    )
)
def days_later(moment: Any, instant: Any) -> Row:
    return Row(moment + timedelta(days=1), [instant, instant.replace(nanosecond=1)])


def test_user_functions_take_and_give_nanoseconds(env: TableEnvironment) -> None:
    table = env.from_elements([(MOMENT, INSTANT)], ["a", "b"]).select(days_later(col("a"), col("b")).alias("r"))
    with table.execute().collect() as found:
        assert [tuple(row[0]) for row in found] == [(MOMENT.replace(month=2, day=1), [INSTANT, INSTANT.replace(nanosecond=1)])]
