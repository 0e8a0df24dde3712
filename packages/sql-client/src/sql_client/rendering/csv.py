"""Results as CSV with a header, for other programs; NULL is an empty field, an empty text is quoted, a blank line is between results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from sql_client.rendering.display import Display
from sql_client.rendering.reader import for_reader
from table_api import TableResult
from table_api.rendering import cell_texts

__all__ = ["render_csv"]


def render_csv(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the header and a line per row as they come."""
    texts = cell_texts(result)
    output = for_reader(output)
    first = next(texts, None)
    display.before_output()
    if not display.is_first:
        output.write("\n")
    _write(output, result.get_resolved_schema().column_names)
    if first is not None:
        _write(output, first)
    for row in texts:
        _write(output, row)


def _write(output: TextIO, texts: Sequence[str | None]) -> None:
    output.write(",".join(map(_field, texts)) + "\n")


def _field(text: str | None) -> str:
    if text is None:
        return ""
    if text == "" or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
