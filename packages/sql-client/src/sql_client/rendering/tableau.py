"""Results as tables with borders and the number of rows, as in Flink's client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from sql_client.options import MAX_ROWS
from sql_client.rendering.display import Display, Limited
from table_api import TableResult
from table_api.rendering import TableauStyle
from table_common.data import Row
from table_common.frozen_dataclass import replace

__all__ = ["print_rows", "render_changelog", "render_tableau"]


def render_tableau(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the rows; in streaming mode with the column ``op``."""
    with result.collect() as rows:
        print_rows(result, rows, result.style, display, output)


def render_changelog(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the rows of a query with the column ``op``: inserted +I, replaced -U by +U, deleted -D."""
    with result.collect() as rows:
        print_rows(result, rows, replace(result.style, row_kinds=result.get_job_client() is not None), display, output)


def print_rows(result: TableResult, rows: Iterator[Row], style: TableauStyle, display: Display, output: TextIO) -> None:
    """Writes rows of a result in a style, as many as the display allows."""
    limited = Limited(rows, display.max_rows)

    def after_count() -> str:
        return (f" (there are more; '{MAX_ROWS.key}' is the limit)" if limited.is_cut else "") + display.time_cost()

    style.print(result.get_resolved_schema(), limited, output, display.before_output, after_count)
    output.write("\n")
