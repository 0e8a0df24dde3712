"""Where secrets stand in the text of statements: found by tokens, in text that need not be right.

A secret is what stands behind a secret key, whatever the parser says of it: with ``=``, ``:``, ``=>`` or nothing between, on another
line, behind a comment, in other quotes or in none. Errors show statements that are wrong, so nothing here depends on a statement being
right; where it is open how far a value reaches, more is masked rather than less.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from table_common.secrets.keys import is_secret_key, is_secret_name
from table_common.secrets.option_values import HIDDEN_CONTENT, spans_in_value, user_infos

__all__ = ["mask_hints", "mask_line", "mask_text", "secret_spans", "secrets_of"]

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|--[^\n\r]*|/\*(?!\+)(?:[^*]|\*(?!/))*(?:\*/|\Z)|//[^\n\r]*)
    | (?P<string>(?:[uU]&|[xXnN]|_\w+)?'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)|[‘’](?:[^‘’'])*(?:[’'‘]|\Z)|[“”„][^“”"]*(?:[”"“]|\Z))
    | (?P<quoted>`(?:[^`]|``)*(?:`|\Z))
    | (?P<word>[^\W\d][\w$]*(?:[.-][\w$]+)*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>=>|:=|==|/\*\+|\*/|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_MAYBE = (
    *("pass", "pwd", "secret", "token", "cred", "key", "auth", "access", "bearer", "basic", "cookie", "sas", "sig", "dsn", "conn", "jaas"),
    *("jwt", "header", "user", "pw", "psw", "://", "&'", "="),
)
"""Texts without any of these have no secrets that we know."""
_SEPARATORS = ("=", ":", "=>", "==", ":=")
_OPENERS = ("WITH", "OPTIONS", "SET", "PROPERTIES")
_LONGEST_KEY = 200
_LONG = 100_000
"""From how many characters on a text is not kept."""
_last_long: tuple[tuple[int, int], tuple[tuple[int, int], ...]] | None = None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int

    @property
    def content(self) -> tuple[int, int]:
        """The place of what is between the quotes."""
        if self.kind != "string":
            return self.start, self.end
        opening = re.match(r"(?:[uU]&|[xXnN]|_\w+)?.", self.text, re.DOTALL)
        assert opening is not None
        closed = len(self.text) > opening.end() and self.text[-1] in "'\"’‘”“"
        return self.start + opening.end(), self.end - closed


def mask_text(text: str, offset: int = 0) -> tuple[str, int]:
    """Returns a statement with its secrets masked, and where ``offset`` is now."""
    return _masked(text, secret_spans(text), offset)


def mask_line(text: str, start: int, end: int, offset: int = 0) -> tuple[str, int]:
    """Returns the part of a statement from ``start`` to ``end`` with its secrets masked, and where ``offset`` of the part is now."""
    spans = [(max(a, start) - start, min(b, end) - start) for a, b in secret_spans(text) if a < end and b > start]
    return _masked(text[start:end], spans, offset)


def mask_hints(text: str) -> str:
    """Returns a query with the secrets of its hints masked; the rest of it is as it was."""
    spans = secret_spans(text)
    if not spans or "/*+" not in text:
        return text
    hints = [match.span() for match in _whole_hints(text)]
    return _masked(text, [span for span in spans if any(start <= span[0] and span[1] <= end for start, end in hints)], 0)[0]


def secrets_of(text: str) -> list[str]:
    """Returns the secrets of a statement, as they are written and as they are read."""
    found = {text[start:end] for start, end in secret_spans(text)}
    return sorted(found | {secret.replace("''", "'") for secret in found} | {_unescaped(secret) for secret in found})


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Returns the places of the secrets of a statement, in order."""
    if len(text) >= _LONG:
        return list(_spans_of_long(text))
    return list(_spans_of(text))


@lru_cache(maxsize=8)
def _spans_of(text: str) -> tuple[tuple[int, int], ...]:
    folded = text.casefold()  # one search for each is far faster than a regular expression of all
    return tuple(_Finder(text).spans()) if any(map(folded.__contains__, _MAYBE)) else ()


