"""Secrets of statements are found by tokens, also in text that is not right."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import SourcePosition, SqlParserException
from table_common.redaction import secrets_hidden
from table_common.secrets import mask_hints, mask_text, statement_text

S = "hunter2Zq"
STATEMENTS = [
    f"CREATE TABLE t (a INT) WITH ('password' = '{S}')",
    f"CREATE TABLE t (a INT) WITH ('password'\n = -- x\n '{S}', 'k'='v') oops",
    f"WITH ('password' : '{S}', 'k' = 'v')",
    f"WITH ('password' => '{S}')",
    f"WITH ('password' '{S}')",
    f"WITH ('password' = \"{S}\")",
    f'WITH ("password" = "{S}")',
    f"WITH (`password` = '{S}')",
    f"WITH (password = '{S}')",
    f"WITH (password = {S})",
    f"WITH (U&'\\0070assword' = U&'{S}')",
    f"WITH (‘password’ = ‘{S}’)",  # quotes of word processors
    f"WITH ('password' == '{S}')",
    f"WITH ('password', '{S}')",
    f"WITH ('password' = {S}-x/y, 'k'='v')",
    f"WITH ('password' /* c */ = /* d */ '{S}')",
    f"WITH ('password' = 'it's {S}', 'k' = 'v')",
    f"WITH ('password = '{S}')",
    f"WITH ('password={S}')",
    f"WITH ('password' = '{S}",
    f"SET my.password = {S}",
    f"SET my.password {S};",
    f"SET my-password={S}",
    f"SET 'my.password' = '{S}'; SELECT 1",
    f"SET 'my.password' '{S}'",
    f"SELECT 1; SET my.password = {S}",
    f"SET a.url = https://u:{S}@h/",
    f"ALTER TABLE t SET ('password' = '{S}')",
    f"SELECT * FROM t /*+ OPTIONS('password'='{S}') */ WHERE",
    f"WITH ('url' = 'https://u:{S}@h/x')",
    f"WITH ('url' = 'https://u:a#{S}@h/x')",
    f"WITH ('url' = 'https://{S}@h/x')",
    f"WITH ('url'='jdbc:postgresql://h/db?user=u&password={S}')",
    f"WITH ('h' = 'Authorization: Bearer {S}')",
    f"WITH ('c' = 'host=h password={S} user=u')",
    f"WITH ('p' = '{{\"password\": \"{S}\"}}')",
    f"SELECT f(password => '{S}')",
    f"SET 'password={S}'",
    f"SET `password={S}`",
    f"SET my.password = ab//{S}",
    f"WITH ('password' = ab--{S}\n, 'k' = 'v')",
    f"WITH ('password' = '' || '{S}')",
    f"WITH ('password' = 'a' || x + '{S}')",
    f"WITH ('password' = 'a' || {S})",
    f"WITH ('password' = CONCAT('a', '{S}'))",
    f"WITH ('password' = 'a' || CONCAT('a', '{S}'))",
    f"WITH ('password' = ('{S}'))",
    f"WITH ('password' ('{S}'))",
    f"WITH ('password' = 'a'\n'{S}' !)",
    f"WITH ('password' = 'a' UESCAPE '{S}')",
    f"WITH ('password' = 'it's\n{S}', 'k' = 'v')",
    f"WITH ('password'\u200b='{S}')",  # as pasted from web pages
    f"WITH ('pass\u200bword'='{S}')",
    f"WITH ('\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44'\uff1d'{S}')",
    f"WITH ('password' -> '{S}')",
    f"WITH ('password' ~ {S})",
    f"WITH (password is '{S}')",
    f"WITH ('password' /* '{S}' */ = 'a')",
    f"WITH ('password' = 'a' /* not '{S}' */)",
    f"/* password={S} */ SELECT FROM",
    f"SELECT FROM -- 'password' = '{S}'",
    f"SELECT FROM // 'password' = '{S}'",
    f"SELECT FROM -- don't say 'password' = '{S}'",
    f"/* SET my.password = {S}; */ SELECT FROM",
    f"/* WITH ('k' = 'v', -- 'password' = '{S}'\n) */ SELECT FROM",
    f"SELECT FROM -- https://u:{S}@h/",
    f"SELECT f(MAP['password', '{S}'])",
    f"SELECT f(MAP['k', 'token', 'password', '{S}'])",
]
HARMLESS = [
    "SELECT 'password' AS p, 'a' = 'b'",
    "SELECT key FROM t WHERE key = 'a'",
    "CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('key.fields' = 'a', 'connector'='kafka')",
    "WITH ('path' = 's3://bucket/a=b/key=1')",
    "SELECT 'http://h:80/a@b'",
    "WITH ('path'='abfss://container@account.dfs/x')",
    "WITH ('url'='https://${env:USER}:${env:PASSWORD}@h')",
    "SELECT a -- the key = of the map, the token is unique\nFROM t",
    "SELECT 'token' || ': ' || token FROM t",
    "WITH ('path' = '/x' 'format' = 'csv' oops)",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_secret_of_a_statement_is_masked(text: str) -> None:
    assert S not in mask_text(text)[0]


@pytest.mark.parametrize("text", HARMLESS)
def test_statement_without_secrets_is_shown_as_it_is(text: str) -> None:
    assert mask_text(text)[0] == text


def test_option_behind_a_secret_without_a_comma_is_shown() -> None:
    assert mask_text(f"WITH ('password' = '{S}' 'connector' = 'x')")[0] == "WITH ('password' = '******' 'connector' = 'x')"


def test_what_is_wrong_behind_a_secret_is_shown() -> None:
    assert mask_text(f"WITH ('password' = '{S}' oops, 'k' = 'v')")[0] == "WITH ('password' = '******' oops, 'k' = 'v')"


def test_only_hints_of_a_view_are_masked() -> None:
    query = f"SELECT * FROM t /*+ OPTIONS('password'='{S}') */ WHERE token = 'shown'"
    assert mask_hints(query) == "SELECT * FROM t /*+ OPTIONS('password'='******') */ WHERE token = 'shown'"


def test_comment_in_a_view_is_masked() -> None:
    query = f"SELECT * -- 'password' = '{S}'\nFROM t WHERE token = 'shown'"
    assert mask_hints(query) == "SELECT * -- 'password' = '******'\nFROM t WHERE token = 'shown'"


@pytest.mark.parametrize("place", ["'password'", S, "oops"])
def test_excerpt_of_a_secret_on_a_separate_line_is_masked(place: str) -> None:
    text = f"WITH ('password'\n  = -- comment\n  '{S}'\n) oops"
    assert S not in SourcePosition.of_offset(text, text.index(place), len(text)).excerpt()


def test_a_long_statement_is_searched_once_for_all_errors_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    finder = statement_text._Finder

    class Counting(finder):  # type: ignore[misc, valid-type]
        def __init__(self, text: str) -> None:
            made.append(len(text))
            super().__init__(text)

    monkeypatch.setattr(statement_text, "_Finder", Counting)
    text = f"CREATE TABLE t (a INT) WITH ('password' = '{S}') " + "x" * 200_000
    for _ in range(3):
        with pytest.raises(ValueError, match=r"got '\*\*\*\*\*\*'"), secrets_hidden(text):
            raise ValueError(f"got '{S}'")
    assert len(made) == 1


def test_an_error_that_shows_no_part_of_a_statement_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> Any:
        raise AssertionError("searched")

    monkeypatch.setattr(statement_text, "secret_spans", refuse)
    error = SqlParserException("too long")
    error.shows_statement = False
    with pytest.raises(SqlParserException, match="too long"), secrets_hidden("password = 'x'"):
        raise error
