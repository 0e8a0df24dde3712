"""``from_arrow`` on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_api import DataTypes, TableEnvironment
from table_api.expressions import col
from table_common.exceptions import TableException, ValidationException

TABLE = pa.table({"a": [1, 2, 3, None], "b": ["x", "y", "x", "z"], "d": pa.array(["u", "v", "u", "u"]).dictionary_encode()})


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: Callable[[str], TableEnvironment]) -> TableEnvironment:
    return make_env(request.param)


def test_arrow_data_can_be_queried_as_a_table(env: Any) -> None:
    table = env.from_arrow(TABLE, splits_num=2)
    assert table.filter(col("a") > 1).select(col("b"), col("d")).to_arrow().to_pylist() == [{"b": "y", "d": "v"}, {"b": "x", "d": "u"}]
    env.create_temporary_view("t", table)
    joined = env.sql_query("SELECT l.b, COUNT(*) AS n, SUM(r.a) AS s FROM t l JOIN t r USING (b) GROUP BY l.b ORDER BY l.b")
    assert [tuple(row.values()) for row in joined.to_arrow().to_pylist()] == [("x", 4, 8), ("y", 1, 2), ("z", 1, None)]


def test_a_schema_determines_names_and_types(env: Any) -> None:
    fields = [
        DataTypes.FIELD("k", DataTypes.SMALLINT()),
        DataTypes.FIELD("v", DataTypes.STRING()),
        DataTypes.FIELD("w", DataTypes.STRING()),
    ]
    assert env.from_arrow(TABLE, DataTypes.ROW(fields)).to_arrow().schema.types == [pa.int16(), pa.string(), pa.string()]
    assert env.from_arrow(TABLE, ["p", "q", "r"]).get_schema().get_field_names() == ["p", "q", "r"]
    assert env.from_arrow(TABLE, [DataTypes.INT(), DataTypes.STRING(), DataTypes.STRING()]).to_arrow().column_names == ["a", "b", "d"]


def test_the_result_of_a_query_can_be_the_table_of_another(env: Any) -> None:
    result = env.from_elements([(1, "a"), (2, "b")], ["x", "y"]).execute()
    assert env.from_arrow(result).select((col("x") + 1).alias("z"), col("y")).to_arrow().to_pylist() == [
        {"z": 2, "y": "a"},
        {"z": 3, "y": "b"},
    ]


def test_the_plan_shows_the_push_downs_into_the_data(env: Any) -> None:
    plan = env.from_arrow(TABLE).filter(col("a") > 1).select(col("b")).explain()
    assert "source=[InMemoryTable where (a > 1)], fields=[b]" in plan


def test_in_process_data_cannot_be_stored_in_a_catalog_or_plan(env: Any) -> None:
    table = env.from_arrow(TABLE)
    with pytest.raises(ValidationException, match="cannot be written as SQL"):
        env.create_view("stored", table)
    env.create_temporary_view("v", table)
    env.execute_sql("CREATE TABLE s (a BIGINT) WITH ('connector' = 'blackhole')")
    with pytest.raises(TableException, match="cannot be compiled"):
        env.compile_plan_sql("INSERT INTO s SELECT a FROM v")