def _spans_of_long(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the places in a long text, which is not kept for that: an error passes several that ask for the same ones."""
    global _last_long
    key = len(text), hash(text)
    if _last_long is None or _last_long[0] != key:
        _last_long = key, _spans_of.__wrapped__(text)
    return _last_long[1]


class _Finder:
    """Walks over the tokens of a text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [
            _Token(match.lastgroup or "", match[0], match.start(), match.end())
            for match in _TOKEN.finditer(text)
            if match.lastgroup != "space"
        ]
        self._found = list(user_infos(text))

    def spans(self) -> list[tuple[int, int]]:
        tokens = self._tokens
        opened: list[bool] = []  # for each open parenthesis, whether options stand in it
        in_hint = False
        index = 0
        while index < len(tokens):
            token = tokens[index]
            before = tokens[index - 1].text.upper() if index else ";"
            if token.text in ("(", "["):
                opened.append(before in _OPENERS or (bool(opened) and opened[-1]) or in_hint)
            elif token.text in (")", "]") and opened:
                opened.pop()
            elif token.text == "/*+":
                in_hint = True
            elif token.text == "*/":
                in_hint = False
            elif token.text == ";":
                opened.clear()
            elif token.kind == "word" and token.text.upper() == "SET" and before in (";", "BEGIN"):
                index = self._session_option(index + 1)
                continue
            in_options = in_hint or (bool(opened) and opened[-1])
            index = self._key(index, in_options=in_options) if token.kind in ("string", "quoted", "word") else index + 1
        merged: list[tuple[int, int]] = []
        for start, end in sorted(span for span in self._found if span[0] < span[1]):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def _session_option(self, index: int) -> int:
        """Handles ``SET key = value``, in quotes or not; returns the token to go on with."""
        tokens = self._tokens
        if index < len(tokens) and tokens[index].text == "(":  # ALTER … SET (…)
            return index
        end = next((place for place in range(index, len(tokens)) if tokens[place].text == ";"), len(tokens))
        if index >= end:
            return index
        last = index
        if tokens[index].kind != "string":
            while last + 1 < end and tokens[last + 1].start == tokens[last].end and tokens[last + 1].text not in _SEPARATORS:
                last += 1
        key = self._name(tokens[index]) if last == index else self._text[tokens[index].start : tokens[last].end]
        if not is_secret_key(key):
            return self._key(index, in_options=True) if last == index else last + 1
        value = last + 1
        while value < end and tokens[value].text in _SEPARATORS:
            value += 1
        if value < end:
            start = tokens[value].content[0] if value + 1 == end else tokens[value].start
            self._found.append((start, tokens[end - 1].content[1] if value + 1 == end else tokens[end - 1].end))
        return end

    def _key(self, index: int, *, in_options: bool) -> int:
        """Masks what stands behind the token if it is a secret key, and secrets inside of it; returns the token to go on with."""
        tokens, token = self._tokens, self._tokens[index]
        if token.kind == "string":
            start, end = token.content
            self._found += [(start + a, start + b) for a, b in spans_in_value(self._text[start:end])]
        name = self._name(token)
        value = index + 1
        while value < len(tokens) and tokens[value].text in _SEPARATORS:
            value += 1
        signs = [tokens[place].text for place in range(index + 1, value)]
        if value >= len(tokens) or len(name) > _LONGEST_KEY or not self._is_key(token, name, signs, in_options=in_options):
            return index + 1
        if not signs and in_options and tokens[value].text == "," and value + 1 < len(tokens) and tokens[value + 1].kind == "string":
            is_key = value + 2 < len(tokens) and tokens[value + 2].text in _SEPARATORS
            value += not is_key
        if tokens[value].kind == "string":
            return self._quoted_value(value)
        if (in_options or token.kind == "string") and signs:
            return self._bare_value(value)
        if in_options and token.kind == "string" and tokens[value].kind in ("word", "number", "quoted"):
            return self._bare_value(value)
        return index + 1

    def _is_key(self, token: _Token, name: str, signs: list[str], *, in_options: bool) -> bool:
        if in_options or token.kind == "string" or "=>" in signs or ":=" in signs:
            return is_secret_key(name)
        return is_secret_name(name)

    def _quoted_value(self, index: int) -> int:
        token = self._tokens[index]
        start, end = token.content
        following = self._text[token.end : token.end + 1]
        if following and (following.isalnum() or following in "_'\"`"):
            # A quote inside of the value was not doubled: nobody knows where it ends.
            line_end = self._text.find("\n", token.end)
            end = len(self._text) if line_end < 0 else line_end
            self._found.append((start, end))
            return next((place for place in range(index, len(self._tokens)) if self._tokens[place].start >= end), len(self._tokens))
        self._found.append((start, end))
        return index + 1

    def _bare_value(self, index: int) -> int:
        tokens = self._tokens
        end = index
        while end < len(tokens) and tokens[end].text not in (",", ")", ";", "]", "*/"):
            end += 1
        if end > index:
            self._found.append((tokens[index].start, tokens[end - 1].end))
        return max(end, index + 1) if end > index else index

    def _name(self, token: _Token) -> str:
        if token.kind == "quoted":
            return token.text.strip("`").replace("``", "`")
        if token.kind != "string":
            return token.text
        start, end = token.content
        name = self._text[start:end]
        return _unescaped(name) if token.text[:2].lower() == "u&" else name


def _whole_hints(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"/\*\+(?:'(?:[^']|'')*'|[^*]|\*(?!/))*\*/", text))


def _unescaped(text: str) -> str:
    """Returns the text of ``U&'…'``, whatever its escape character is."""

    def character(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16)
        return chr(code) if code < 0x110000 else match[0]

    return re.sub(r"[^\w\s+](?:\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))", character, text)


def _masked(text: str, spans: list[tuple[int, int]], offset: int) -> tuple[str, int]:
    parts, end, moved = [], 0, offset
    for start, stop in spans:
        parts += [text[end:start], HIDDEN_CONTENT]
        end = stop
        if offset >= stop:
            moved += len(HIDDEN_CONTENT) - (stop - start)
        elif offset > start:
            moved -= offset - start
    return "".join((*parts, text[end:])), moved
