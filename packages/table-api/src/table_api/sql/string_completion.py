"""Completion inside a string: keys and values of options, and paths of files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

_PARTS = re.compile(r"'(?:[^']|'')*+'(?!')|`[^`]*`|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_OPTION = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_KEY_BEFORE = re.compile(r"'([^']*)'\s*=\s*\Z")
_IN_WITH = re.compile(r"\b(?:WITH|SET|OPTIONS)\s*\((?:\s*'(?:[^']|'')*'\s*=\s*'(?:[^']|'')*'\s*,)*\s*\Z", re.IGNORECASE)
_FILE = re.compile(r"(?:\b(?:FROM|JOIN)\s+|\bread_\w+\s*\(\s*)\Z", re.IGNORECASE)
_PATH_KEYS = frozenset({"path", "paths", "file", "python.files"})


class StringNames(Protocol):
    """What completion inside of strings offers; no method may raise."""

    def session_keys(self) -> Iterable[str]:
        """The keys of session options."""

    def session_values(self, key: str) -> Iterable[str]:
        """The values of a session option that has few."""

    def table_keys(self, options: dict[str, str]) -> Iterable[str]:
        """The keys of options of a table, whose connector and format are among the given ones if they are written."""

    def table_values(self, options: dict[str, str], key: str) -> Iterable[str]:
        """The values of an option of a table that has few, such as the connectors."""

    def paths(self, typed: str) -> Iterable[str]:
        """The paths that begin with a text; folders end with a slash."""


def open_string(text: str) -> int | None:
    """Returns the position of the quote of a string that is not closed at the end of the text; None if there is none.

    Example:
        >>> open_string("SELECT 'it''s' FROM 'data/fl")
        20
    """
    rest = _PARTS.sub(lambda match: " " * len(match[0]), text)
    for match in re.finditer("['`\"]|--|/\\*", rest):
        return match.start() if match[0] == "'" else None
    return None


def complete_string(text: str, quote: int, names: StringNames) -> list[str]:
    """Returns the completions of the string that begins at ``quote`` and is open at the end of the text."""
    typed, before = text[quote + 1 :], text[:quote]
    statement = before.rpartition(";")[2].lstrip()
    first = statement[:5].upper()
    key = _KEY_BEFORE.search(statement)
    found: Iterable[str] = ()
    if first.startswith(("SET ", "RESET")) or statement.upper() == "SET":
        found = names.session_values(key[1]) if key is not None else names.session_keys()
    elif _FILE.search(statement) or (key is not None and key[1].lower() in _PATH_KEYS):
        found = names.paths(typed)
    elif key is not None and _IN_WITH.search(statement[: key.start()]):
        found = names.table_values(_options(statement), key[1])
    elif _IN_WITH.search(statement):
        given = _options(statement)
        found = (name for name in names.table_keys(given) if name not in given)
    return sorted({name for name in found if name.lower().startswith(typed.lower())})


def _options(statement: str) -> dict[str, str]:
    return {match[1]: match[2] for match in _OPTION.finditer(statement)}
