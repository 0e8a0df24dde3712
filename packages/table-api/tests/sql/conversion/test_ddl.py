"""CREATE, DROP and ALTER of databases, catalogs and views."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations.ddl import CreateCatalogOperation, CreateDatabaseOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_a_database_is_of_the_catalog_that_it_names(convert: Any) -> None:
    operation = convert("CREATE DATABASE x.y WITH ('k' = 'v')")
    assert isinstance(operation, CreateDatabaseOperation)
    assert (operation.catalog_name, operation.database_name, dict(operation.database.properties)) == ("x", "y", {"k": "v"})


def test_a_catalog_has_options(convert: Any) -> None:
    operation = convert("CREATE CATALOG x WITH ('type' = 'generic_in_memory')")
    assert isinstance(operation, CreateCatalogOperation)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE CATALOG x WITH ('a' = '1', 'a' = '2')", "Option 'a' is given twice"),
        ("CREATE DATABASE a.b.c", "a name of one or two parts, but got a.b.c"),
        ("ALTER TABLE nope SET ('a' = '1')", "'nope'"),
        ("ALTER VIEW t AS SELECT 1", "is a table, not a view"),
        ("ALTER TABLE t RESET ('connector')", "'connector' cannot be reset"),
    ],
)
def test_a_wrong_definition_says_what_is_wrong(convert: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(text)
