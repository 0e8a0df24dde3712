"""A program as PyFlink's pages on vectorised functions show them, with other import lines only."""

from __future__ import annotations

import pytest

from table_api import DataTypes, EnvironmentSettings, Row, TableEnvironment
from table_api.expressions import col
from table_api.udf import udaf, udf

pd = pytest.importorskip("pandas", reason="these tests are of the extra 'pandas'")


@udf(result_type=DataTypes.BIGINT(), func_type="pandas")
def add(i, j):  # type: ignore[no-untyped-def]
    return i + j


@udf(
    result_type=DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())]),
    func_type="pandas",
)
def doubled(x):  # type: ignore[no-untyped-def]
    return pd.concat([x.a, x.b * 2], axis=1)


@udaf(result_type=DataTypes.FLOAT(), func_type="pandas")
def mean_udaf(v):  # type: ignore[no-untyped-def]
    return v.mean()


@udaf(
    result_type=DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())]),
    func_type="pandas",
)
def sum_and_max(x):  # type: ignore[no-untyped-def]
    return Row(int(x.b.sum()), int(x.b.max()))


def test_program_of_vectorised_functions() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    t = t_env.from_elements(
        [(1, 2), (2, 3), (1, 4)],
        DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())]),
    )
    t_env.create_temporary_function("mean_udaf", mean_udaf)
    t_env.create_temporary_view("source", t)
    assert t.select(add(col("a"), col("b"))).to_arrow().column(0).to_pylist() == [3, 5, 5]
    assert t.map(doubled).alias("x", "y").to_arrow().to_pylist() == [{"x": 1, "y": 4}, {"x": 2, "y": 6}, {"x": 1, "y": 8}]
    by_key = t.group_by(col("a")).select(col("a"), mean_udaf(col("b")).alias("m")).order_by(col("a"))
    assert by_key.to_arrow().to_pylist() == [{"a": 1, "m": 3.0}, {"a": 2, "m": 3.0}]
    assert t_env.sql_query("SELECT mean_udaf(b) AS m FROM source").to_arrow().to_pylist() == [{"m": 3.0}]
    found = t.group_by(col("a")).aggregate(sum_and_max.alias("c", "d")).select(col("a"), col("c"), col("d")).order_by(col("a"))
    assert found.to_arrow().to_pylist() == [{"a": 1, "c": 6, "d": 4}, {"a": 2, "c": 3, "d": 3}]
