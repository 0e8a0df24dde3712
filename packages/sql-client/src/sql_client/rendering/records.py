"""Rows as records: a line per column, for rows that are too wide for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from table_api.rendering import TableauStyle, render_value
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.terminal_text import display_width, escape_controls


def print_records(schema: ResolvedSchema, rows: Iterable[Row], style: TableauStyle, output: TextIO) -> int:
    """Writes the rows and returns their number; values are complete."""
    names = [escape_controls(name) for name in schema.column_names]
    if style.row_kinds:
        names.insert(0, "op")
    margin = max(map(display_width, names), default=0)
    count = 0
    for row in rows:
        count += 1
        title = f"-[ RECORD {count} ]"
        output.write(title.ljust(max(len(title), margin + 3), "-") + "\n")
        texts = [render_value(value, data_type) for value, data_type in zip(row, schema.column_types, strict=True)]
        shown = [style.null if text is None else escape_controls(text) for text in texts]
        if style.row_kinds:
            shown.insert(0, row.get_row_kind().short_string)
        for name, text in zip(names, shown, strict=True):
            output.write(f"{name}{' ' * (margin - display_width(name))} | {text}\n")
    return count
