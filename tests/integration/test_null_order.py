"""Where NULL is in the order of a table and in that of SQL, as Flink has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_api import DataTypes, EnvironmentSettings, TableEnvironment, col

MakeEnv = Callable[[str], TableEnvironment]
ROWS = [(1, "b"), (2, None), (None, "a"), (4, "c")]
SCHEMA = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("s", DataTypes.STRING())])


def _xs(table: Any) -> list[int | None]:
    return [row[0] for row in table.execute().collect()]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_null_is_the_greatest_value_to_order_by_and_the_least_to_sql(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    table = env.from_elements(ROWS, SCHEMA)
    assert _xs(table.order_by(col("x"))) == [1, 2, 4, None]
    assert _xs(table.order_by(col("x").desc).fetch(2)) == [None, 4]
    assert _xs(table.order_by(col("x").asc).limit(2, 1)) == [2, 4]
    assert _xs(env.sql_query(f"SELECT * FROM {table} ORDER BY x LIMIT 2")) == [None, 1]


def test_a_streaming_top_n_has_null_as_the_greatest_value() -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as env:
        table = env.from_elements(ROWS, SCHEMA)
        assert sorted(_final(table.order_by(col("x")).fetch(2))) == [1, 2]
        assert None in _final(table.order_by(col("x").desc).fetch(1))


def _final(table: Any) -> set[int | None]:
    values: list[int | None] = []
    for row in table.execute().collect():
        (values.append if str(row.get_row_kind()) in ("+I", "+U") else values.remove)(row[0])
    return set(values)
