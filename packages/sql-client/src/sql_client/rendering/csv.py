"""Results as CSV with a header, for other programs; NULL is an empty field, an empty text is quoted, a blank line is between results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from sql_client.rendering.display import Display
from sql_client.rendering.reader import for_reader, until_interrupted
from table_api import TableResult
from table_api.rendering import cell_texts, flushing, render_value


def render_csv(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the header and a line per row as they come; for a terminal row by row, else batch by batch."""
    blocks = until_interrupted(result, _rows(result) if output.isatty() else _batches(result))
    output = for_reader(flushing(output) if result.is_unbounded else output)
    first = next(blocks, None)
    display.before_output()
    if not display.is_first:
        output.write("\n")
    output.write(_line(result.get_resolved_schema().column_names))
    if first is not None:
        output.write(first)
    for block in blocks:
        output.write(block)


def _batches(result: TableResult) -> Iterator[str]:
    from table_runtime.export import csv_texts

    return csv_texts(result.to_batches(), result.get_resolved_schema().to_row_type(), render_value, result.time_zone)


def _rows(result: TableResult) -> Iterator[str]:
    return map(_line, cell_texts(result))


def _line(texts: Sequence[str | None]) -> str:
    return ",".join(map(_field, texts)) + "\n"


def _field(text: str | None) -> str:
    if text is None:
        return ""
    if text == "" or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
