"""Results as tables with borders and the number of rows, as in Flink's client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import TextIO

from sql_client.options import MAX_ROWS
from sql_client.rendering.display import Display, Limited
from sql_client.rendering.records import print_records
from table_api import TableResult
from table_api.rendering import LEAST_WIDTH, TableauStyle, UntilInterrupted, flushing, render_value
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.frozen_dataclass import replace
from table_common.terminal_text import display_width

_SAMPLED_ROWS = 1_000
"""The number of rows that determine the widths of columns on a terminal, so that a long result appears at once."""
_DEFAULT_WIDTH = 30
"""The limit of a column's width if the session sets none; on a terminal its width is the limit then."""


def render_tableau(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the rows; in streaming mode with the column ``op``."""
    with result.collect() as rows:
        print_rows(result, rows, result.style, display, output)


def render_changelog(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the rows of a query with the column ``op``: inserted +I, replaced -U by +U, deleted -D."""
    with result.collect() as rows:
        print_rows(result, rows, replace(result.style, row_kinds=result.get_job_client() is not None), display, output)


def print_rows(result: TableResult, rows: Iterator[Row], style: TableauStyle, display: Display, output: TextIO) -> None:
    """Writes rows of a result in a style, as many as the display allows; those of an unbounded query as they come.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the table of an unbounded query is complete then.
    """
    if not result.is_unbounded:
        _print_rows(result, rows, style, display, output)
        return
    with UntilInterrupted(rows) as until:
        _print_rows(result, until, style, display, flushing(output))
    if until.is_interrupted:
        raise KeyboardInterrupt


def _print_rows(result: TableResult, rows: Iterator[Row], style: TableauStyle, display: Display, output: TextIO) -> None:
    limited = Limited(rows, display.max_rows)
    schema = result.get_resolved_schema()

    def after_count() -> str:
        return (f" (there are more; '{MAX_ROWS.key}' is the limit)" if limited.is_cut else "") + display.time_cost()

    is_whole = style.whole and display.expanded != "on"
    if style.raw or style.by_type or is_whole or (display.width is None and display.expanded != "on"):
        style.print(schema, limited, output, display.before_output, after_count)
    else:
        sample = list(islice(limited, _SAMPLED_ROWS))
        all_rows = chain(sample, limited)
        if display.expanded == "on" or (display.expanded == "auto" and not _fits(schema, sample, style, display.width)):
            _print_expanded(schema, all_rows, style, display, output, after_count)
        else:
            limit = None if style.max_column_width == _DEFAULT_WIDTH else style.max_column_width
            fitted = replace(style, max_column_width=limit, total_width=display.width, sampled_rows=_SAMPLED_ROWS)
            fitted.print(schema, all_rows, output, display.before_output, after_count)
    output.write("\n")


def _fits(schema: ResolvedSchema, rows: Sequence[Row], style: TableauStyle, total: int | None) -> bool:
    """Returns whether all columns fit side by side, each with at least a few characters."""
    if total is None or len(schema.columns) == 1:
        return True
    used = 1 + 5 * style.row_kinds
    for position, column in enumerate(schema.columns):
        width = display_width(column.name)
        for row in rows:
            if width >= LEAST_WIDTH:
                break
            width = max(width, display_width(render_value(row[position], column.data_type) or style.null))
        used += 3 + min(width, LEAST_WIDTH)
    return used <= total


def _print_expanded(
    schema: ResolvedSchema, rows: Iterator[Row], style: TableauStyle, display: Display, output: TextIO, after_count: Callable[[], str]
) -> None:
    first = next(rows, None)
    display.before_output()
    if first is None:
        output.write(f"Empty set{after_count()}\n")
        return
    count = print_records(schema, chain((first,), rows), style, output)
    output.write(f"{count} {'row' if count == 1 else 'rows'} in set{after_count()}\n")
