"""Built-in functions that this planner does not run, each with the reason that the user is shown."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, conversion, temporal, windows

__all__ = ["UNSUPPORTED"]

_WINDOW = "it is resolved together with the window in GROUP BY, and stands only beside it"
_PATTERN = "it stands only in MATCH_RECOGNIZE"
_GROUPING = "it is replaced by the identifier of the grouping set when the query is resolved, and stands only beside GROUP BY"
_STREAMING = "it belongs to streaming queries"
_SESSION = "the session answers it before a query is planned"

UNSUPPORTED: dict[FunctionDefinition, str] = {
    conversion.CURRENT_DATABASE: _SESSION,
    temporal.SOURCE_WATERMARK: _STREAMING,
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
