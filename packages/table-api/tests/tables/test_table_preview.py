"""Tests for table_api.tables.table_preview, as far as they need no engine."""

from __future__ import annotations

import pytest

from table_api import Table, TableEnvironment, col
from table_common.exceptions import ValidationException


@pytest.fixture
def table(env: TableEnvironment) -> Table:
    return env.sql_query("SELECT 1 AS a, 'x' AS b, 2.5 AS `count`, 3 AS `two words`")


def test_columns_are_the_names(table: Table) -> None:
    assert table.columns == ["a", "b", "count", "two words"]


def test_brackets_select_columns_and_rows(table: Table) -> None:
    assert str(table["a"]) == str(col("a"))
    assert table[["b", "a"]].columns == ["b", "a"]
    assert table[table["a"] > 0].columns == table.columns
    assert "limit" in table[:10].explain().lower()
    assert "offset" in table[5:].explain().lower()


def test_an_unknown_column_is_refused_with_the_columns(table: Table) -> None:
    with pytest.raises(ValidationException, match=r"no column 'c'\. Its columns: a, b, count, two words"):
        table["c"]
    with pytest.raises(ValidationException, match="no column 'd'"):
        table[["a", "d"]]


@pytest.mark.parametrize("key", [3, [], ["a", 1], None])
def test_other_keys_are_refused_with_what_is_accepted(table: Table, key: object) -> None:
    with pytest.raises(ValidationException, match=r"t\[\['a', 'b'\]\]"):
        table[key]  # type: ignore[index]  # on purpose


@pytest.mark.parametrize("rows", [slice(-3, None), slice(None, -1), slice(0, 10, 2)])
def test_rows_are_not_counted_from_the_end(table: Table, rows: slice) -> None:
    with pytest.raises(ValidationException, match="LIMIT and OFFSET"):
        table[rows]


def test_a_table_is_not_iterable(table: Table) -> None:
    with pytest.raises(TypeError, match="not iterable"):
        list(table)  # type: ignore[call-overload]  # on purpose


def test_a_column_goes_before_a_method_that_pyflink_lacks(table: Table) -> None:
    assert str(table.count) == str(col("count"))
    assert table.head(2).columns == table.columns


def test_completion_finds_columns_and_methods(table: Table) -> None:
    names = dir(table)
    assert {"a", "b", "select", "head", "cache"} <= set(names)
    assert "two words" not in names
    assert table._ipython_key_completions_() == table.columns


def test_a_description_has_a_row_per_column(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT 1 AS a, ARRAY[1] AS b")
    assert table.describe().columns == ["column", "type", "min", "max", "avg", "distinct", "nulls", "rows"]
    assert env.sql_query("SELECT 1 AS `describe`").describe.__class__ is col("a").__class__
