"""How results are shown: as a table, as CSV, or as one JSON object a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from sql_client.rendering.csv import render_csv
from sql_client.rendering.json import render_json
from sql_client.rendering.tableau import render_tableau
from table_api import TableResult

__all__ = ["RESULT_MODES", "render"]

_RENDERERS: dict[str, Callable[[TableResult, TextIO, Callable[[], None]], None]] = {
    "tableau": render_tableau,
    "csv": render_csv,
    "json": render_json,
}
RESULT_MODES = tuple(_RENDERERS)


def render(result: TableResult, mode: str, output: TextIO, *, before_output: Callable[[], None]) -> None:
    """Writes a result; ``before_output`` is called once, when the first rows are there."""
    _RENDERERS[mode](result, output, before_output)
