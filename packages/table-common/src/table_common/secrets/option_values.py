"""Redacts options: the values of secret keys, and secrets within other values, such as the password in a URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from table_common.secrets.keys import is_secret_key, is_secret_name
from table_common.secrets.user_info import is_reference, user_info_of_start, user_infos

HIDDEN_CONTENT = "******"
"""The replacement of a secret."""

# Patterns are compiled at first use, because most programs do not need them.
_ASSIGNMENT = r"(?<![\w./-])([A-Za-z][\w.-]*(?: [A-Za-z]+)?)[\"']*\s*=(?![=>])\s*([\"']*)(?=[^\s\"';&])"
_JSON_MEMBER = r"[\"']([^\"']{1,80})[\"']\s*:\s*([\"'])"
_HEADER = (
    r"(?:^|(?<=[\s,;\"'{]))((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{0,80}?(?:key|token|secret|auth[\w-]{0,80}))\s*:\s*(?=[^\s\"'])"
    r"|\b(?:bearer|basic)\s+(?=[\w.~+/=-]{6,})"
)


def mask_options(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options with the values of secret keys masked, and secrets within other values."""
    return {key: HIDDEN_CONTENT if is_secret_key(key) else mask_value(value) for key, value in options.items()}


def mask_value(value: str) -> str:
    """Returns the value of an option with the user info of URLs and the secret parameters of connection strings masked."""
    parts, end = [], 0
    for start, stop in spans_in_value(value):
        parts += [value[end:start], HIDDEN_CONTENT]
        end = stop
    return "".join((*parts, value[end:])) if parts else value


def spans_in_value(value: str, *, strict: bool = False) -> list[tuple[int, int]]:
    """Returns the positions of secrets in a text: user info of URLs, ``password=…``, ``"password": "…"``, ``Authorization: …``.

    Args:
        value: the text.
        strict: whether the text also contains column names, so that ``key = …`` is not a secret.
    """
    if "=" not in value and ":" not in value and " " not in value:
        return []
    spans: list[tuple[int, int]] = []
    found = {
        *user_infos(value),
        *user_info_of_start(value),
        *_assigned(value, _is_secret_in_words if strict else is_secret_key),
        *_members(value),
        *_headers(value),
    }
    for start, stop in sorted(span for span in found if not is_reference(value[slice(*span)])):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        elif stop > start:
            spans.append((start, stop))
    return spans


def _is_secret_in_words(name: str) -> bool:
    return is_secret_name(name.rpartition(" ")[2])


def _assigned(text: str, is_secret: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    if "=" not in text:
        return
    for match in re.finditer(_ASSIGNMENT, text):
        if is_secret(match[1]) and not match[1].lower().startswith(("primary", "partition")):
            quote = match[2][-1:]
            in_braces = text.startswith("{", match.end())  # ODBC's quotes
            yield match.end(), _end(text, match.end(), quote or ("}" if in_braces else "\\s;&,\"')}"))


def _members(text: str) -> Iterator[tuple[int, int]]:
    if ":" not in text:
        return
    for match in re.finditer(_JSON_MEMBER, text):
        if is_secret_key(match[1]):
            yield match.end(), _end(text, match.end(), match[2])


def _headers(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(_HEADER, text, re.IGNORECASE):
        yield match.end(), _end(text, match.end(), "\"'\\r\\n" if match[1] else "\\s\"',;")


def _end(text: str, start: int, stops: str) -> int:
    found = re.compile(f"[{stops}]").search(text, start)
    return found.start() if found is not None else len(text)
