"""CREATE and DROP of catalogs, databases, functions and models."""

from __future__ import annotations

import pytest

from table_api.sql import ast
from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException


def test_a_database_has_a_comment_and_options() -> None:
    statement = parse_statement("CREATE DATABASE IF NOT EXISTS c.d COMMENT 'x' WITH ('k' = 'v')")
    assert isinstance(statement, ast.CreateDatabase)
    assert (statement.path, statement.if_not_exists, statement.comment, statement.options) == (("c", "d"), True, "x", (("k", "v"),))


def test_a_temporary_system_function_has_a_class_and_a_language() -> None:
    statement = parse_statement("CREATE TEMPORARY SYSTEM FUNCTION f AS 'm.F' LANGUAGE PYTHON")
    assert isinstance(statement, ast.CreateFunction)
    assert (statement.path, statement.temporary, statement.system, statement.class_name, statement.language) == (
        ("f",),
        True,
        True,
        "m.F",
        "PYTHON",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE SYSTEM FUNCTION f AS 'm.F'", "always temporary"),
        ("CREATE TEMPORARY SYSTEM FUNCTION d.f AS 'm.F'", "a name of one part"),
        ("CREATE FUNCTION f AS 'm.F' LANGUAGE PYTHON USING JAR 'x'", "does not accept the language PYTHON"),
    ],
)
def test_a_wrong_function_says_what_is_accepted(text: str, message: str) -> None:
    with pytest.raises(SqlParserException, match=message):
        parse_statement(text)


def test_drop_has_kind_path_and_behavior() -> None:
    statement = parse_statement("DROP DATABASE IF EXISTS c.d CASCADE")
    assert isinstance(statement, ast.DropStatement)
    assert (statement.kind, statement.path, statement.if_exists, statement.cascade) == ("DATABASE", ("c", "d"), True, True)
