"""The tokenizer: one regular expression, tokens in parallel lists. It recognizes keywords, strings, comments and hints."""

from __future__ import annotations

import re
from array import array
from itertools import islice

from table_api.sql.grammar.keywords import KEYWORDS
from table_common.exceptions import SourcePosition, SqlParserException

IDENTIFIER = "identifier"
STRING = "string literal"
PREFIXED_STRING = "prefixed string literal"
"""``X'…'``, ``U&'…'``, ``N'…'`` and ``_charset'…'``."""
NUMBER = "number"
HINT = "hint"
END = "end of statement"
INVALID = "invalid character"

# Ordered for speed: alternatives that match often and fail fast come first. No repetition that keeps what it has matched ("*+") has a lookahead in it:
# Python before 3.11.5 continues after the text of the repetition that failed (CPython issue 106052).
_TOKEN = re.compile(
    r"""
    \s*+
    (?:
      ([a-zA-Z_$][\w$]*+)(?!'|&')                                        # 1 a word
    | ([(),=;+%?\[\]](?![>=])|\.(?![0-9]))                                     # 2 a sign that is not the start of a longer one
    | ([0-9]++(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?|\.[0-9]++(?:[eE][+-]?[0-9]++)?)       # 3 a number
    | ('(?:[^']|'')*+')                                                  # 4 a string
    | (`(?:[^`]|``)++`)                                                  # 5 a quoted name
    | (--[^\n\r]*+|//[^\n\r]*+|/\*(?!\+)[^*]*+\*++(?:[^/*][^*]*+\*++)*/)  # 6 a comment
    | (/\*\+(?:[^*']++|'[^']*+'|\*(?!/)|'(?![^']*'))*\*/)                # 7 a hint
    | (<=>|<=|>=|<>|!=|==|=>|\|\||::|\{-|-\}|[()\[\]{},=<>:%+*|^-]|/(?!\*))     # 8 a sign
    | ((?:[uU]&|[xXnN]|_\w+)'(?:[^']|'')*+')                             # 9 a string with a prefix
    | ([^\W\d][\w$]*+)                                                   # 10 a word of other letters, or before a quote: DATE'2024-01-01'
    | (\Z)                                                               # 11 the end
    | ("[^"]*+"|“[^”]*+”|‘[^’]*+’|’[^’]*+’|[#\\][^\n]*+|[^'`"“‘’/])       # 12 an invalid part: other quotes, other comments, other signs
    | (.)                                                                # 13 anything else: a quote or a comment that is not closed
    )
    """,
    re.VERBOSE | re.DOTALL,
)

_WORD, _SIGN, _NUMBER, _STRING, _QUOTED, _COMMENT, _HINT, _LONG_SIGN, _PREFIXED, _OTHER_WORD, _END, _INVALID, _OPEN = range(1, 14)
MAX_TOKENS = 1_000_000
"""The maximum number of tokens in a text."""
MAX_WORDS = 100_000
"""The maximum number of tokens other than literals, the signs between them, and keywords that begin a literal."""
_VALUES = (NUMBER, STRING, PREFIXED_STRING, "(", ")", ",", "-", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "NULL", "TRUE", "FALSE", "ROW")

_WORDS = (_WORD, _OTHER_WORD)
_SIGNS = (_SIGN, _LONG_SIGN)
_WRONG = (_INVALID, _OPEN)
_KINDS = {_NUMBER: NUMBER, _STRING: STRING, _HINT: HINT, _PREFIXED: PREFIXED_STRING, _END: END, _INVALID: INVALID}


class Tokens:
    """The tokens of a text, the last of kind END.

    ``kinds`` holds upper-case keywords, signs, or one of the constants above; ``values`` names with quotes resolved and otherwise the text
    as written; ``starts`` and ``ends`` are offsets.
    """

    __slots__ = ("ends", "kinds", "starts", "text", "values")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.values: list[str] = []
        self.starts = array("q")
        self.ends = array("q")


