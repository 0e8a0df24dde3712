"""Escapes control characters in data if the output is a terminal; programs receive unchanged data."""

from __future__ import annotations

from typing import TextIO, cast

from table_common.terminal_text import escape_controls

__all__ = ["for_reader"]


class _Escaping:
    """Escapes control characters; has only the methods of a file that the renderers of CSV and JSON call."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> int:
        return self._output.write(escape_controls(text, keep="\n\t"))


def for_reader(output: TextIO) -> TextIO:
    """Returns the output, wrapped to escape control characters if it is a terminal."""
    return cast("TextIO", _Escaping(output)) if output.isatty() else output
