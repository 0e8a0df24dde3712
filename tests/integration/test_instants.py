"""Arithmetic on TIMESTAMP_LTZ at clock changes in the session's time zone: both engines return Flink 2.3's results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]
INSTANTS = """
    SELECT CAST(a AS TIMESTAMP_LTZ(3)) AS x, CAST(b AS TIMESTAMP_LTZ(3)) AS y, CAST(a AS TIMESTAMP_LTZ(9)) AS n FROM (VALUES
        ('2021-02-14 03:30:00', '2021-03-14 03:30:00'), ('2021-11-06 12:00:00', '2021-11-07 12:00:00')) AS t(a, b)
"""


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    environment = make_env(request.param)
    environment.execute_sql("SET 'table.local-time-zone' = 'America/New_York'")
    environment.execute_sql(f"CREATE TEMPORARY VIEW instants AS {INSTANTS}")
    return environment


def rows(env: TableEnvironment, expressions: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in env.execute_sql(f"SELECT {expressions} FROM instants").collect()]


def test_intervals_are_added_in_utc(env: TableEnvironment) -> None:
    moved = (
        "x + INTERVAL '1' DAY",
        "TIMESTAMPADD(DAY, 1, x)",
        "x + INTERVAL '1' MONTH",
        "TIMESTAMPADD(YEAR, 1, x)",
        "n + INTERVAL '1' MONTH",
    )
    found = rows(env, ", ".join(f"SUBSTRING(CAST({one} AS STRING) FROM 1 FOR 16)" for one in moved))
    assert found == [
        ("2021-02-15 03:30", "2021-02-15 03:30", "2021-03-14 04:30", "2022-02-14 03:30", "2021-03-14 04:30"),
        ("2021-11-07 11:00", "2021-11-07 11:00", "2021-12-06 11:00", "2022-11-06 11:00", "2021-12-06 11:00"),
    ]


def test_differences_are_computed_in_utc(env: TableEnvironment) -> None:
    assert rows(env, "TIMESTAMPDIFF(MONTH, x, y), TIMESTAMPDIFF(DAY, x, y), TIMESTAMPDIFF(HOUR, x, y), (y - x) DAY TO SECOND") == [
        (0, 27, 671, timedelta(days=27, hours=23)),
        (0, 1, 25, timedelta(days=1, hours=1)),
    ]
