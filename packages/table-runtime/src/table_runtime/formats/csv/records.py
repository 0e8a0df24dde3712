"""Splits text into records and fields by the rules of Flink's CSV: one grammar for files and messages.

A field that begins with a quote ends with the next quote that is not doubled; only blanks may follow before the delimiter or the end of the
line. A quote elsewhere is an ordinary character. Records end with a line feed, a carriage return or both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass
from table_runtime.formats.csv import options as opt

ESCAPED_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
"""The characters that a letter after the escape character stands for."""
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class CsvDialect:
    """The special characters of a CSV format, and the NULL literal."""

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    comments: bool = False
    null: str | None = None
    encoding: str = "utf-8"
    """The encoding of files."""

    @classmethod
    def of(cls, config: ReadableConfig) -> CsvDialect:
        """Returns the dialect of a table's options. A quote as the escape character only doubles quotes, as without one."""
        quote = None if config.get(opt.DISABLE_QUOTE_CHARACTER) else config.get(opt.QUOTE_CHARACTER)
        escape = config.get(opt.ESCAPE_CHARACTER)
        return cls(
            config.get(opt.FIELD_DELIMITER),
            quote,
            None if escape == quote else escape,
            config.get(opt.ALLOW_COMMENTS),
            config.get(opt.NULL_LITERAL),
            config.get(opt.ENCODING),
        )


class Record(NamedTuple):
    """A record of a text: start, end and fields, or the problem that prevents reading them."""

    start: int
    end: int
    fields: list[str]
    problem: str = ""


def read_records(text: str, dialect: CsvDialect, *, final: bool) -> Iterator[Record]:
    """Yields the records of a text without comments; empty lines are records with one empty field.

    Without ``final`` more text may follow, so a record whose end is uncertain is not yielded.
    """
    scanner = _Scanner(text, dialect, final)
    position = 0
    while position < len(text):
        record = scanner.record(position)
        if record is None:
            return
        position = record.end
        if not (dialect.comments and not record.problem and scanner.is_comment(record.start)):
            yield record


@lru_cache(maxsize=16)
def _patterns(dialect: CsvDialect) -> tuple[re.Pattern[str] | None, re.Pattern[str], re.Pattern[str] | None]:
    """Returns the patterns of a quoted field, of another field and of an escaped character."""
    delimiter, quote, escape = (re.escape(character or "") for character in (dialect.delimiter, dialect.quote, dialect.escape))
    blanks = "".join(blank for blank in " \t" if blank != dialect.delimiter)
    skipped = f"[{blanks}]*+" if blanks else ""
    escaped = f"|{escape}." if escape else ""
    # Possessive quantifiers: text that matched as doubled or escaped is not matched in another way.
    quoted = re.compile(f"{quote}((?:[^{quote}{escape}]++|{quote}{quote}{escaped})*+){quote}{skipped}", re.DOTALL) if quote else None
    plain = re.compile(f"(?:[^{delimiter}{escape}\r\n]++{escaped})*+", re.DOTALL)
    return quoted, plain, re.compile(f"{escape}(.)", re.DOTALL) if escape else None


@lru_cache(maxsize=16)
def sound_record(dialect: CsvDialect) -> re.Pattern[bytes] | None:
    """Returns the pattern of a first record without a problem; None if it is not known.

    It is known if there are quotes, no escape characters, no comments, and if the special characters have one byte each.
    """
    if not dialect.quote or dialect.escape or dialect.comments or not (dialect.quote + dialect.delimiter).isascii():
        return None
    quoted, plain, _ = _patterns(dialect)
    assert quoted is not None
    field = f"(?:{quoted.pattern}|(?!{re.escape(dialect.quote)}){plain.pattern})"
    pattern = f"{field}(?:{re.escape(dialect.delimiter)}{field})*+(?:[\r\n]|\\Z)"
    return re.compile(pattern.encode(), re.DOTALL)


