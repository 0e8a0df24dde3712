"""Finds secrets in the text of statements, by tokens, also in invalid text.

A secret is what stands after a secret key, whatever the parser says of it: with any sign or nothing between, on another line, after a
comment, in other quotes or in none, in several parts, in a comment itself. Errors show statements that are wrong, so nothing here depends
on a statement being right; where it is open how far a value reaches, more is masked rather than less.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from table_common.secrets.keys import is_secret_key, is_secret_name
from table_common.secrets.option_values import HIDDEN_CONTENT, spans_in_value
from table_common.secrets.user_info import user_infos

_COMMENT = r"(?P<comment>--[^\n\r]*|/\*(?!\+)(?:[^*]|\*(?!/))*(?:\*/|\Z)|//[^\n\r]*) |"
_OTHER_TOKENS = r"""
      (?P<space>[\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+)  # also without width
    | (?P<string>(?:[uU]&|[xXnN]|_\w+)?'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)|[‘’](?:[^‘’'])*(?:[’'‘]|\Z)|[“”„][^“”"]*(?:[”"“]|\Z))
    | (?P<quoted>`(?:[^`]|``)*(?:`|\Z))
    | (?P<word>[^\W\d][\w$]*(?:[.-][\w$]+)*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>=>|:=|==|/\*\+|\*/|.)
    """
_TOKEN = re.compile(_COMMENT + _OTHER_TOKENS, re.VERBOSE | re.DOTALL)
_TOKEN_OF_COMMENT = re.compile(_OTHER_TOKENS, re.VERBOSE | re.DOTALL)
_MAYBE = (
    *("pass", "pwd", "secret", "token", "cred", "key", "auth", "access", "bearer", "basic", "cookie", "sas", "sig", "dsn", "conn", "jaas"),
    *("jwt", "header", "user", "pw", "psw", "://", "&'", "="),
)
"""Texts without any of these contain no recognizable secrets."""
_SEPARATORS = ("=", ":", "=>", "==", ":=", "\uff1d", "\uff1a")
"""The last two are those of Chinese and Japanese keyboards."""
_NO_SEPARATORS = ("(", ")", "[", "]", ",", ";", "*/", "/*+")
_OPENERS = ("WITH", "OPTIONS", "SET", "PROPERTIES", "MAP")
_CLOSING = re.compile(r"'\s*(?:[,;)\]]|\Z)")
_LONGEST_KEY = 200
_LONGEST_VALUE = 4096
_LONG = 100_000
"""Texts of at least this length are not cached."""
_last_long: tuple[tuple[int, int], tuple[tuple[int, int], ...]] | None = None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int

    @property
    def content(self) -> tuple[int, int]:
        """The position of the text between the quotes."""
        if self.kind == "quoted":
            return self.start + 1, self.end - (len(self.text) > 1 and self.text[-1] == "`")
        if self.kind != "string":
            return self.start, self.end
        opening = re.match(r"(?:[uU]&|[xXnN]|_\w+)?.", self.text, re.DOTALL)
        assert opening is not None
        closed = len(self.text) > opening.end() and self.text[-1] in "'\"’‘”“"
        return self.start + opening.end(), self.end - closed


def mask_text(text: str, offset: int = 0) -> tuple[str, int]:
    """Returns a statement with its secrets masked, and the new value of ``offset``."""
    return _masked(text, secret_spans(text), offset)


def mask_line(text: str, start: int, end: int, offset: int = 0) -> tuple[str, int]:
    """Returns the part of a statement from ``start`` to ``end`` with its secrets masked, and the new value of ``offset`` in that part."""
    spans = [(max(a, start) - start, min(b, end) - start) for a, b in secret_spans(text) if a < end and b > start]
    return _masked(text[start:end], spans, offset)


def mask_hints(text: str) -> str:
    """Returns a query with the secrets in its hints and comments masked; the rest is unchanged."""
    spans = secret_spans(text)
    if not spans:
        return text
    hints = [match.span() for match in _TOKEN.finditer(text) if match.lastgroup == "comment"]
    hints += [match.span() for match in _whole_hints(text)]
    return _masked(text, [span for span in spans if any(start <= span[0] and span[1] <= end for start, end in hints)], 0)[0]


def secrets_of(text: str) -> list[str]:
    """Returns the secrets of a statement, both as written and unescaped."""
    found = {text[start:end] for start, end in secret_spans(text)}
    return sorted(found | {secret.replace("''", "'") for secret in found} | {_unescaped(secret) for secret in found})


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Returns the positions of the secrets in a statement, in order."""
    if len(text) >= _LONG:
        return list(_spans_of_long(text))
    return list(_spans_of(text))


@lru_cache(maxsize=8)
def _spans_of(text: str) -> tuple[tuple[int, int], ...]:
    folded = text.casefold()  # a search for each is much faster than one regular expression for all
    return tuple(_Finder(text).spans()) if not text.isascii() or any(map(folded.__contains__, _MAYBE)) else ()


def _spans_of_long(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the positions in a long text; caches the result without the text, because several handlers of an error request it."""
    global _last_long
    key = len(text), hash(text)
    if _last_long is None or _last_long[0] != key:
        _last_long = key, _spans_of.__wrapped__(text)
    return _last_long[1]


class _Finder:
    """Walks over the tokens of a text once."""

    def __init__(self, text: str, *, in_comment: bool = False) -> None:
        self._text = text
        self._in_comment = in_comment
        self._found = list(user_infos(text))
        self._tokens: list[_Token] = []
        self._comments: dict[int, list[tuple[int, int]]] = {}  # by the number of the following token
        for match in (_TOKEN_OF_COMMENT if in_comment else _TOKEN).finditer(text):
            if match.lastgroup == "comment":
                self._comments.setdefault(len(self._tokens), []).append((match.start() + 2, match.end()))
                self._find_in_comment(match[0][2:], match.start() + 2)
            elif match.lastgroup != "space":
                self._tokens.append(_Token(match.lastgroup or "", match[0], match.start(), match.end()))

    def _find_in_comment(self, text: str, start: int) -> None:
        """Finds secrets in commented-out statements and in option-like text."""
        text = text.removesuffix("*/")
        if any(map(text.casefold().__contains__, _MAYBE)) or not text.isascii():
            self._found += [
                (start + a, start + b) for a, b in (*spans_in_value(text, strict=True), *_Finder(text, in_comment=True).spans())
            ]

    def spans(self) -> list[tuple[int, int]]:
        tokens = self._tokens
        opened = [True] if self._in_comment else []  # for each open parenthesis, whether it contains options
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
        """Handles ``SET key = value``, in quotes or not; returns the next token to process."""
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
        self._find_in_token(tokens[index])
        value = last + 1
        while value < end and tokens[value].kind == "sign" and tokens[value].text not in _NO_SEPARATORS:
            value += 1
        if value + 1 == end and tokens[value].kind == "string":
            self._found.append(tokens[value].content)
        elif value < end:
            self._found.append((tokens[value].start, self._start_of(end)))
        return end

    def _start_of(self, index: int) -> int:
        """Returns the start of a token without preceding blanks; for the token after the last, the end of the text."""
        stop = self._tokens[index].start if index < len(self._tokens) else len(self._text)
        while self._text[stop - 1].isspace():
            stop -= 1
        return stop

    def _find_in_token(self, token: _Token) -> None:
        if token.kind in ("string", "quoted"):
            start, end = token.content
            self._found += [(start + a, start + b) for a, b in spans_in_value(self._text[start:end])]

    def _key(self, index: int, *, in_options: bool) -> int:
        """Masks the value after the token if it is a secret key, and secrets within the token; returns the next token to process."""
        tokens, token = self._tokens, self._tokens[index]
        self._find_in_token(token)
        name = self._name(token)
        value = index + 1
        while value < len(tokens) and self._is_separator(tokens[value], in_options=in_options):
            value += 1
        signs = [tokens[place].text for place in range(index + 1, value)]
        if value >= len(tokens) or len(name) > _LONGEST_KEY or not self._is_key(token, name, signs, in_options=in_options):
            return index + 1
        in_list = not signs and in_options and tokens[value].text == "," and value + 1 < len(tokens) and tokens[value + 1].kind == "string"
        if in_list:
            if not self._begins_option(value + 1):
                self._quoted_value(value + 1, in_options=True)
            return index + 1  # in MAP['a', 'token', 'b', 'c'] keys and values cannot be distinguished
        if tokens[value].kind == "string":
            self._mask_comments(index + 1, value)
            return self._quoted_value(value, in_options=in_options)
        is_value = tokens[value].kind in ("word", "number", "quoted") or tokens[value].text == "("
        if ((in_options or token.kind == "string") and signs) or (in_options and token.kind == "string" and is_value):
            self._mask_comments(index + 1, value)
            return self._bare_value(value)
        if in_options and is_value and value + 1 < len(tokens) and tokens[value + 1].kind == "string":  # password is 'x'
            return self._bare_value(value)
        return index + 1

    def _is_separator(self, token: _Token, *, in_options: bool) -> bool:
        return token.text in _SEPARATORS or (in_options and token.kind == "sign" and token.text not in _NO_SEPARATORS)

    def _begins_option(self, index: int) -> bool:
        tokens = self._tokens
        has_more = index + 1 < len(tokens) and tokens[index].kind in ("string", "quoted", "word")
        return has_more and tokens[index + 1].text in _SEPARATORS

    def _mask_comments(self, first: int, last: int) -> None:
        """Masks the comments before some tokens, because they may contain a value."""
        for index in range(first, last + 1):
            self._found += self._comments.get(index, ())

    def _is_key(self, token: _Token, name: str, signs: list[str], *, in_options: bool) -> bool:
        if token.kind == "string" or "=>" in signs or ":=" in signs or (in_options and not self._in_comment):
            return is_secret_key(name)
        return is_secret_name(name)

    def _quoted_value(self, index: int, *, in_options: bool) -> int:
        token = self._tokens[index]
        start, end = token.content
        following = self._text[token.end : token.end + 1]
        if following and (following.isalnum() or following in "_'\"`"):
            # A quote within the value was not doubled, so the end of the value is unknown.
            line_end = self._text.find("\n", token.end)
            closing = _CLOSING.search(self._text, token.end, token.end + _LONGEST_VALUE)
            end = len(self._text) if line_end < 0 else max(line_end, closing.start() if closing is not None else 0)
            self._found.append((start, end))
            return next((place for place in range(index, len(self._tokens)) if self._tokens[place].start >= end), len(self._tokens))
        self._found.append((start, end))
        return self._rest_of_value(index + 1, in_options=in_options)

    def _rest_of_value(self, index: int, *, in_options: bool) -> int:
        """Masks the continuation of a quoted value: ``'a' || 'b'``, or ``'a' 'b'`` on two lines."""
        tokens, depth, joined = self._tokens, 0, False
        while index < len(tokens):
            token = tokens[index]
            if token.text in (";", "*/", "/*+") or (not depth and token.text in (",", ")", "]")):
                break
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            self._mask_comments(index, index)
            if token.kind == "sign":
                if not in_options and token.text not in ("|", "+"):
                    break
                joined = token.text not in ("(", ")", "[", "]")
            elif not joined and not depth and self._begins_option(index):
                break
            elif joined or token.kind == "string":
                self._found.append(token.content)
                joined = False
            elif not in_options:
                break
            index += 1
        if in_options:
            self._mask_comments(index, index)
        return index

    def _bare_value(self, index: int) -> int:
        tokens, depth, end = self._tokens, 0, index
        while end < len(tokens):
            text = tokens[end].text
            if text in (";", "*/", "/*+") or (not depth and text in (",", ")", "]")):
                break
            depth += (text in ("(", "[")) - (text in (")", "]"))
            end += 1
        if end > index:
            self._found.append((tokens[index].start, self._start_of(end)))
        return end

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
    """Returns the text of ``U&'…'`` with any escape character."""

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
