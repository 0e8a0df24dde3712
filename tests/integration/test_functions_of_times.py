"""User functions of all kinds with TIME results, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from typing import Any

import pyarrow as pa
import pytest

from table_api import DataTypes, TableEnvironment
from table_api.udf import AggregateFunction, udaf, udf, udtf

MakeEnv = Callable[[str], TableEnvironment]
TIMES = "(VALUES (1, TIME '01:02:03'), (2, TIME '04:05:06'), (3, CAST(NULL AS TIME))) AS t(i, t)"


class Latest(AggregateFunction[Any, Any]):
    def create_accumulator(self) -> Any:
        return [None]

    def accumulate(self, accumulator: Any, *args: Any) -> None:
        if args[0] is not None and (accumulator[0] is None or args[0] > accumulator[0]):
            accumulator[0] = args[0]

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    return make_env(request.param)


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@pytest.mark.parametrize(("precision", "micros"), [(0, 0), (3, 123_000), (6, 123_456)])
def test_a_scalar_function_returns_times_with_their_precision(env: TableEnvironment, precision: int, micros: int) -> None:
    later = udf(lambda t: None if t is None else t.replace(hour=5, microsecond=123_456), result_type=DataTypes.TIME(precision))
    env.create_temporary_function("later", later)
    assert rows(env, f"SELECT later(t) FROM {TIMES} ORDER BY i") == [(time(5, 2, 3, micros),), (time(5, 5, 6, micros),), (None,)]


def test_a_table_function_returns_times(env: TableEnvironment) -> None:
    env.create_temporary_function("signed", udtf(lambda i, t: [(t, i), (t, -i)], result_types=[DataTypes.TIME(3), DataTypes.INT()]))
    found = rows(env, f"SELECT a, b FROM {TIMES}, LATERAL TABLE(signed(i, t)) AS x(a, b) WHERE i < 2 ORDER BY b")
    assert found == [(time(1, 2, 3), -1), (time(1, 2, 3), 1)]


def test_an_aggregate_function_returns_a_time(env: TableEnvironment) -> None:
    latest = udaf(Latest(), result_type=DataTypes.TIME(3), accumulator_type=DataTypes.ARRAY(DataTypes.TIME(3)))
    env.create_temporary_function("latest", latest)
    assert rows(env, f"SELECT latest(t) FROM {TIMES}") == [(time(4, 5, 6),)]


def test_in_process_rows_are_filtered_by_a_list_of_times(env: TableEnvironment) -> None:
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("t", pa.time32("s"), nullable=False)])
    env.create_temporary_view("events", env.from_arrow(pa.table({"id": [6], "t": pa.array([time(0)], pa.time32("s"))}, schema=schema)))
    assert rows(env, "SELECT 7 AS x FROM events WHERE t NOT IN (TIME '23:59:59', TIME '00:00:00')") == []