class _Scanner:
    def __init__(self, text: str, dialect: CsvDialect, final: bool) -> None:
        self._text = text
        self._dialect = dialect
        self._final = final
        self._quoted, self._plain, self._escapes = _patterns(dialect)
        self._opening = dialect.delimiter + (dialect.quote or "")

    def is_comment(self, start: int) -> bool:
        """Returns whether a line begins with # after optional blanks."""
        return re.compile(r"[ \t]*#").match(self._text, start) is not None

    def record(self, start: int) -> Record | None:
        """Returns the record at a position, or None if its end is not in the text."""
        end = _LINE_END.search(self._text, start)
        if end is None and not self._final:
            return None
        line_end, next_line = (end.start(), end.end()) if end is not None else (len(self._text), len(self._text))
        line = self._text[start:line_end]
        special = (self._dialect.quote or "") in line if self._dialect.quote else False
        special = special or (self._dialect.escape is not None and self._dialect.escape in line)
        if not special or (self._dialect.comments and self.is_comment(start)):
            if end is not None and end.group() == "\r" and next_line == len(self._text) and not self._final:
                return None
            return Record(start, next_line, line.split(self._dialect.delimiter))
        return self._scan(start, line)

    def _scan(self, start: int, line: str) -> Record | None:
        text, position = self._text, start
        fields: list[str] = []
        if self._quoted is not None and self._escapes is None and not line.startswith(self._dialect.quote or ""):
            opening = line.find(self._opening)
            if opening >= 0:  # the fields before the first one that begins with a quote
                fields, position = line[:opening].split(self._dialect.delimiter), start + opening + 1
        while True:
            if self._quoted is not None and text.startswith(self._dialect.quote or "", position):
                match = self._quoted.match(text, position)
                if match is None:
                    return self._unclosed(start) if self._final else None
                fields.append(self._unescaped(match[1], doubled=True))
            else:
                match = self._plain.match(text, position)
                assert match is not None  # it may be empty
                fields.append(self._unescaped(match[0], doubled=False))
            position = match.end()
            if position == len(text):
                return Record(start, position, fields) if self._final else None
            character = text[position]
            if character == self._dialect.delimiter:
                position += 1
            elif character in "\r\n":
                return self._ended(start, position, fields)
            elif position == len(text) - 1 and character == self._dialect.escape and not self._final:
                return None
            elif character == self._dialect.escape:
                return self._ended(start, position, fields, "the record ends with an escape character")
            else:
                problem = f"the closing quote is followed by {character!r} instead of {self._dialect.delimiter!r} or the end of the line"
                return self._ended(start, position, fields, problem)

    def _ended(self, start: int, position: int, fields: list[str], problem: str = "") -> Record | None:
        """Returns the record that ends at the end of the position's line."""
        end = _LINE_END.search(self._text, position)
        if not self._final and (end is None or (end.group() == "\r" and end.end() == len(self._text))):
            return None
        return Record(start, end.end() if end is not None else len(self._text), fields, problem)

    def _unclosed(self, start: int) -> Record | None:
        """Returns the line with a quote that is never closed as a record; the following lines may be valid."""
        return self._ended(start, start, [], "a quote is opened and never closed")

    def _unescaped(self, field: str, *, doubled: bool) -> str:
        quote = self._dialect.quote
        if self._escapes is None:
            return field.replace(quote + quote, quote) if doubled and quote else field
        if doubled and quote:
            parts = re.split(f"({re.escape(self._dialect.escape or '')}.)", field, flags=re.DOTALL)
            parts[::2] = [part.replace(quote + quote, quote) for part in parts[::2]]
            parts[1::2] = [ESCAPED_LETTERS.get(part[-1], part[-1]) for part in parts[1::2]]
            return "".join(parts)
        return self._escapes.sub(lambda match: ESCAPED_LETTERS.get(match[1], match[1]), field)
