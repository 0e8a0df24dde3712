"""What a reader gets: control characters escaped on a terminal, and rows of unbounded queries until Ctrl-C; programs receive unchanged data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO, cast

from table_api import TableResult
from table_api.rendering import UntilInterrupted
from table_common.terminal_text import escape_controls


class _Escaping:
    """Escapes control characters; has only the methods of a file that the renderers of CSV and JSON call."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> int:
        return self._output.write(escape_controls(text, keep="\n\t"))


def for_reader(output: TextIO) -> TextIO:
    """Returns the output, wrapped to escape control characters if it is a terminal."""
    return cast("TextIO", _Escaping(output)) if output.isatty() else output


def until_interrupted(result: TableResult, blocks: Iterator[str]) -> Iterator[str]:
    """Yields the texts of a result; those of an unbounded query until Ctrl-C.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not result.is_unbounded:
        yield from blocks
        return
    with UntilInterrupted(blocks, at_once=True) as until:
        yield from until
    if until.is_interrupted:
        raise KeyboardInterrupt
