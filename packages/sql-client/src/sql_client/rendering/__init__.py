"""Rendering of results: as tables, as CSV, or as one JSON object per line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from sql_client.options import DATA_MODES
from sql_client.rendering.csv import render_csv
from sql_client.rendering.display import Display
from sql_client.rendering.json import render_json
from sql_client.rendering.parquet import render_parquet
from sql_client.rendering.table import render_table
from sql_client.rendering.tableau import render_changelog, render_tableau
from table_api import ResultKind, TableResult

__all__ = ["Display", "render"]

_RENDERERS: dict[str, Callable[[TableResult, Display, TextIO], None]] = {
    "tableau": render_tableau,
    "table": render_table,
    "changelog": render_changelog,
    "csv": render_csv,
    "json": render_json,
    "parquet": render_parquet,
}


def render(result: TableResult, display: Display, output: TextIO) -> bool:
    """Writes a result and returns whether it is a result with rows.

    For a statement without rows it writes a confirmation, except in the modes for programs.
    """
    if result.get_result_kind() is ResultKind.SUCCESS:
        display.before_output()
        if display.mode not in DATA_MODES:
            output.write("[INFO] Execute statement succeeded.\n\n")
        return False
    _RENDERERS[display.mode](result, display, output)
    return True
