"""Splits the text of a type into words, names, strings, numbers and signs, each with its position."""

from __future__ import annotations

import re

from table_common.exceptions import SourcePosition, SqlParserException

QUOTED_NAME = "a quoted name"
STRING = "a string"
NUMBER = "a number"
END = "the end of the text"

_TOKEN = re.compile(
    r"""
    \s*+
    (?:
      ([^\W\d][\w$]*+)         # 1 a word
    | ([<>(),.])               # 2 a sign
    | (\d++)                   # 3 a number
    | (`(?:[^`]|``)*+`)        # 4 a quoted name
    | ('(?:[^']|'')*+')        # 5 a string
    | (\Z)                     # 6 the end
    | (.)                      # 7 anything else
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD, _SIGN, _NUMBER, _QUOTED, _STRING, _END, _OTHER = range(1, 8)


class TypeTokens:
    """The tokens of a text, the last of kind ``END``.

    ``kinds`` holds words in capitals, signs, or one of this module's constants; ``values`` holds names and strings without quotes, and
    otherwise the text as written; ``starts`` and ``ends`` are offsets.
    """

    __slots__ = ("ends", "kinds", "starts", "text", "values")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.values: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def is_name(self, index: int) -> bool:
        """Returns whether a token is a word or a quoted name."""
        kind = self.kinds[index]
        return kind == QUOTED_NAME or self.is_word(index)

    def is_word(self, index: int) -> bool:
        """Returns whether a token is an unquoted word."""
        return self.kinds[index] == self.values[index].upper() and self.kinds[index] not in "<>(),."


def tokenize_type(text: str) -> TypeTokens:
    """Returns the tokens of ``text``.

    Raises:
        SqlParserException: A character belongs to no token, or a quote is not closed.
    """
    tokens = TypeTokens(text)
    for match in _TOKEN.finditer(text):
        group = match.lastindex
        assert group is not None  # the last alternatives match anything
        start, end = match.span(group)
        kind = value = text[start:end]
        if group == _WORD:
            kind = value.upper()
        elif group == _NUMBER:
            kind = NUMBER
        elif group in (_QUOTED, _STRING):
            kind = QUOTED_NAME if group == _QUOTED else STRING
            value = value[1:-1].replace(value[0] * 2, value[0])
        elif group == _END:
            kind = END
        elif group == _OTHER:
            raise _no_token(text, start)
        tokens.kinds.append(kind)
        tokens.values.append(value)
        tokens.starts.append(start)
        tokens.ends.append(end)
        if group == _END:
            break
    return tokens


def _no_token(text: str, offset: int) -> SqlParserException:
    position = SourcePosition.of_offset(text, offset)
    character = text[offset]
    if character in "`'":
        return SqlParserException(f"The quote {character} is not closed.", position=position, expected=(character,))
    return SqlParserException(f"The character '{character}' has no meaning in a type.", position=position)
