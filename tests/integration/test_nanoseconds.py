"""Digits below microseconds on both engines, in round trips and in calculations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from table_api import DataTypes, NanosecondDatetime, NanosecondTime, Row, TableEnvironment
from table_api.expressions import col, lit
from table_api.udf import udf

MakeEnv = Callable[[str], TableEnvironment]
ENGINES = ["arrow", "spark"]
MOMENT = NanosecondDatetime(2020, 1, 31, 23, 59, 59, 123456, nanosecond=789)
PLAIN = datetime(2020, 1, 31, 23, 59, 59, 123456)
BEFORE_1970 = NanosecondDatetime(1969, 12, 31, 23, 59, 59, 999999, nanosecond=999)
INSTANT = MOMENT.replace(tzinfo=UTC)
TIME = NanosecondTime(23, 59, 59, 123456, nanosecond=789)


@pytest.fixture(params=ENGINES)
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    return make_env(request.param)


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


def test_collect_returns_nanoseconds(env: TableEnvironment) -> None:
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


def test_user_functions_accept_and_return_nanoseconds(env: TableEnvironment) -> None:
    table = env.from_elements([(MOMENT, INSTANT)], ["a", "b"]).select(days_later(col("a"), col("b")).alias("r"))
    with table.execute().collect() as found:
        assert [tuple(row[0]) for row in found] == [(MOMENT.replace(month=2, day=1), [INSTANT, INSTANT.replace(nanosecond=1)])]


# --- SQL expressions ----------------------------------------------------------------------------------------------------------

TIMES = "(VALUES (1, TIME '23:59:59.123456789'), (2, TIME '00:00:00.00000001'), (3, TIME '12:00:00')) AS t(k, v)"
MOMENTS = """(VALUES (1, TIMESTAMP '2020-01-31 23:59:59.123456789'), (2, TIMESTAMP '1969-12-31 23:59:59.999999999'),
    (3, TIMESTAMP '2020-01-31 23:59:59.123456')) AS t(k, v)"""


@pytest.mark.parametrize(
    ("of_times", "expected"),
    [
        ("v", [TIME, NanosecondTime(nanosecond=10), time(12)]),
        ("CAST(v AS STRING)", ["23:59:59.123456789", "00:00:00.00000001", "12:00:00.0"]),
        ("CAST(CAST(v AS STRING) AS TIME(8))", [TIME.replace(nanosecond=780), NanosecondTime(nanosecond=10), time(12)]),
        ("CAST(v AS TIME(3))", [time(23, 59, 59, 123000), time(0), time(12)]),
        ("CAST(CAST(v AS TIMESTAMP(9)) AS TIME(9))", [TIME, NanosecondTime(nanosecond=10), time(12)]),
        ("v + INTERVAL '1' HOUR", [TIME.replace(hour=0), NanosecondTime(1, nanosecond=10), time(13)]),
        ("CEIL(v TO SECOND)", [time(0), time(0, 0, 1), time(12)]),
        ("EXTRACT(NANOSECOND FROM v)", [123456789, 10, 0]),
        ("HOUR(v)", [23, 0, 12]),
        ("v > TIME '00:00:00'", [True, True, True]),
        ("v IN (TIME '12:00:00', TIME '23:59:59.123456')", [False, False, True]),
        ("TIMESTAMPDIFF(SECOND, TIME '00:00:00.123456790', v)", [86398, 0, 43199]),
    ],
)
def test_times_have_nine_digits(env: TableEnvironment, of_times: str, expected: list[Any]) -> None:
    assert [value for (value,) in rows(env, f"SELECT x FROM (SELECT k, {of_times} AS x FROM {TIMES}) AS y ORDER BY k")] == expected


def test_times_are_grouped_and_ordered_by_nine_digits(env: TableEnvironment) -> None:
    values = "(VALUES (TIME '00:00:00.123456789'), (TIME '00:00:00.123456788'), (TIME '00:00:00.123456789')) AS t(v)"
    assert [count for (count,) in rows(env, f"SELECT COUNT(*) FROM {values} GROUP BY v ORDER BY v")] == [1, 2]


@pytest.mark.parametrize("type_", ["ARRAY[v]", "MAP['k', v]", "ROW(v, k)"])
def test_nested_times_have_nine_digits(env: TableEnvironment, type_: str) -> None:
    ((found,),) = rows(env, f"SELECT {type_} FROM {TIMES} WHERE k = 1")
    assert (found["k"] if isinstance(found, dict) else found[0]) == TIME


@pytest.mark.parametrize(
    ("of_moments", "expected"),
    [
        ("CAST(v AS TIME(9))", [TIME, NanosecondTime(23, 59, 59, 999999, nanosecond=999), TIME.replace(nanosecond=0)]),
        ("CAST(CAST(v AS TIMESTAMP_LTZ(9)) AS STRING)", [str(MOMENT), "1969-12-31 23:59:59.999999999", f"{str(MOMENT)[:-3]}000"]),
        ("CAST(CAST(v AS TIMESTAMP_LTZ(9)) AS TIMESTAMP(7))", [MOMENT.replace(nanosecond=700), BEFORE_1970.replace(nanosecond=900), PLAIN]),
        ("CAST(CAST(v AS TIMESTAMP_LTZ(9)) AS TIME(9)) = CAST(v AS TIME(9))", [True, True, True]),
        ("CAST(v AS TIMESTAMP_LTZ(9)) = v", [True, True, True]),
        ("EXTRACT(NANOSECOND FROM v)", [123456789, 999999999, 123456000]),
        ("DATE_FORMAT(v, 'ss.SSSSSSSSS')", ["59.123456789", "59.999999999", "59.123456000"]),
        ("DATE_FORMAT(CAST(v AS TIMESTAMP_LTZ(9)), 'HH SSSSSSSSS')", ["23 123456789", "23 999999999", "23 123456000"]),
        (
            "CEIL(TIMESTAMPADD(MICROSECOND, 876544, v) TO SECOND)",
            [datetime(2020, 2, 1, 0, 0, 1), datetime(1970, 1, 1, 0, 0, 1), datetime(2020, 2, 1)],
        ),
        ("TIMESTAMPDIFF(SECOND, TIMESTAMP '2020-01-31 23:59:58.123456789', v)", [1, -1580515198, 0]),
        ("TIMESTAMPDIFF(MONTH, TIMESTAMP '2019-12-31 23:59:59.123456789', v)", [1, -599, 0]),
        (
            "(v - TIMESTAMP '2020-01-31 23:59:58.123456789') SECOND",
            [timedelta(0, 1), timedelta(-18293, 1, 877000), timedelta(0, 0, 999000)],
        ),
        ("(v, v) OVERLAPS (TIMESTAMP '2020-01-31 23:59:59.123456788', TIMESTAMP '2020-01-31 23:59:59.123456788')", [False, False, False]),
    ],
)
def test_timestamps_have_nine_digits_in_a_session_zone(env: TableEnvironment, of_moments: str, expected: list[Any]) -> None:
    env.get_config().set("table.local-time-zone", "Asia/Kolkata")
    assert [value for (value,) in rows(env, f"SELECT x FROM (SELECT k, {of_moments} AS x FROM {MOMENTS}) AS y ORDER BY k")] == expected


@pytest.mark.parametrize("format_", ["csv", "json", "parquet"])
def test_files_keep_nine_digits(env: TableEnvironment, tmp_path: Path, format_: str) -> None:
    columns = "a TIMESTAMP(9), b TIMESTAMP_LTZ(9), c TIME(9)"
    env.execute_sql(f"CREATE TABLE f ({columns}) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path}')")
    values = (
        "TIMESTAMP '2020-01-31 23:59:59.123456789', CAST('2020-01-31 23:59:59.123456789' AS TIMESTAMP_LTZ(9)), TIME '23:59:59.123456789'"
    )
    env.execute_sql(f"INSERT INTO f VALUES ({values})").wait()
    assert rows(env, "SELECT * FROM f WHERE c > TIME '23:59:59.123456788'") == [(MOMENT, INSTANT, TIME)]


def test_json_of_an_instant_is_in_utc(env: TableEnvironment) -> None:
    env.get_config().set("table.local-time-zone", "Asia/Kolkata")
    sql = f"SELECT JSON_STRING(CAST(v AS TIMESTAMP_LTZ(9))), JSON_ARRAY(CAST(v AS TIMESTAMP_LTZ(3))) FROM {MOMENTS} WHERE k = 1"
    assert rows(env, sql) == [('"2020-01-31T18:29:59.123456789Z"', '["2020-01-31T18:29:59.123Z"]')]


@pytest.mark.parametrize(("digits", "text"), [(0, "12:00:00"), (3, "12:00:00.0"), (6, "12:00:00.0"), (9, "12:00:00.0")])
def test_the_text_of_a_time_has_at_least_one_fractional_digit(env: TableEnvironment, digits: int, text: str) -> None:
    assert rows(env, f"SELECT CAST(CAST(v AS TIME({digits})) AS STRING) FROM (VALUES '12:00:00') AS t(v)") == [(text,)]
