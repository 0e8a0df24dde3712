"""URLs, names, statements with parameters, transactions and retries."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from postgres_server import database, new_table, run, server_url

from connector_jdbc import Database
from connector_jdbc.database import table_path
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableRuntimeException, ValidationException


def test_options_win_over_the_user_in_the_url() -> None:
    database = Database.of("jdbc:postgresql://h:5433/shop?user=a&password=b", "ada", "secret")
    assert database.url.startswith("postgresql://ada@h:5433/shop?")
    assert database.password == "secret"
    assert "secret" not in repr(database)


@pytest.mark.parametrize("name", ["my schema", "back\\slash", "a, b", "plain"])
def test_the_current_schema_can_have_any_name(name: str) -> None:
    quoted = quote_name(name)
    with Database.of(f"jdbc:{server_url()}&currentSchema={quote(quoted + ',public')}").session() as session:
        assert session.rows("SHOW search_path") == [(f"{quoted},public",)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("ssl=true", "sslmode=verify-full"),
        ("ssl=", "sslmode=verify-full"),
        ("ssl=true&sslmode=require", "sslmode=require"),
        ("ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory", "sslmode=require"),
        ("ApplicationName=shop", "application_name=shop"),
    ],
)
def test_options_of_jdbc_are_those_of_libpq(options: str, expected: str) -> None:
    assert expected in Database.of(f"jdbc:postgresql://h/d?{options}").url.partition("?")[2].split("&")
    assert "sslmode" not in Database.of("jdbc:postgresql://h/d?ssl=false").url


def test_another_database_is_refused() -> None:
    with pytest.raises(ValidationException, match="must be the URL of a PostgreSQL database, but begins with 'jdbc:mysql:'"):
        Database.of("jdbc:mysql://h/shop")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:s3cret/more@h:1/d",
        "postgresql://ada:s3cret?more@h:1/d",
        "postgresql://ada:s3cret?m=ore@h:1/d",
        "jdbc:postgresql://ada:s3cret#more@h:1/d",
        "postgresql://ada:1234/more@h/d",
        "ada:s3cret@h:1/d",
        "postgresql://[::1/d",
        "postgresql://[::1]x/d",
        "postgresql://h:port/d",
    ],
)
def test_a_url_that_is_not_encoded_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ValidationException, match="The option 'url'") as caught:
        Database.of(url)
    assert not any(secret in str(caught.value) for secret in ("s3cret", "more", "ore@", "1234"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:s%2Fe@h1:1,h2:2/d?sslmode=require",
        "postgresql://[fe80::1%25eth0]:1/d",
        "postgresql:///d?host=/run/p@q&user=a@b",
        "jdbc:postgresql://h/",
        "postgresql://a:b@c@h/d",
        "postgres://%2Frun%2Fpostgres/d",
    ],
)
def test_urls_have_several_hosts_and_encoded_parts(url: str) -> None:
    assert Database.of(url).url.startswith("postgresql://")


@pytest.mark.parametrize(("name", "path"), [("t", ("t",)), ("s.t", ("s", "t")), ('"a.b"."c""d"', ("a.b", 'c"d'))])
def test_table_names_have_parts(name: str, path: tuple[str, ...]) -> None:
    assert table_path(name) == path


@pytest.mark.parametrize("name", ["", "a.b.c", "a..b", '"a'])
def test_other_table_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationException, match=r"must be table or schema\.table"):
        table_path(name)


def test_another_database_of_the_server_has_its_own_url_and_name() -> None:
    other = Database.of("postgresql://h:1/a?sslmode=require", "ada").with_name("b c")
    assert other.url.startswith("postgresql://ada@h:1/b%20c?")
    assert "sslmode=require" in other.url
    assert other.place == "PostgreSQL's database 'b c' at h:1"


@pytest.mark.parametrize("text", ["plain", "it's", "back\\slash", 'a "quote"', "é✓", "$1; DROP TABLE t", "E'\\n'"])
def test_literals_and_parameters_keep_any_text(text: str) -> None:
    with database().session() as session:
        assert session.rows(f"SELECT {quote_text(text)}::text, $1::text AS {quote_name(text)}", [text]) == [(text, text)]


def test_settings_of_the_server_do_not_change_statements() -> None:
    run("ALTER ROLE postgres SET quote_all_identifiers = on", "ALTER ROLE postgres SET standard_conforming_strings = off")
    try:
        with Database.of(f"{server_url()}&connect_timeout=59").session() as session:  # another address: the driver reads the types again
            assert session.rows("SELECT $1::text, 'a\\b'", ["x"]) == [("x", "a\\b")]
    finally:
        run("ALTER ROLE postgres RESET ALL")


def test_a_transaction_that_fails_is_rolled_back() -> None:
    table = new_table("id int4")
    with database().session() as session:

        def insert_and_fail() -> None:
            with session.transaction():
                session.rows(f"INSERT INTO {table} VALUES (1)")
                session.rows("SELECT 1 / 0")

        with pytest.raises(TableRuntimeException, match="division by zero"):
            insert_and_fail()
        with session.transaction():
            session.rows(f"INSERT INTO {table} VALUES (2)")
    assert run(f"SELECT id FROM {table}") == [(2,)]


def test_only_failures_that_can_pass_are_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("connector_jdbc.database.time.sleep", slept.append)
    away = Database.of("postgresql://localhost:1/d")
    with pytest.raises(TableRuntimeException) as caught:
        away.retried(away.open, 2)
    assert "Tried 3 times." in caught.value.message
    assert slept == [0.1, 0.2]
    slept.clear()
    with pytest.raises(TableRuntimeException, match="does not exist"):
        database().retried(lambda: run("SELECT * FROM nothing_of_this_name"), 2)
    assert not slept
