"""Built-in functions that this planner does not run, each with the reason that the user is shown."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, bitmap, conversion, temporal, windows

__all__ = ["UNSUPPORTED"]

_BITMAP = "Spark's bitmaps have fixed buckets and another encoding"
_WINDOW = "group windows are not planned yet"
_PATTERN = "it belongs to MATCH_RECOGNIZE, which Spark does not have"
_GROUPING = "it is replaced by the identifier of the grouping set when the query is resolved, and stands only beside GROUP BY"
_STREAMING = "it belongs to streaming queries"
_SESSION = "the session answers it before a query is planned"

UNSUPPORTED: dict[FunctionDefinition, str] = {
    conversion.CURRENT_DATABASE: _SESSION,
    temporal.SOURCE_WATERMARK: _STREAMING,
    **dict.fromkeys(
        (
            bitmap.BITMAP_BUILD,
            bitmap.BITMAP_FROM_BYTES,
            bitmap.BITMAP_TO_BYTES,
            bitmap.BITMAP_TO_ARRAY,
            bitmap.BITMAP_TO_STRING,
            bitmap.BITMAP_CARDINALITY,
            bitmap.BITMAP_AND,
            bitmap.BITMAP_ANDNOT,
            bitmap.BITMAP_OR,
            bitmap.BITMAP_XOR,
            bitmap.BITMAP_BUILD_AGG,
            bitmap.BITMAP_AND_AGG,
            bitmap.BITMAP_OR_AGG,
            bitmap.BITMAP_XOR_AGG,
            bitmap.BITMAP_BUILD_CARDINALITY_AGG,
            bitmap.BITMAP_AND_CARDINALITY_AGG,
            bitmap.BITMAP_OR_CARDINALITY_AGG,
            bitmap.BITMAP_XOR_CARDINALITY_AGG,
        ),
        _BITMAP,
    ),
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
