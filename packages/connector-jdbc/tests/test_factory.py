"""URLs, options, names and the errors of what is missing."""

from __future__ import annotations

from typing import Any

import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from table_common.connector.sql import quote_name
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_testing import ConnectorCase, read_rows


class Case(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"


@pytest.fixture(scope="module")
def options() -> dict[str, str]:
    return {"url": server_url(), "table-name": new_table("id int4, name text", [(1, "one")])}


def refusal(options: dict[str, str]) -> TableError:
    with pytest.raises(TableError) as caught:
        Case().source(options)
    return caught.value


def test_a_jdbc_url_is_a_url_of_libpq(options: dict[str, str]) -> None:
    source: Any = Case().source({**options, "url": f"jdbc:{options['url']}"})
    assert read_rows(source, Case().row_type) == [(1, "one")]


def test_a_missing_table_names_similar_ones(options: dict[str, str]) -> None:
    schema = options["table-name"].partition(".")[0]
    run(f"CREATE TABLE {schema}.whales_of_the_north (id int4)")
    error = refusal({**options, "table-name": f"{schema}.whales_of_the_nort"})
    suggestion = error.message.partition("Did you mean ")[2].partition("?")[0]
    assert f"'{schema}.whales_of_the_north'" in suggestion
    assert "CREATE TABLE" in (error.hint or "")


def test_a_missing_column_shows_both_schemas() -> None:
    error = refusal({"url": server_url(), "table-name": new_table("id int4, nom text")})
    assert "has no column name" in error.message
    assert "nom text" in error.message


def test_a_missing_database_is_named(options: dict[str, str]) -> None:
    error = refusal({**options, "url": options["url"].replace("/postgres?", "/nix?")})
    assert isinstance(error, ValidationException)
    assert error.message.startswith("PostgreSQL's database 'nix' at ")
    assert error.message.endswith(" does not exist.")


def test_an_unknown_user_is_named(options: dict[str, str]) -> None:
    error = refusal({**options, "username": "nobody"})
    assert 'role "nobody" does not exist' in error.message


def test_a_server_that_is_away_is_an_error_without_the_password() -> None:
    error = refusal({"url": "postgresql://h@localhost:1/d", "table-name": "t", "password": "s3cret"})
    assert isinstance(error, TableRuntimeException)
    assert error.message.startswith("PostgreSQL's database 'd' at localhost:1 cannot be reached: ")
    assert "s3cret" not in str(error)
    assert "'url'" in (error.hint or "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scan.partition.num": "2"}, "needs 'scan.partition.column' too"),
        ({"scan.partition.column": "name", "scan.partition.num": "2"}, "must be a number, date or timestamp, but is text"),
        ({"scan.partition.column": "idd", "scan.partition.num": "2"}, "Did you mean 'id'?"),
        ({"scan.partition.column": "id", "scan.partition.num": "0"}, "must be at least 1, but is 0"),
        ({"scan.fetch-size": "-1"}, "must be at least 0, but is -1"),
    ],
)
def test_the_error_names_an_invalid_option(options: dict[str, str], changes: dict[str, str], message: str) -> None:
    assert message in refusal({**options, **changes}).message


def test_names_and_texts_are_quoted() -> None:
    schema = new_table("id int4").partition(".")[0]
    name = "q\"u'o\\t.e"
    run(
        f"CREATE TABLE {schema}.{quote_name(name)} (id int4, {quote_name(name)} text)",
        f"INSERT INTO {schema}.{quote_name(name)} VALUES (1, 'x')",
    )

    class Quoted(ConnectorCase):
        factory = JdbcTableFactory
        schema = "id INT"

    case = Quoted()
    assert read_rows(case.source({"url": server_url(), "table-name": f"{schema}.{quote_name(name)}"}), case.row_type) == [(1,)]
