"""The nodes of table definitions."""

from __future__ import annotations

from table_api.sql.ast import ColumnDef, CreateTable, CreateView, DistributionDef, PrimaryKeyDef
from table_api.sql.parser import parse_statement
from table_common.types import IntType


def test_the_primary_key_is_the_first_constraint_of_that_kind() -> None:
    table = parse_statement("CREATE TABLE t (a INT, b INT, UNIQUE (b), PRIMARY KEY (a) NOT ENFORCED)")
    assert isinstance(table, CreateTable)
    assert table.primary_key == PrimaryKeyDef(("a",), None, False)


def test_a_table_without_a_primary_key_has_none() -> None:
    table = parse_statement("CREATE TABLE t (a INT, UNIQUE (a))")
    assert isinstance(table, CreateTable)
    assert table.primary_key is None


def test_columns_are_equal_whatever_their_spans() -> None:
    table = parse_statement("CREATE TABLE t (a INT)")
    assert isinstance(table, CreateTable)
    assert table.columns == (ColumnDef("a", IntType()),)


def test_a_distribution_may_have_buckets_only() -> None:
    table = parse_statement("CREATE TABLE t (a INT) DISTRIBUTED INTO 3 BUCKETS")
    assert isinstance(table, CreateTable)
    assert table.distribution == DistributionDef(None, (), 3)


def test_the_text_of_a_view_is_that_of_its_query() -> None:
    view = parse_statement("CREATE VIEW v (x) AS SELECT  a FROM t;")
    assert isinstance(view, CreateView)
    assert view.query_text == "SELECT  a FROM t"
