"""Rows as an HTML table, as notebooks show them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from table_api.rendering.values import render_value
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.frozen_dataclass import dataclass
from table_common.terminal_text import escape_controls
from table_common.types.logical import NUMERICS, LogicalType

SHOWN_ROWS = 10
"""How many rows notebooks show."""

_CELL_CHARACTERS = 100
_RIGHT = ' style="text-align: right"'
_LEFT = ' style="text-align: left"'


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows; ``has_more`` says that there are others, ``is_timed_out`` that the job was cancelled before its end."""

    schema: ResolvedSchema
    rows: Sequence[Row]
    has_more: bool = False
    is_timed_out: bool = False


def html_of_preview(preview: Preview, note: str | None = None) -> str:
    """Returns names and types of the columns and the rows as a table, with a line that says whether these are all rows, or a note."""
    columns = preview.schema.columns
    types = preview.schema.column_types
    lines = ["<table>", "<thead>", "<tr>"]
    for column, data_type in zip(columns, types, strict=True):
        name, kind = escape(escape_controls(column.name)), escape(data_type.summary())
        lines.append(f"<th{_alignment(data_type)}>{name}<br><small>{kind}</small></th>")
    lines += ["</tr>", "</thead>", "<tbody>"]
    for row in preview.rows:
        cells = (f"<td{_alignment(data_type)}>{_cell(value, data_type)}</td>" for value, data_type in zip(row, types, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines += ["</tbody>", "</table>", f"<small>{escape(note if note is not None else _summary(preview))}</small>"]
    return "\n".join(lines)


def _cell(value: object, data_type: LogicalType) -> str:
    text = render_value(value, data_type)
    if text is None:
        return "<i>NULL</i>"
    shown = text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"
    return escape(escape_controls(shown))


def _alignment(data_type: LogicalType) -> str:
    return _RIGHT if isinstance(data_type, NUMERICS) else _LEFT


def _summary(preview: Preview) -> str:
    count = f"{len(preview.rows)} {'row' if len(preview.rows) == 1 else 'rows'}"
    if preview.is_timed_out:
        return f"{count} so far; the query takes longer than the display waits"
    return f"The first {count}; there are more" if preview.has_more else count
