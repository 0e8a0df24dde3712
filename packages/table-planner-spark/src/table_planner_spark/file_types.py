"""Types of columns that Spark cannot keep in files as other engines do."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.types import RowType, TimeType, types_in

__all__ = ["has_nanoseconds", "refuse_fine_times"]

_DIGITS = 6


def has_nanoseconds(row_type: RowType) -> bool:
    """Returns whether Spark would write timestamps as plain numbers."""
    return any(has_nanosecond_encoding(inner) for inner in types_in(row_type))


def refuse_fine_times(row_type: RowType, where: str) -> None:
    """Raises a ``TableException`` if a column has times of the day with more digits than Spark's have."""
    for field in row_type.fields:
        for inner in types_in(field.type):
            if isinstance(inner, TimeType) and inner.precision > _DIGITS:
                raise TableException(
                    f"The planner 'spark' keeps {_DIGITS} digits of a time, but column '{field.name}' of {where} has the type {field.type.summary()}.",
                    hint="Declare the column with fewer digits, or use the planner 'arrow'.",
                )
