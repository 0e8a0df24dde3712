"""Who reads the output: a program takes data as they are, a terminal gets no control characters."""

from __future__ import annotations

from typing import TextIO, cast

from table_common.terminal_text import escape_controls

__all__ = ["for_reader"]


class _Escaping:
    """Writes to a terminal; only what data for programs need is used of it."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> int:
        return self._output.write(escape_controls(text, keep="\n\t"))


def for_reader(output: TextIO) -> TextIO:
    """Returns where data for programs are written: the output itself unless it is a terminal."""
    return cast("TextIO", _Escaping(output)) if output.isatty() else output
