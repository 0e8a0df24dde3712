"""``TimeData`` and ``IntervalData``: TIME and day–time INTERVAL where milliseconds are too coarse.

Up to a precision of 3 both are plain integers: the milliseconds of the day, and the milliseconds. Above it they are these classes.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import total_ordering
from typing import Self

from table_common.annotation import public_evolving
from table_common.data.temporal_nanos import nanos_of_day, nanos_of_duration
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types.logical import DayTimeIntervalType

_EPOCH = datetime(1970, 1, 1)
_NANOS_OF_DAY = 86_400_000_000_000
_MILLI = 1_000_000
_LONG = 2**63
_MAX_COMPACT_PRECISION = 3


def interval_precision(type_: DayTimeIntervalType) -> int:
    """Returns the digits of fractional seconds that values of the type have; without seconds in its text a type holds microseconds.

    Example:
        >>> from table_common.types import DayTimeIntervalType
        >>> interval_precision(DayTimeIntervalType())
        6
    """
    return type_.fractional_precision if type_.resolution.value.endswith("SECOND") else 6


@total_ordering
class _Nanoseconds:
    """The base of both: a number of nanoseconds."""

    __slots__ = ("_nanos",)

    _nanos: int

    def __init__(self) -> None:
        """Refuses the call; the class methods ``from_…`` make values.

        Raises:
            TypeError: always.
        """
        raise TypeError(f"{type(self).__name__} is made with {type(self).__name__}.from_millis(...) or from_nanos(...).")

    @classmethod
    def _of(cls, nanos: int) -> Self:
        """Wraps a number that is known to be in range."""
        result = object.__new__(cls)
        result._nanos = nanos
        return result

    def get_millisecond(self) -> int:
        """Returns the whole milliseconds, rounded down."""
        return self._nanos // _MILLI

    def get_nano_of_millisecond(self) -> int:
        """Returns the nanoseconds beyond the whole milliseconds, from 0 to 999999."""
        return self._nanos % _MILLI

    def to_nanos(self) -> int:
        """Returns the nanoseconds."""
        return self._nanos

    @staticmethod
    def is_compact(precision: int) -> bool:
        """Returns whether a value of the precision is whole milliseconds, and so a plain integer: up to 3."""
        return precision <= _MAX_COMPACT_PRECISION

    def __eq__(self, other: object) -> bool:
        return self._nanos == other._nanos if isinstance(other, type(self)) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._nanos < other._nanos if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._nanos)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self)._of, (self._nanos,)


@public_evolving
class TimeData(_Nanoseconds):
    """Immutable time of day, in nanoseconds since midnight.

    Example:
        >>> TimeData.from_millis(1_500).to_nanos()
        1500000000
    """

    __slots__ = ()

    @classmethod
    def from_nanos(cls, nano_of_day: int) -> TimeData:
        """Returns the time ``nano_of_day`` nanoseconds after midnight.

        Raises:
            ValidationException: That is not within a day.
        """
        if not 0 <= nano_of_day < _NANOS_OF_DAY:
            raise ValidationException(f"A time of day has from 0 to {_NANOS_OF_DAY - 1} nanoseconds, but got {nano_of_day}.")
        return cls._of(nano_of_day)

    @classmethod
    def from_millis(cls, millisecond_of_day: int, nano_of_millisecond: int = 0) -> TimeData:
        """Returns the time after midnight from milliseconds, and nanoseconds in the last one.

        Raises:
            ValidationException: That is not within a day, or the nanoseconds are not from 0 to 999999.
        """
        return cls.from_nanos(millisecond_of_day * _MILLI + _within_millisecond(nano_of_millisecond))

    @classmethod
    def from_local_time(cls, value: time) -> TimeData:
        """Returns the time.

        Raises:
            ValidationException: It has a time zone.
        """
        if value.tzinfo is not None:
            raise ValidationException(f"The time {value} has a time zone; TIME has none.")
        return cls._of(nanos_of_day(value))

    def to_local_time(self) -> time:
        """Returns the time; with digits below microseconds it is a ``NanosecondTime``."""
        micros, finer = divmod(self._nanos, 1000)
        value = (_EPOCH + timedelta(0, 0, micros)).time()
        if not finer:
            return value
        from table_common.data.nanoseconds import time_of  # few programs count nanoseconds

        return time_of(value, finer)

    def __str__(self) -> str:
        seconds, fraction = divmod(self._nanos, 1_000_000_000)
        text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return text + (f".{fraction:09d}".rstrip("0") if fraction else "")

    def __repr__(self) -> str:
        return f"TimeData({self})"


@public_evolving
class IntervalData(_Nanoseconds):
    """Immutable day–time interval, in nanoseconds.

    Example:
        >>> IntervalData.from_millis(1_500).to_nanos()
        1500000000
    """

    __slots__ = ()

    @classmethod
    def from_nanos(cls, nanos: int) -> IntervalData:
        """Returns the interval of ``nanos`` nanoseconds.

        Raises:
            ValidationException: Its milliseconds do not fit into 64 bits.
        """
        if not -_LONG <= nanos // _MILLI < _LONG:
            raise ValidationException(f"The milliseconds of an interval fit into 64 bits, but got {nanos // _MILLI}.")
        return cls._of(nanos)

    @classmethod
    def from_millis(cls, milliseconds: int, nano_of_millisecond: int = 0) -> IntervalData:
        """Returns the interval of milliseconds, and nanoseconds more.

        Raises:
            ValidationException: The milliseconds do not fit into 64 bits, or the nanoseconds are not from 0 to 999999.
        """
        return cls.from_nanos(milliseconds * _MILLI + _within_millisecond(nano_of_millisecond))

    @classmethod
    def from_duration(cls, duration: timedelta) -> IntervalData:
        """Returns the interval; nanoseconds of a ``NanosecondTimedelta`` or a ``pandas.Timedelta`` are kept."""
        return cls._of(nanos_of_duration(duration))

    def to_duration(self) -> timedelta:
        """Returns the interval; with digits below microseconds it is a ``NanosecondTimedelta``.

        Raises:
            TableRuntimeException: It is longer than Python's timedelta can be.
        """
        try:
            if self._nanos % 1000 == 0:
                return timedelta(0, 0, self._nanos // 1000)
            from table_common.data.nanoseconds import timedelta_of

            return timedelta_of(self._nanos)
        except OverflowError:
            raise TableRuntimeException(
                f"The interval of {self._nanos} nanoseconds is longer than Python's timedelta can be.", hint="Take it as int."
            ) from None

    def __repr__(self) -> str:
        return f"IntervalData({self._nanos} ns)"


def _within_millisecond(nanos: int) -> int:
    if not 0 <= nanos <= 999_999:
        raise ValidationException(f"The nanoseconds within a millisecond are from 0 to 999999, but got {nanos}.")
    return nanos
