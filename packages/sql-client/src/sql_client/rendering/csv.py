"""Results as CSV with a header, for other programs; NULL is an empty field, an empty text is quoted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from table_api import ResultKind, TableResult
from table_api.rendering import cell_texts

__all__ = ["render_csv"]


def render_csv(result: TableResult, output: TextIO, before_output: Callable[[], None]) -> None:
    """Writes a line per row; statements without rows write nothing."""
    if result.get_result_kind() is ResultKind.SUCCESS:
        before_output()
        return
    schema = result.get_resolved_schema()
    started = False
    for texts in cell_texts(result):
        if not started:
            before_output()
            _write(output, list(schema.column_names))
            started = True
        _write(output, texts)
    if not started:
        before_output()
        _write(output, list(schema.column_names))


def _write(output: TextIO, texts: list[str | None]) -> None:
    fields = []
    for text in texts:
        if text is None:
            fields.append("")
        elif text == "" or any(character in text for character in ',"\r\n'):
            fields.append('"' + text.replace('"', '""') + '"')
        else:
            fields.append(text)
    output.write(",".join(fields) + "\n")
