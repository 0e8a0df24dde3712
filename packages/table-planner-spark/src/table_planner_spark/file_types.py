"""Column types that Spark does not store in files as other engines do."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.types import RowType, TimeType, types_in


def has_nanoseconds(row_type: RowType) -> bool:
    """Returns whether Spark would write times or timestamps as plain numbers."""
    return any(has_nanosecond_encoding(inner) for inner in types_in(row_type))


def has_fine_times(row_type: RowType) -> bool:
    """Returns whether a TIME has more digits than Spark can read; timestamps with more digits it reads as numbers."""
    return any(isinstance(inner, TimeType) and has_nanosecond_encoding(inner) for inner in types_in(row_type))
