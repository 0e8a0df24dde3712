"""The result mode ``table`` of a terminal: the rows of a query that takes longer are shown while they change."""

from __future__ import annotations

from collections.abc import Callable

from table_api import TableResult
from table_common.frozen_dataclass import replace

_SECONDS_WITHOUT_VIEW = 1.0
"""A query that has ended before needs no view: its final rows are printed."""


def rows_or_live_view(result: TableResult, before_output: Callable[[], None]) -> TableResult | None:
    """Returns the final rows of a query that ends soon; of another one shows the rows on the whole screen, until the user leaves.

    A query that has ended by then has its final rows returned, too, so that they stay on the terminal; one that has not is cancelled.

    Raises:
        TableError: the query failed.
    """
    with result.live() as live:
        if result.is_unbounded or not live.wait_for_end(_SECONDS_WITHOUT_VIEW):
            from sql_client.rendering.live_view import LiveView  # only a terminal needs it

            before_output()
            count = LiveView(result.get_resolved_schema(), live, result.style).run()
            if not live.has_ended:
                print(f"[INFO] The query ended with {count} {'row' if count == 1 else 'rows'}.\n", flush=True)
                return None
        style = replace(result.style, row_kinds=False, by_type=False)
        return TableResult(result.get_resolved_schema(), rows=[tuple(row) for row in live.rows()], style=style, time_zone=result.time_zone)
