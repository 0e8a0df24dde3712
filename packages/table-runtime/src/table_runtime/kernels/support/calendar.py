"""Month arithmetic on epoch days, in the proleptic Gregorian calendar."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.casts import map_distinct

_EPOCH_DAY = date(1970, 1, 1).toordinal()
DAY_TICKS = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def shift_months(day: int, months: int) -> int:
    """Returns the epoch day ``months`` later; a day that the month does not have becomes its last day.

    Raises:
        TableRuntimeException: the result is outside the years 1 to 9999.
    """
    start = date.fromordinal(day + _EPOCH_DAY)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise TableRuntimeException(f"{start} plus {months} months is outside the years 1 to 9999.")
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1])).toordinal() - _EPOCH_DAY


def add_months(days: Any, months: Any, num_rows: int) -> Any:
    """Returns epoch days (int32) shifted by months; both arguments are arrays or scalars."""
    if isinstance(days, pa.Scalar) and isinstance(months, pa.Scalar):
        if not days.is_valid or not months.is_valid:
            return arrow_scalar(None, pa.int32())
        return arrow_scalar(shift_months(days.as_py(), months.as_py()), pa.int32())
    if isinstance(months, pa.Scalar):
        if not months.is_valid:
            return pa.nulls(num_rows, pa.int32())
        count = months.as_py()
        return map_distinct(days, lambda day: shift_months(day, count), pa.int32())
    if isinstance(days, pa.Scalar):
        if not days.is_valid:
            return pa.nulls(num_rows, pa.int32())
        start = days.as_py()
        return map_distinct(months, lambda count: shift_months(start, count), pa.int32())
    pairs = zip(days.to_pylist(), months.to_pylist(), strict=True)
    return arrow_array([None if day is None or count is None else shift_months(day, count) for day, count in pairs], pa.int32())


def split_day(ticks: Any, unit: str) -> tuple[Any, Any]:
    """Splits int64 ticks since 1970-01-01 into epoch days (int32) and ticks of the day (int64, never negative)."""
    size = arrow_scalar(DAY_TICKS[unit], pa.int64())
    days = pc.divide(ticks, size)
    rest = pc.subtract(ticks, pc.multiply(days, size))
    negative = pc.less(rest, 0)
    days = pc.subtract(days, pc.if_else(negative, arrow_scalar(1, pa.int64()), arrow_scalar(0, pa.int64())))
    return pc.cast(days, pa.int32()), pc.subtract(ticks, pc.multiply(days, size))


def days_of(value: Any) -> tuple[Any, Any]:
    """Splits a date or timestamp into epoch days and ticks of the day; a date's ticks are zero."""
    if pa.types.is_date32(value.type):
        return pc.cast(value, pa.int32()), arrow_scalar(0, pa.int64())
    return split_day(pc.cast(value, pa.int64()), value.type.unit)


def months_between(later: tuple[int, int], earlier: tuple[int, int]) -> int:
    """Returns the number of whole months from ``earlier`` to ``later``, each an epoch day and ticks of the day."""
    if later < earlier:
        return -months_between(earlier, later)
    start, end = date.fromordinal(earlier[0] + _EPOCH_DAY), date.fromordinal(later[0] + _EPOCH_DAY)
    months = (end.year - start.year) * 12 + end.month - start.month
    reached = shift_months(earlier[0], months)
    return months - 1 if reached > later[0] or (reached == later[0] and later[1] < earlier[1]) else months
