"""numpy's dates, durations and arrays, identified by class name: numpy is never imported here."""

from __future__ import annotations

import re
import sys
from datetime import date
from typing import Any

_UNIT_NANOS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "μs": 1_000,
    "ns": 1,
}
_PARTS_OF_NANOSECOND = {"ps": 1_000, "fs": 1_000_000, "as": 1_000_000_000}
_NOT_A_TIME = -(2**63)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def is_numpy(value: object) -> bool:
    """Returns whether the value is a scalar or an array of numpy."""
    return type(value).__module__ == "numpy"


def date_time_nanos(value: Any) -> int | None:
    """Returns the nanoseconds since 1970-01-01 of a ``datetime64``, rounded down, and None of a NaT."""
    count, unit = _count_and_unit(value)
    if count is None:
        return None
    if unit in ("Y", "M"):
        years, months = divmod(count * (12 if unit == "Y" else 1), 12)
        # Years beyond those of datetime.date: 400 years of the Gregorian calendar have 146097 days.
        cycles, year = divmod(1970 + years - 1, 400)
        days = date(year + 1, months + 1, 1).toordinal() + cycles * 146_097 - _EPOCH_ORDINAL
        return days * _UNIT_NANOS["D"]
    return _nanos(count, unit)


def duration_nanos(value: Any) -> int | None:
    """Returns the nanoseconds of a ``timedelta64``, rounded down, and None of a NaT.

    Raises:
        ValueError: It counts months or years, which have no fixed length, or has no unit.
    """
    count, unit = _count_and_unit(value)
    if count is None:
        return None
    if unit not in _UNIT_NANOS and unit not in _PARTS_OF_NANOSECOND:
        raise ValueError("it counts months, years or nothing at all, which have no fixed length")
    return _nanos(count, unit)


def _count_and_unit(value: Any) -> tuple[int | None, str]:
    """Returns how many of which unit the value is: its dtype is written ``datetime64[ns]`` or ``datetime64[25s]``."""
    count = int(value.astype("int64"))
    match = re.search(r"\[(\d*)(\w+)\]", str(value.dtype))
    if count == _NOT_A_TIME:
        return None, ""
    return (count * int(match[1] or 1), match[2]) if match else (count, "")


def _nanos(count: int, unit: str) -> int:
    return count * _UNIT_NANOS[unit] if unit in _UNIT_NANOS else count // _PARTS_OF_NANOSECOND[unit]


def scalar_of(class_: type[Any], number: int, unit: str) -> Any:
    """Returns the ``datetime64`` or ``timedelta64`` (the class given) of ``number`` units.

    Raises:
        OverflowError: The number does not fit into 64 bits.
    """
    if not _NOT_A_TIME < number < -_NOT_A_TIME:
        raise OverflowError(f"{number} {unit} do not fit into 64 bits")
    return class_(number, unit)


def array_of(class_: type[Any], values: list[Any], dtype: str) -> Any:
    """Returns the ``ndarray`` (the class given) of one dimension with the values."""
    numpy = sys.modules[class_.__module__]
    result = numpy.empty(len(values), dtype)
    # Value by value: numpy would make a second dimension of lists of one length.
    if dtype == "object":
        for index, value in enumerate(values):
            result[index] = value
    else:
        result[:] = values
    return result
