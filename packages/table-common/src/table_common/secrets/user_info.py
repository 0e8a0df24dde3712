"""Finds the user info of URLs in a text, in linear time, since an invalid statement can be of any length."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Patterns are compiled at first use, because most programs do not need them.
_REFERENCE = r"\$\{\w+:[^}]*\}"
_SCHEME = r"(?<![\w+.-])[a-zA-Z][\w+.-]*\Z"
_LONGEST_SCHEME = 60
_CONTAINER_SCHEMES = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes in which the text before ``@`` is the name of a container."""
_SCHEMES_WITH_USERS = ("postgresql", "postgres")
"""Schemes in which text without a colon before ``@`` is the name of a user, which is no secret; elsewhere it may be a token."""
_ORACLE = r"jdbc:oracle:\w+:(?P<info>[^\s'\"@/]*/(?:\"[^\"\n]*\"|[^\s'\"@])[^\s'\"]*)@"
_WITHOUT_SCHEME = (
    r"\s*(?P<info>(?!mailto:|sips?:|acct:)[\w.%+-]+:(?![/\\])[^\s/'\"]+)@(?:[\w.-]+|\[[\w:]+\]|\w*\([^()]*\))(?::\d+)?(?=[/?,;]|\s*\Z)"
)
_LONGEST_WITH_BLANKS = 256
_NO_PASSWORD = r"\d*(?:[/?#]|[\s,;]|\Z)"
"""The text after the colon of a port."""


def user_infos(text: str) -> Iterator[tuple[int, int]]:
    """Yields the positions of the user info of URLs."""
    if "@" not in text:
        return
    run = _Run(text)
    end, place = 0, text.find("://")
    while place >= 0:
        following = text.find("://", place + 3)
        if place >= end and not text.endswith(_CONTAINER_SCHEMES, max(0, place - 5), place):
            stop = _end_of_user_info(text, place + 3, following, run)
            info = text[place + 3 : stop]
            is_user = ":" not in info and text.endswith(_SCHEMES_WITH_USERS, max(0, place - 10), place)
            if stop > place + 3 and _has_scheme(text, place) and not is_user and not is_reference(info):
                yield place + 3, stop
                end = stop
        place = following
    if "jdbc:oracle:" in text:
        for match in re.finditer(_ORACLE, text):
            yield match.span("info")


def user_info_of_start(value: str) -> Iterator[tuple[int, int]]:
    """Yields the position of ``user:password`` at the beginning of a value without a scheme: ``user:password@host:5432/db``."""
    match = re.match(_WITHOUT_SCHEME, value) if "@" in value else None
    if match is not None:
        yield match.span("info")


def is_reference(text: str) -> bool:
    """Returns whether a secret is elsewhere: ``${env:USER}:${env:PASSWORD}``."""
    rest = re.sub(_REFERENCE, "", text)
    return rest != text and (rest == "" or rest.endswith(":"))


class _Run:
    """The run of characters without blanks and quotes around a position, computed once for all positions in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = self._last_at = -1
        self._stops = re.compile(r"[\s'\"]")

    def last_at(self, place: int) -> int:
        """Returns the position of the last ``@`` after the given one, or -1."""
        if place > self._end:
            match = self._stops.search(self._text, place)
            self._end = match.start() if match is not None else len(self._text)
            self._last_at = self._text.rfind("@", place, self._end)
        return self._last_at if self._last_at >= place else -1


def _end_of_user_info(text: str, start: int, following: int, run: _Run) -> int:
    head = re.compile(r"[^/?#'\"@\[\n\r]*").match(text, start)
    assert head is not None
    if ":" not in head[0]:
        return head.end() if text.startswith("@", head.end()) and not re.search(r"\s", head[0]) else -1
    colons = [match.end() for match in re.finditer(":", head[0])]
    no_password = re.compile(_NO_PASSWORD)
    # A password may hold / ? # : and @ that are not escaped.
    if all(no_password.match(text, start + colon) for colon in (colons[0], colons[-1])):
        return -1
    stop = run.last_at(start)
    if stop >= 0:
        return stop
    # A password with blanks: up to the next "@" of the same line and the same URL.
    limit = min(len(text) if following < 0 else following, start + _LONGEST_WITH_BLANKS)
    with_blanks = re.compile(r"[^'\"@\n\r]*@").match(text, start, limit)
    return with_blanks.end() - 1 if with_blanks is not None else -1


def _has_scheme(text: str, end: int) -> bool:
    return re.search(_SCHEME, text[max(0, end - _LONGEST_SCHEME) : end]) is not None
