"""Group windows of the Table API."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_api import Table, TableEnvironment, ValidationException
from table_api.expressions import col, lit, row_interval
from table_api.table_config import SESSION_WINDOWS_IN_BATCH
from table_api.window import GroupWindow, Session, Slide, Tumble

TUMBLING = Tumble.over(lit(10).minutes).on(col("ts")).alias("w")
SLIDING = Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts")).alias(col("w"))
SESSIONS = Session.with_gap(lit(10).minutes).on(col("ts")).alias("w")


@pytest.fixture
def stamped(env: Any) -> Table:
    environment: TableEnvironment = env
    environment.get_config().set(SESSION_WINDOWS_IN_BATCH, True)
    table = environment.from_elements([(1, "x", datetime.datetime(2020, 1, 1))], ["a", "b", "ts"])
    environment.create_temporary_view("s", table)
    return table


@pytest.mark.parametrize(
    ("window", "sql"),
    [
        (TUMBLING, "TUMBLE(ts, INTERVAL '10' MINUTE)"),
        (SLIDING, "HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"),
        (SESSIONS, "SESSION(ts, INTERVAL '10' MINUTE)"),
    ],
)
def test_a_window_is_what_sql_makes_of_group_by(env: Any, stamped: Table, window: GroupWindow, sql: str) -> None:
    built = (
        stamped.window(window)
        .group_by(col("w"), col("b"))
        .select(col("b"), col("w").start.alias("s"), col("w").end.alias("e"), col("w").rowtime.alias("r"), col("a").sum.alias("n"))
    )
    name, _, arguments = sql.partition("(")
    written = env.sql_query(
        f"SELECT b, {name}_START({arguments} AS s, {name}_END({arguments} AS e, {name}_ROWTIME({arguments} AS r, SUM(a) AS n "
        f"FROM s GROUP BY {sql}, b"
    )
    assert built.query_operation == written.query_operation


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda t: t.window(TUMBLING).group_by(col("b")), "takes the alias of the window once, which is 'w'"),
        (lambda t: t.window(TUMBLING).group_by(col("w"), col("w")), "takes the alias of the window once, which is 'w'"),
        (lambda t: t.window(TUMBLING).group_by(col("w")).select(col("w")), "TUMBLE stands in GROUP BY"),
        (lambda t: t.window(TUMBLING).group_by(col("w")).select(col("w").size), "A window knows its start, end, rowtime, proctime"),
        (
            lambda t: t.window(Tumble.over(row_interval(2)).on(col("ts")).alias("w")).group_by(col("w")).select(col("a").sum),
            "is not a valid call",
        ),
        (lambda t: Tumble.over(lit(1).minutes).on(col("ts")).alias(col("a") + 1), "The alias of a window is a name."),
    ],
)
def test_wrong_windows_are_refused(stamped: Table, build: Callable[[Table], Any], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        build(stamped)
