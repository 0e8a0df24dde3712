"""Tests for table_api.tables.table_description."""

from __future__ import annotations

from table_api import TableEnvironment, col


def test_the_text_of_a_table_is_a_path_that_sql_accepts(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a, 'x' AS b")
    query = env.sql_query(f"SELECT b, a FROM {table} WHERE a > 0")
    assert query.get_schema().get_field_names() == ["b", "a"]
    assert str(table) == str(table)
    assert str(table) in (f"`default_catalog`.`default_database`.`{name}`" for name in env.list_temporary_views())


def test_each_table_has_a_path_of_its_own(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a")
    assert str(table) != str(table.select(col("a")))


def test_the_path_is_valid_in_another_database(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a")
    text = f"SELECT a FROM {table}"
    env.execute_sql("CREATE DATABASE other")
    env.use_database("other")
    assert env.sql_query(text).get_schema().get_field_names() == ["a"]


def test_the_representation_has_the_columns(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a")
    assert repr(table) == "Table(\n  `a` INT NOT NULL\n)"
    assert not any(name.startswith("Unnamed") for name in env.list_temporary_views())