def tokenize(text: str, *, lenient: bool = False) -> Tokens:
    """Returns the tokens of ``text``.

    Args:
        text: SQL.
        lenient: If true, invalid characters are tokens of the kind INVALID instead of an error, and an open quote or comment extends to the
            end of the text. Text in other quotes, such as "…", is one token, and so is what other systems take for a comment.

    Raises:
        SqlParserException: A character is invalid, a quote or comment is not closed, or the text has too many tokens.
    """
    if not lenient:
        _check_characters(text)
    tokens = Tokens(text)
    kind_of = KEYWORDS.get
    add_kind, add_value = tokens.kinds.append, tokens.values.append
    add_start, add_end = tokens.starts.append, tokens.ends.append
    matches = _TOKEN.finditer(text)
    if len(text) > MAX_TOKENS and not lenient:
        matches = islice(matches, MAX_TOKENS)
    for match in matches:
        group = match.lastindex
        assert group is not None
        start, end = match.span(group)
        value = text[start:end]
        if group in _WORDS:  # faster than a search in a tuple
            add_kind(kind_of(value.upper(), IDENTIFIER))
        elif group in _SIGNS:
            add_kind(value)
        elif group == _COMMENT:
            continue
        elif group == _QUOTED:
            add_kind(IDENTIFIER)
            value = value[1:-1].replace("``", "`")
            if "\0" in value and not lenient:
                raise SqlParserException("A name cannot contain the character NUL.", position=SourcePosition.of_offset(text, start, end))
        elif group in _WRONG and not lenient:
            raise _no_token(text, start)
        elif group == _OPEN:  # it extends to the end of the text
            add_kind(END)
            value, end, group = text[start:], len(text), _END
        else:
            add_kind(_KINDS[group])
        add_value(value)
        add_start(start)
        add_end(end)
        if group == _END:
            break
    if not tokens.kinds or tokens.kinds[-1] != END:
        raise _too_long(text, tokens.ends[-1])
    if len(tokens.kinds) > MAX_WORDS and not lenient:
        words = len(tokens.kinds) - sum(map(tokens.kinds.count, _VALUES))
        if words > MAX_WORDS:
            raise _too_long(text, tokens.ends[-1])
    return tokens


def _check_characters(text: str) -> None:
    """Refuses lone surrogates, the result of decoding with ``surrogateescape``: no encoding can represent them."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SqlParserException(
            f"The text has the lone surrogate U+{ord(text[error.start]):04X} at offset {error.start}, which is not a character.",
            hint="decode the text without errors='surrogateescape'",
        ) from None


def _too_long(text: str, end: int) -> SqlParserException:
    position = SourcePosition.of_offset(text, end - 1, end)
    error = SqlParserException(
        f"The statement is too long: it has more than {MAX_TOKENS:,} words, values and signs, or {MAX_WORDS:,} beside values.",
        position=position,
        hint="insert rows in several statements, or read them from a file; store a long list of values in a table and join it",
    )
    error.shows_statement = position.is_shown
    return error


_HINTS = {
    '"': "names are quoted with back-ticks (`name`), text with single quotes ('text')",
    "@": "parameters are written :name, and their values are passed with args={…}",
    "!": "write <> or != for «not equal»",
    "&": "write AND",
    "~": "write SIMILAR TO, or REGEXP(text, pattern)",
    "#": "a comment begins with --",
    "\\": "commands such as \\d are for the prompt of the SQL client; a script has SQL statements, each with a semicolon",
    "“": "put text in straight single quotes ('text')",
    "‘": "put text in straight single quotes ('text')",
    "’": "put text in straight single quotes ('text')",
}


def _no_token(text: str, offset: int) -> SqlParserException:
    character = text[offset]
    position = SourcePosition.of_offset(text, offset)
    if character == "'":
        return SqlParserException(
            "The text that begins here is not closed: a ' is missing.",
            position=position,
            hint="a quote inside a string is doubled: 'it''s'",
        )
    if character == "`":
        return SqlParserException("The name that begins here is not closed: a ` is missing, or it is empty.", position=position)
    if text.startswith("/*", offset):
        return SqlParserException("The comment that begins here is not closed: */ is missing.", position=position)
    return SqlParserException(f"Unexpected character '{character}'.", position=position, hint=_HINTS.get(character))
