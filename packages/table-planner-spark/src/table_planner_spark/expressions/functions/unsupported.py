"""Built-in functions that this planner does not support, each with the reason shown to the user."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, conversion, temporal, windows

_WINDOW = "it is only allowed in a query with that window in GROUP BY"
_PATTERN = "it is only allowed in MATCH_RECOGNIZE"
_GROUPING = "it is only allowed in a query with GROUP BY"
_SOURCE_WATERMARK = "it is only allowed in the WATERMARK clause of a table whose source emits its own watermarks"
_SESSION = "it is replaced by a constant when a query is planned"

UNSUPPORTED: dict[FunctionDefinition, str] = {
    conversion.CURRENT_DATABASE: _SESSION,
    temporal.SOURCE_WATERMARK: _SOURCE_WATERMARK,
    **dict.fromkeys((aggregates.GROUPING, aggregates.GROUPING_ID, aggregates.GROUP_ID), _GROUPING),
    **dict.fromkeys(
        (
            windows.TUMBLE,
            windows.TUMBLE_START,
            windows.TUMBLE_END,
            windows.TUMBLE_ROWTIME,
            windows.TUMBLE_PROCTIME,
            windows.HOP,
            windows.HOP_START,
            windows.HOP_END,
            windows.HOP_ROWTIME,
            windows.HOP_PROCTIME,
            windows.SESSION,
            windows.SESSION_START,
            windows.SESSION_END,
            windows.SESSION_ROWTIME,
            windows.SESSION_PROCTIME,
        ),
        _WINDOW,
    ),
    **dict.fromkeys((windows.FIRST, windows.LAST, windows.PREV, windows.NEXT, windows.MATCH_ROWTIME, windows.MATCH_PROCTIME), _PATTERN),
}
