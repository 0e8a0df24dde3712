"""The environment: queries, parameters, tables of values and descriptors."""

from __future__ import annotations

import pytest

from table_api import Schema, TableDescriptor, TableEnvironment
from table_api.expressions import (
    col,
    lit,
)

SINK = TableDescriptor.for_connector("none").schema(Schema.new_builder().column("n", "BIGINT").column("s", "STRING").build()).build()


def test_temporary_view_of_a_table_is_found_by_sql(env: TableEnvironment) -> None:
    env.create_temporary_view("v", env.from_path("t").select(col("a").alias("x")))
    assert env.sql_query("SELECT x FROM v").get_resolved_schema().column_names == ("x",)
    assert env.drop_temporary_view("v") is True
    assert env.drop_temporary_view("v") is False


def test_parameters_are_bound_as_values(env: TableEnvironment) -> None:
    bound = env.sql_query("SELECT * FROM t WHERE b = :name", {"name": "x' OR '1' = '1"})
    assert "x'' OR ''1'' = ''1" in bound.explain()


def test_values_are_named_by_position(env: TableEnvironment) -> None:
    assert env.from_values((1, "a"), (lit(2), "bc")).get_resolved_schema().column_names == ("f0", "f1")


def test_descriptor_is_a_table_without_a_name(env: TableEnvironment) -> None:
    assert env.from_descriptor(SINK).get_resolved_schema().column_names == ("n", "s")
    assert env.list_temporary_tables() == ["t"]


def test_explain_of_ddl_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(Exception, match="EXPLAIN accepts a query"):
        env.explain_sql("CREATE TABLE u (a INT)")
