"""Cuts the text of a type into words, names, strings, numbers and signs, each with its place."""

from __future__ import annotations

import re
from enum import Enum

from table_common.exceptions import SourcePosition, SqlParserException
from table_common.frozen_dataclass import dataclass

__all__ = ["Token", "TokenKind", "tokenize_type"]


class TokenKind(Enum):
    """What a token is; the value is how messages call it."""

    WORD = "a word"
    QUOTED = "a quoted name"
    STRING = "a string"
    NUMBER = "a number"
    SIGN = "a sign"
    END = "the end of the text"


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind, its value with quotes resolved, and the characters of the text that it covers."""

    kind: TokenKind
    value: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The upper-case word, or nothing if this is no bare word."""
        return self.value.upper() if self.kind is TokenKind.WORD else ""

    def describe(self, text: str) -> str:
        """Returns how a message names this token."""
        return self.kind.value if self.kind is TokenKind.END else f"'{text[self.start : self.end]}'"


_TOKEN = re.compile(
    r"""
    (?P<SPACE>\s+)
  | (?P<WORD>[^\W\d][\w$]*)
  | (?P<NUMBER>\d+)
  | (?P<QUOTED>`(?:[^`]|``)*`)
  | (?P<STRING>'(?:[^']|'')*')
  | (?P<SIGN>[<>(),.])
    """,
    re.VERBOSE,
)


def tokenize_type(text: str) -> list[Token]:
    """Returns the tokens of ``text`` with an END token last.

    Raises:
        SqlParserException: A character belongs to no token, or a quote is not closed.
    """
    tokens: list[Token] = []
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise _no_token(text, offset)
        name = match.lastgroup or ""
        value = match.group()
        if name != "SPACE":
            kind = TokenKind[name]
            if kind in (TokenKind.QUOTED, TokenKind.STRING):
                quote = value[0]
                value = value[1:-1].replace(quote * 2, quote)
            tokens.append(Token(kind, value, offset, match.end()))
        offset = match.end()
    tokens.append(Token(TokenKind.END, "", len(text), len(text)))
    return tokens


def _no_token(text: str, offset: int) -> SqlParserException:
    position = SourcePosition.of_offset(text, offset)
    character = text[offset]
    if character in "`'":
        return SqlParserException(f"The quote {character} is not closed.", position=position, expected=(character,))
    return SqlParserException(f"The character '{character}' has no meaning in a type.", position=position)
