"""Group windows of the Table API."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_api import Table, TableEnvironment, ValidationException
from table_api.expressions import col, lit, row_interval
from table_api.udf import AggregateFunction, udaf
from table_api.window import GroupWindow, Session, Slide, Tumble
from table_common.configuration import ExecutionConfigOptions

TUMBLING = Tumble.over(lit(10).minutes).on(col("ts")).alias("w")
SLIDING = Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts")).alias(col("w"))
SESSIONS = Session.with_gap(lit(10).minutes).on(col("ts")).alias("w")


@pytest.fixture
def stamped(env: Any) -> Table:
    environment: TableEnvironment = env
    environment.get_config().set(ExecutionConfigOptions.TABLE_EXEC_SESSION_WINDOWS_IN_BATCH, True)
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


class Total(AggregateFunction[Any, Any]):
    def create_accumulator(self) -> list[int]:
        return [0, 0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> Any:
        return accumulator


TOTAL = udaf(Total(), result_type="ROW<s BIGINT, n BIGINT>", accumulator_type="ARRAY<BIGINT>")


@pytest.mark.parametrize(
    ("selected", "columns"),
    [
        ((col("b"), col("w").start.alias("x"), col("s") + col("n")), "`b` STRING, `x` TIMESTAMP(6) NOT NULL, `_c2` BIGINT"),
        ((col("w").end, col("w").start), "`_c0` TIMESTAMP(6) NOT NULL, `_c1` TIMESTAMP(6) NOT NULL"),
        ((col("*"), col("w").start.cast("STRING")), "`b` STRING, `s` BIGINT, `n` BIGINT, `_c3` STRING NOT NULL"),
    ],
)
def test_aggregate_gives_the_groups_and_the_columns_of_the_result(stamped: Table, selected: tuple[Any, ...], columns: str) -> None:
    made = stamped.window(TUMBLING).group_by(col("w"), col("b")).aggregate(TOTAL(col("a"))).select(*selected)
    assert ", ".join(map(str, made.get_resolved_schema().columns)) == columns


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda t: t.window(TUMBLING).group_by(col("b")), "takes the alias of the window once, which is 'w'"),
        (lambda t: t.window(TUMBLING).group_by(col("w"), col("w")), "takes the alias of the window once, which is 'w'"),
        (lambda t: t.window(TUMBLING).group_by(col("w")).select(col("w")), "TUMBLE can only be used in GROUP BY"),
        (
            lambda t: t.window(TUMBLING).group_by(col("w")).select(col("w").size),
            "The properties of the window .w. are start, end, rowtime, proctime",
        ),
        (lambda t: t.window(TUMBLING).group_by(col("w")).aggregate(TOTAL(col("a"))).select(col("w")), "Column 'w' does not exist"),
        (
            lambda t: t.window(TUMBLING).group_by(col("w")).aggregate(TOTAL(col("a"))).select(col("w").size),
            "The properties of the window .w. are start",
        ),
        (lambda t: t.window(TUMBLING).group_by(col("w")).aggregate(3).select(col("s")), "'int' is not a function"),
        (
            lambda t: t.window(TUMBLING).group_by(col("w")).aggregate(TOTAL(col("a")).alias("x")).select(col("x")),
            "aggregate returns 2 columns, but 1 names were specified",
        ),
        (lambda t: Tumble.over(lit(1).minutes).on(col("ts")).alias(col("a") + 1), "The alias of a window is a name."),
    ],
)
def test_wrong_windows_are_refused(stamped: Table, build: Callable[[Table], Any], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        build(stamped)


def test_aggregates_and_properties_without_alias_are_numbered(stamped: Table) -> None:
    groups = stamped.window(TUMBLING).group_by(col("w"), col("b"))
    made = groups.select(col("w").start, col("b"), col("a").sum, col("a").count + 1, col("a").max, col("a").sum)
    assert made.get_schema().get_field_names() == ["EXPR$0", "b", "EXPR$1", "_c3", "EXPR$3", "_c5"]


@pytest.mark.parametrize("kind", [Tumble, Slide])
def test_windows_of_rows_are_refused(kind: Any) -> None:
    with pytest.raises(
        ValidationException, match=r"no windows of a number of rows, such as row_interval\(2\).*\n.*group by \(number - 1\) / 2"
    ):
        kind.over(row_interval(2))


def test_a_number_is_a_time_in_milliseconds_in_batch_mode(stamped: Table) -> None:
    by_number = stamped.window(Tumble.over(lit(2).millis).on(col("a")).alias("w")).group_by(col("w")).select(col("w").start, col("a").sum)
    assert [str(column.data_type) for column in by_number.get_resolved_schema().columns] == ["TIMESTAMP(3) NOT NULL", "BIGINT"]
    with pytest.raises(ValidationException, match=r"TUMBLE\(STRING, .*is not a valid call"):
        stamped.window(Tumble.over(lit(2).millis).on(col("b")).alias("w")).group_by(col("w")).select(col("a").sum)
