"""Lookup joins in SQL: what is asked of the connector, and what is done here."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_runtime.connectors.values import register_values, unregister_values

JOIN = "FROM o {kind} d FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id"


@pytest.fixture(autouse=True)
def _tables(env: Any) -> Any:
    register_values("orders", [(1, "a"), (2, "b"), (2, "b"), (3, None), (None, "a"), (9, "z")])
    register_values("dim", [(1, "one", 1.5, "x"), (2, "two", 2.5, "x"), (2, "zwei", 3.5, "y"), (4, "four", None, "x")])
    env.execute_sql("CREATE TABLE o (k INT, name STRING, pt AS PROCTIME()) WITH ('connector' = 'values', 'data-id' = 'orders')")
    yield
    unregister_values("orders")
    unregister_values("dim")


@pytest.fixture
def dim(env: Any) -> Any:
    def make(**options: str) -> None:
        given = "".join(f", '{key.replace('__', '.').replace('_', '-')}' = '{value}'" for key, value in options.items())
        env.execute_sql(
            f"CREATE TABLE d (id BIGINT, txt STRING, w DOUBLE, kind STRING) WITH ('connector' = 'values', 'data-id' = 'dim'{given})"
        )

    return make


@pytest.mark.parametrize("cache", ["NONE", "PARTIAL", "FULL"])
@pytest.mark.parametrize("mode", ["batch", "row", "async-batch", "async-row"])
def test_every_kind_of_function_and_cache_gives_the_same_rows(dim: Any, query: Any, mode: str, cache: str) -> None:
    dim(lookup_mode=mode, lookup__cache=cache)
    found = query(f"SELECT o.k, o.name, d.txt {JOIN.format(kind='LEFT JOIN')} AND d.w < 3")
    expected = [(1, "a", "one"), (2, "b", "two"), (2, "b", "two"), (3, None, None), (None, "a", None), (9, "z", None)]
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_constants_are_keys_too(env: Any, dim: Any, query: Any) -> None:
    dim()
    sql = f"SELECT o.k, d.txt {JOIN.format(kind='JOIN')} AND d.kind = 'y'"
    assert "lookup=[id=CAST(k AS BIGINT), kind=" in env.explain_sql(sql)
    assert query(sql) == [(2, "zwei"), (2, "zwei")]


def test_other_conditions_are_checked_on_pairs(dim: Any, query: Any) -> None:
    dim()
    assert query(f"SELECT o.k, d.txt {JOIN.format(kind='JOIN')} AND CHAR_LENGTH(d.txt) > o.k + 1") == [
        (1, "one"),
        (2, "zwei"),
        (2, "zwei"),
    ]


def test_a_where_clause_reaches_the_table_that_is_asked(env: Any, dim: Any, query: Any) -> None:
    dim()
    sql = f"SELECT d.txt {JOIN.format(kind='JOIN')} WHERE d.w > 3"
    assert "where=[(w > 3.0E0)]" in env.explain_sql(sql)
    assert query(sql) == [("zwei",), ("zwei",)]


def test_only_columns_that_are_used_are_looked_up(env: Any, dim: Any) -> None:
    dim()
    assert "select=[id, txt]" in env.explain_sql(f"SELECT d.txt {JOIN.format(kind='JOIN')}")


def test_expressions_are_keys_and_results(dim: Any, query: Any) -> None:
    dim()
    sql = "SELECT UPPER(d.txt) FROM o JOIN d FOR SYSTEM_TIME AS OF o.pt AS d ON o.k + 3 = d.id"
    assert query(sql) == [("FOUR",)]


def test_a_view_that_filters_and_computes_is_asked_as_its_table(env: Any, dim: Any, query: Any) -> None:
    dim()
    env.execute_sql("CREATE VIEW v AS SELECT id AS vid, txt || '!' AS loud FROM d WHERE kind = 'x'")
    assert sorted(query("SELECT v.loud FROM o JOIN v FOR SYSTEM_TIME AS OF o.pt AS v ON o.k = v.vid")) == [("one!",), ("two!",), ("two!",)]


def test_a_condition_without_a_key_is_refused(dim: Any, query: Any) -> None:
    dim()
    with pytest.raises(ValidationException, match=r"looks up rows of table default_catalog.default_database.d by key"):
        query("SELECT 1 FROM o JOIN d FOR SYSTEM_TIME AS OF o.pt AS d ON o.k > d.id")


def test_a_table_that_can_only_be_scanned_is_refused(env: Any, query: Any) -> None:
    env.execute_sql("CREATE TABLE g (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')")
    with pytest.raises(ValidationException, match="it is not a LookupTableSource"):
        query("SELECT 1 FROM o JOIN g FOR SYSTEM_TIME AS OF o.pt AS g ON o.k = g.id")
