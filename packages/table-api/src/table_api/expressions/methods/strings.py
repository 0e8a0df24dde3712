"""Functions of text."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder, call_of
from table_api.expressions.unresolved import Symbol


class StringMethods(NodeHolder):
    """Functions of text; positions count code points from 1."""

    __slots__ = ()

    @property
    def char_length(self) -> Self:
        """Returns the number of code points."""
        return self._call("CHAR_LENGTH")

    @property
    def upper_case(self) -> Self:
        """Returns the text in upper case."""
        return self._call("UPPER")

    @property
    def lower_case(self) -> Self:
        """Returns the text in lower case."""
        return self._call("LOWER")

    @property
    def init_cap(self) -> Self:
        """Returns the text with the first letter of every word in upper case, the others in lower case."""
        return self._call("INITCAP")

    @property
    def reverse(self) -> Self:
        """Returns the code points backwards."""
        return self._call("REVERSE")

    @property
    def ascii(self) -> Self:
        """Returns the code of the first character."""
        return self._call("ASCII")

    @property
    def chr(self) -> Self:
        """Returns the character of a code."""
        return self._call("CHR")

    @property
    def from_base64(self) -> Self:
        """Returns the text that was encoded in Base64."""
        return self._call("FROM_BASE64")

    @property
    def to_base64(self) -> Self:
        """Returns the text in Base64."""
        return self._call("TO_BASE64")

    def concat(self, other: object) -> Self:
        """Returns both texts, one after the other."""
        return self._call("CONCAT", other)

    def starts_with(self, start_expr: object) -> Self:
        """Returns whether the text begins with another."""
        return self._call("STARTSWITH", start_expr)

    def ends_with(self, end_expr: object) -> Self:
        """Returns whether the text ends with another."""
        return self._call("ENDSWITH", end_expr)

    def substring(self, begin_index: object, length: object = None) -> Self:
        """Returns the text from a position, up to a length."""
        return self._call("SUBSTRING", begin_index, optional=[length])

    def substr(self, begin_index: object, length: object = None) -> Self:
        """Returns the text from a position, up to a length."""
        return self._call("SUBSTRING", begin_index, optional=[length])

    def trim(self, character: object = " ") -> Self:
        """Returns the text without the characters at both ends, by default without spaces."""
        return self._trim("BOTH", character)

    def trim_leading(self, character: object = " ") -> Self:
        """Returns the text without the characters at its beginning, by default without spaces."""
        return self._trim("LEADING", character)

    def trim_trailing(self, character: object = " ") -> Self:
        """Returns the text without the characters at its end, by default without spaces."""
        return self._trim("TRAILING", character)

    def _trim(self, mode: str, character: object) -> Self:
        return self._of(call_of("TRIM", Symbol(mode), " " if character is None else character, self))

    def ltrim(self, trim_str: object = None) -> Self:
        """Returns the text without leading characters of ``trim_str``, by default spaces."""
        return self._call("LTRIM", optional=[trim_str])

    def rtrim(self, trim_str: object = None) -> Self:
        """Returns the text without trailing characters of ``trim_str``, by default spaces."""
        return self._call("RTRIM", optional=[trim_str])

    def btrim(self, trim_str: object = None) -> Self:
        """Returns the text without characters of ``trim_str`` at both ends, by default spaces."""
        return self._call("BTRIM", optional=[trim_str])

    def replace(self, search: object, replacement: object) -> Self:
        """Returns the text with every occurrence replaced."""
        return self._call("REPLACE", search, replacement)

    def translate(self, from_str: object, to_str: object) -> Self:
        """Returns the text with every character of ``from_str`` replaced by that of ``to_str`` at the same place."""
        return self._call("TRANSLATE", from_str, to_str)

    def like(self, pattern: object, escape: object = None) -> Self:
        """Returns whether the text matches a pattern: ``%`` is any text, ``_`` one character."""
        return self._call("LIKE", pattern, optional=[escape])

    def similar(self, pattern: object) -> Self:
        """Returns whether the text matches a pattern of SQL's SIMILAR TO."""
        return self._call("SIMILAR", pattern)

    def position(self, haystack: object) -> Self:
        """Returns the position of this text in another; 0 if it does not occur."""
        return self._call("POSITION", haystack)

    def instr(self, s: object) -> Self:
        """Returns the position of another text in this one; 0 if it does not occur."""
        return self._call("INSTR", s)

    def locate(self, s: object, pos: object = None) -> Self:
        """Returns the position of this text in another, searched from ``pos``; 0 if it does not occur."""
        return self._call("LOCATE", s, optional=[pos])

    def left(self, length: object) -> Self:
        """Returns the first ``length`` characters."""
        return self._call("LEFT", length)

    def right(self, length: object) -> Self:
        """Returns the last ``length`` characters."""
        return self._call("RIGHT", length)

    def lpad(self, length: object, pad: object) -> Self:
        """Returns the text padded on the left to ``length``, or truncated to it."""
        return self._call("LPAD", length, pad)

    def rpad(self, length: object, pad: object) -> Self:
        """Returns the text padded on the right to ``length``, or truncated to it."""
        return self._call("RPAD", length, pad)

    def repeat(self, n: object) -> Self:
        """Returns the text repeated ``n`` times."""
        return self._call("REPEAT", n)

    def overlay(self, new_string: object, starting: object, length: object = None) -> Self:
        """Returns the text with ``new_string`` in place of ``length`` characters from ``starting``."""
        return self._call("OVERLAY", new_string, starting, optional=[length])

    def regexp(self, regex: object) -> Self:
        """Returns whether a part of the text matches a regular expression."""
        return self._call("REGEXP", regex)

    def regexp_count(self, regex: object) -> Self:
        """Returns how often a regular expression matches."""
        return self._call("REGEXP_COUNT", regex)

    def regexp_replace(self, regex: object, replacement: object) -> Self:
        """Returns the text with every match replaced."""
        return self._call("REGEXP_REPLACE", regex, replacement)

    def regexp_extract(self, regex: object, extract_index: object = None) -> Self:
        """Returns a group of the first match; NULL if there is none."""
        return self._call("REGEXP_EXTRACT", regex, optional=[extract_index])

    def regexp_extract_all(self, regex: object, extract_index: object = None) -> Self:
        """Returns a group of all matches."""
        return self._call("REGEXP_EXTRACT_ALL", regex, optional=[extract_index])

    def regexp_instr(self, regex: object) -> Self:
        """Returns the position of the first match; 0 if there is none."""
        return self._call("REGEXP_INSTR", regex)

    def regexp_substr(self, regex: object) -> Self:
        """Returns the first match; NULL if there is none."""
        return self._call("REGEXP_SUBSTR", regex)

    def decode(self, charset: object) -> Self:
        """Returns the text of bytes in a character set."""
        return self._call("DECODE", charset)

    def encode(self, charset: object) -> Self:
        """Returns the bytes of text in a character set."""
        return self._call("ENCODE", charset)

    def split(self, delimiter: object) -> Self:
        """Returns the parts between delimiters as an array."""
        return self._call("SPLIT", delimiter)

    def split_index(self, separator: object, index: object) -> Self:
        """Returns one of the parts between separators, counted from 0."""
        return self._call("SPLIT_INDEX", separator, index)

    def str_to_map(self, list_delimiter: object = None, key_value_delimiter: object = None) -> Self:
        """Returns a map of text such as ``k1=v1,k2=v2``; the delimiters are regular expressions, given both or neither."""
        if list_delimiter is None or key_value_delimiter is None:
            return self._call("STR_TO_MAP")
        return self._call("STR_TO_MAP", list_delimiter, key_value_delimiter)

    def elt(self, expr: object, *exprs: object) -> Self:
        """Returns the argument at this position, from 1; NULL if it does not exist."""
        return self._call("ELT", expr, *exprs)

    def printf(self, *obj: object) -> Self:
        """Returns this format filled with values."""
        return self._call("PRINTF", *obj)

    def parse_url(self, part_to_extract: object, key: object = None) -> Self:
        """Returns a part of a URL, such as HOST, or a parameter of its QUERY."""
        return self._call("PARSE_URL", part_to_extract, optional=[key])

    def url_decode(self) -> Self:
        """Returns the text that was encoded for a URL."""
        return self._call("URL_DECODE")

    def url_encode(self) -> Self:
        """Returns the text encoded for a URL."""
        return self._call("URL_ENCODE")
