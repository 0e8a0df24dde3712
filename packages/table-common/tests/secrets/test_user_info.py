from __future__ import annotations

import pytest

from table_common.secrets.user_info import is_reference, user_info_of_start, user_infos


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://me:secret@host/db", ["me:secret"]),
        ("jdbc:postgresql://me@host/me, postgres://me@/me", []),
        ("https://token@host/x", ["token"]),
        ("'https://u:p@a' and 'ftp://v:q@b'", ["u:p", "v:q"]),
        ("http://user:p@ss/word@host/", ["user:p@ss/word"]),
        ("https://host/path", []),
        ("https://host:8080/a@b", []),
        ("abfss://container@account.dfs.core.windows.net/x", []),
        ("kafka://${env:USER}:${env:PASSWORD}@host", []),
        ("no address at all", []),
    ],
)
def test_the_user_info_of_urls_is_found(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in user_infos(text)] == expected


def test_oracles_urls_have_user_and_password_before_the_at_sign() -> None:
    text = "jdbc:oracle:thin:scott/tiger@host:1521/db"
    assert [text[start:end] for start, end in user_infos(text)] == ["scott/tiger"]


@pytest.mark.parametrize(
    ("value", "expected"), [("me:secret@host:5432/db", ["me:secret"]), ("mailto:a@b", []), ("host:5432/db", []), ("a@b", [])]
)
def test_a_value_without_a_scheme_may_begin_with_user_info(value: str, expected: list[str]) -> None:
    assert [value[start:end] for start, end in user_info_of_start(value)] == expected


def test_only_references_are_no_secret() -> None:
    assert is_reference("${env:USER}:${env:PASSWORD}")
    assert is_reference("me:${env:PASSWORD}")
    assert not is_reference("${env:USER}:secret")
    assert not is_reference("me:secret")


def test_a_long_text_without_user_info_takes_linear_time() -> None:
    assert list(user_infos("://" * 100_000 + "@")) == []
