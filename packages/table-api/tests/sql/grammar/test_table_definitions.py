"""CREATE TABLE, VIEW and MATERIALIZED TABLE."""

from __future__ import annotations

import pytest

from table_api.sql import ast
from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException
from table_common.types import BigIntType


def test_create_table_with_every_part() -> None:
    statement = parse_statement(
        """CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (
             id BIGINT NOT NULL COMMENT 'key', name STRING, total AS id * 2 COMMENT 'twice', m STRING METADATA FROM 'k' VIRTUAL,
             ts TIMESTAMP(3) METADATA, CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
           ) COMMENT 'it''s' DISTRIBUTED BY HASH (id) INTO 4 BUCKETS PARTITIONED BY (name) WITH ('connector' = 'x', 'a' = 'b');"""
    )
    assert isinstance(statement, ast.CreateTable)
    assert (statement.path, statement.temporary, statement.if_not_exists) == (("c", "d", "t"), True, True)
    assert [column.name for column in statement.columns] == ["id", "name", "total", "m", "ts"]
    id_column, _, total, metadata, _ = statement.columns
    assert (id_column.type, id_column.comment) == (BigIntType(nullable=False), "key")
    assert (total.type, total.expression is not None, total.comment) == (None, True, "twice")
    assert (metadata.is_metadata, metadata.metadata_key, metadata.is_virtual) == (True, "k", True)
    assert statement.primary_key == ast.PrimaryKeyDef(("id",), "pk", False)
    assert statement.watermarks[0].column == ("ts",)
    assert statement.comment == "it's"
    assert statement.distribution == ast.DistributionDef("HASH", ("id",), 4)
    assert statement.partitioned_by == ("name",)
    assert statement.options == (("connector", "x"), ("a", "b"))


def test_primary_key_on_a_column() -> None:
    statement = parse_statement("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, b INT UNIQUE)")
    assert isinstance(statement, ast.CreateTable)
    assert [(c.kind, c.columns, c.enforced) for c in statement.constraints] == [("PRIMARY KEY", ("a",), False), ("UNIQUE", ("b",), None)]
    assert statement.columns[0].is_primary_key


def test_create_table_like() -> None:
    statement = parse_statement("CREATE TABLE t (a INT) LIKE u (INCLUDING ALL EXCLUDING OPTIONS OVERWRITING WATERMARKS)")
    assert isinstance(statement, ast.CreateTable)
    options = (ast.LikeOption("INCLUDING", "ALL"), ast.LikeOption("EXCLUDING", "OPTIONS"), ast.LikeOption("OVERWRITING", "WATERMARKS"))
    assert statement.like == ast.LikeClause(("u",), options)


def test_create_table_as_with_names_only() -> None:
    statement = parse_statement("CREATE OR REPLACE TABLE t (b, a) WITH ('k' = 'v') AS SELECT 1 AS a, 2 AS b")
    assert isinstance(statement, ast.CreateTable)
    assert (statement.replace, statement.create, statement.identifiers_only) == (True, True, True)
    assert statement.query is not None


def test_replace_table_needs_a_query() -> None:
    statement = parse_statement("REPLACE TABLE t AS SELECT 1")
    assert isinstance(statement, ast.CreateTable)
    assert (statement.replace, statement.create) == (True, False)
    with pytest.raises(SqlParserException, match="expected one of"):
        parse_statement("REPLACE TABLE t (a INT)")


def test_names_only_without_query_is_an_error() -> None:
    with pytest.raises(SqlParserException, match="needs AS query"):
        parse_statement("CREATE TABLE t (a, b)")


def test_create_view_keeps_the_text_of_its_query() -> None:
    statement = parse_statement("CREATE VIEW IF NOT EXISTS v (x) COMMENT 'c' AS SELECT  1 -- one\n")
    assert isinstance(statement, ast.CreateView)
    assert (statement.query_text, statement.columns, statement.comment) == ("SELECT  1", ("x",), "c")


def test_create_materialized_table() -> None:
    statement = parse_statement(
        "CREATE MATERIALIZED TABLE m (PRIMARY KEY (a) NOT ENFORCED) FRESHNESS = INTERVAL '1' MINUTE REFRESH_MODE = FULL AS SELECT 1 AS a"
    )
    assert isinstance(statement, ast.CreateMaterializedTable)
    assert statement.freshness is not None
    assert (statement.freshness.value, statement.refresh_mode, statement.query_text) == (60_000_000_000, "FULL", "SELECT 1 AS a")


def test_create_or_alter_materialized_table_with_start_mode() -> None:
    statement = parse_statement("CREATE OR ALTER MATERIALIZED TABLE m START_MODE = FROM_NOW(INTERVAL '1' DAY) AS SELECT 1 AS a")
    assert isinstance(statement, ast.CreateMaterializedTable)
    assert statement.or_alter
    assert statement.start_mode is not None
    assert statement.start_mode.kind == "FROM_NOW"
