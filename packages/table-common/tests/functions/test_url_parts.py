"""The expression that reads URLs."""

from __future__ import annotations

import re

import pytest

from table_common.functions import UrlParts


@pytest.mark.parametrize(
    ("url", "groups"),
    [
        ("http://u@h:80/p?q#r", ("http", "//u@h:80", "u@", "h", "/p", "?q", "#r")),
        ("http://h?", ("http", "//h", None, "h", "", "?", None)),
        ("file:a", ("file", None, None, None, "a", None, None)),
        ("http:////h", ("http", None, None, None, "////h", None, None)),
        ("url:HTTP://[::1]:8", ("HTTP", "//[::1]:8", None, "[::1]", "", None, None)),
        ("http://a@b@c", ("http", "//a@b@c", None, None, "", None, None)),
    ],
)
def test_a_url_has_its_parts(url: str, groups: tuple[str | None, ...]) -> None:
    match = re.match(UrlParts.PATTERN, url)
    assert match is not None
    assert match.groups() == groups


@pytest.mark.parametrize("url", ["x", "foo://h", "//h", "http://h:x", "http://[x]", "mailto:", "jar:x!/y", "jar:http://h/x"])
def test_other_text_is_no_url(url: str) -> None:
    assert re.match(UrlParts.PATTERN, url) is None


def test_blanks_and_control_characters_around_it_are_no_part_of_it() -> None:
    assert re.sub(UrlParts.AROUND, "", "\t http:a b\n") == "http:a b"


def test_each_group_has_a_name() -> None:
    assert re.compile(UrlParts.PATTERN).groups == UrlParts.REF
