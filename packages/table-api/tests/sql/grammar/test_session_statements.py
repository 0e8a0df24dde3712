"""Statements about the session: SET, USE, SHOW and DESCRIBE."""

from __future__ import annotations

import pytest

from table_api.operations import command
from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException, ValidationException


def test_an_option_without_quotes_has_a_hint() -> None:
    with pytest.raises(ValidationException, match="written in single quotes") as raised:
        parse_statement("SET table.local-time-zone = UTC")
    assert raised.value.hint == "SET 'table.local-time-zone' = 'UTC'"


def test_a_module_name_may_be_a_string() -> None:
    assert parse_statement("LOAD MODULE 'hive'") == command.LoadModuleOperation("hive")


def test_drain_needs_a_savepoint() -> None:
    with pytest.raises(SqlParserException, match="WITH DRAIN needs WITH SAVEPOINT"):
        parse_statement("STOP JOB '1' WITH DRAIN")


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("SHOW TABLES", "TABLES", ()),
        ("SHOW TABLES FROM c.d", "TABLES", ("c", "d")),
        ("SHOW FUNCTIONS IN d", "FUNCTIONS", ("d",)),
    ],
)
def test_show_names_what_is_listed_and_where(text: str, kind: str, path: tuple[str, ...]) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, command.ShowOperation)
    assert (statement.kind, statement.path or ()) == (kind, path)


@pytest.mark.parametrize("text", ["SHOW JARS LIKE 'a'", "SHOW MODULES LIKE 'a'", "SHOW CATALOGS FROM c"])
def test_a_clause_that_a_listing_does_not_have_is_an_error(text: str) -> None:
    with pytest.raises(SqlParserException, match=r"Unexpected '(LIKE|FROM)'"):
        parse_statement(text)


def test_a_table_may_be_named_as_a_kind_of_object() -> None:
    statement = parse_statement("DESCRIBE catalog")
    assert isinstance(statement, command.DescribeOperation)
    assert (statement.kind, statement.path) == ("TABLE", ("catalog",))
