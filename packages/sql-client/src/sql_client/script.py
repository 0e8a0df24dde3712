"""Scripts and their statements, with positions in the script."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from table_api.sql import split_statements
from table_common.exceptions import SourcePosition, TableError
from table_common.frozen_dataclass import dataclass
from table_common.gate import AllowedPath
from table_common.secrets import mask_line, mask_text
from table_common.terminal_text import escape_controls

_LINES_AROUND = 10
"""The number of lines shown before and after the error in a long statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a script: its text without the semicolon, and its offset in the script."""

    text: str
    script: Script
    start: int

    @property
    def first_word(self) -> str:
        """The first word of the statement, in upper case."""
        return self.text.split(maxsplit=1)[0].upper() if self.text.strip() else ""

    @property
    def shown_text(self) -> str:
        """The text for display, with secrets redacted and control characters escaped."""
        return escape_controls(mask_text(self.text)[0].strip(), keep="\n\t")

    def _shown_lines(self) -> Iterator[str]:
        start = 0
        for line in self.text.split("\n"):
            yield escape_controls(mask_line(self.text, start, start + len(line))[0], keep="\t")
            start += len(line) + 1

    @property
    def lines(self) -> range:
        """The numbers, from 1, of the script's lines that the statement covers."""
        first = self.script.text.count("\n", 0, self.start) + 1
        return range(first, first + self.text.count("\n") + 1)

    def locate(self, error: TableError) -> None:
        """Changes the position of an error from this statement's text to the script's."""
        place = error.position
        if place is None or place.text != self.text:  # no position, or one in the text of a view
            return
        line_start = self.script.text.rfind("\n", 0, self.start) + 1
        column = place.column + (self.start - line_start if place.line == 1 else 0)
        error.position = SourcePosition(self.script.text, place.line + self.lines.start - 1, column, place.length)

    def listing(self, error: TableError | None = None) -> str:
        """Returns the statement's text, with the script's line numbers if it has several lines."""
        if len(self.lines) == 1:
            return f"  {self.shown_text}"
        numbered = [f"{number:>5}  {line}".rstrip() for number, line in zip(self.lines, self._shown_lines(), strict=True)]
        if len(numbered) <= 2 * _LINES_AROUND + 1:
            return "\n".join(numbered)
        is_located = error is not None and error.position is not None and error.position.text is self.script.text
        wrong = error.position.line - self.lines.start if is_located and error is not None and error.position is not None else 0
        first, last = max(0, wrong - _LINES_AROUND), wrong + _LINES_AROUND + 1
        return "\n".join(["    …"] * (first > 0) + numbered[first:last] + ["    …"] * (last < len(numbered)))


@dataclass(frozen=True, slots=True)
class Script:
    """The text of statements, and its name in messages: a path, or None for input without a name."""

    text: str
    name: str | None = None

    @classmethod
    def read(cls, path: AllowedPath | Literal["-"]) -> Script:
        """Reads a file, or standard input for ``-``; removes a byte order mark, and converts CRLF to LF.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not UTF-8.
        """
        data = sys.stdin.buffer.read() if path == "-" else path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ValueError(f"it is not UTF-8 text: line {line} has the byte 0x{data[error.start]:02x}") from None
        return cls(text.replace("\r\n", "\n"), "standard input" if path == "-" else str(path))

    def statements(self) -> Iterator[Statement]:
        """Yields the statements in order, without empty ones."""
        for span in split_statements(self.text):
            text = self.text[span.start : span.end]
            if text.strip():
                yield Statement(text, self, span.start)
