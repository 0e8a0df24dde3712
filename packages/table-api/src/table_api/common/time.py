"""``Duration``, ``Instant`` and ``Time`` of ``pyflink.common``, with conversions to Python's own classes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import total_ordering

from table_common.data import datetime_of, nanos_since_epoch
from table_common.frozen_dataclass import dataclass

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in nanoseconds.

    Example:
        >>> Duration.of_minutes(2) == Duration.of_seconds(120), Duration.of_millis(1500).to_timedelta()
        (True, datetime.timedelta(seconds=1, microseconds=500000))

    Source: PyFlink's ``pyflink.common.Duration``.
    """

    nanos: int

    @staticmethod
    def of_days(days: int) -> Duration:
        """Returns days of 24 hours."""
        return Duration.of_hours(24 * days)

    @staticmethod
    def of_hours(hours: int) -> Duration:
        """Returns hours."""
        return Duration.of_minutes(60 * hours)

    @staticmethod
    def of_minutes(minutes: int) -> Duration:
        """Returns minutes."""
        return Duration.of_seconds(60 * minutes)

    @staticmethod
    def of_seconds(seconds: int) -> Duration:
        """Returns seconds."""
        return Duration(1_000_000_000 * seconds)

    @staticmethod
    def of_millis(millis: int) -> Duration:
        """Returns milliseconds."""
        return Duration(1_000_000 * millis)

    @staticmethod
    def of_nanos(nanos: int) -> Duration:
        """Returns nanoseconds."""
        return Duration(nanos)

    def to_timedelta(self) -> timedelta:
        """Returns the duration as Python's class, without digits below the microsecond."""
        return timedelta(microseconds=self.nanos // 1000)


@total_ordering
class Instant:
    """A moment in UTC, as seconds since 1970 and nanoseconds within the second: the value of a TIMESTAMP_LTZ in PyFlink.

    ``from_elements`` accepts it. Results have ``datetime`` objects instead, which ``of_datetime`` converts.

    Example:
        >>> Instant.of_epoch_milli(1500)
        Instant<1, 500000000>
        >>> Instant.of_epoch_milli(1500).to_datetime().isoformat()
        '1970-01-01T00:00:01.500000+00:00'

    Source: PyFlink's ``pyflink.common.Instant``.
    """

    __slots__ = ("nanos", "seconds")

    def __init__(self, seconds: int, nanos: int) -> None:
        self.seconds = seconds
        self.nanos = nanos

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """Returns the moment ``epoch_milli`` milliseconds after 1970-01-01 in UTC."""
        seconds, millis = divmod(epoch_milli, 1000)
        return Instant(seconds, millis * 1_000_000)

    @staticmethod
    def of_datetime(moment: datetime) -> Instant:
        """Returns the moment of a ``datetime`` with a time zone.

        Raises:
            ValueError: it has no time zone.
        """
        if moment.tzinfo is None:
            raise ValueError(f"An Instant needs a datetime with a time zone, but got {moment!r}.")
        return Instant(*divmod(nanos_since_epoch(moment), 1_000_000_000))

    def to_epoch_milli(self) -> int:
        """Returns the whole milliseconds since 1970-01-01 in UTC."""
        return self.seconds * 1000 + self.nanos // 1_000_000

    def to_datetime(self) -> datetime:
        """Returns the moment as a ``datetime`` in UTC, a ``NanosecondDatetime`` if it has digits below the microsecond."""
        return datetime_of(_EPOCH + timedelta(seconds=self.seconds, microseconds=self.nanos // 1000), self.nanos % 1000)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instant) and (self.seconds, self.nanos) == (other.seconds, other.nanos)

    def __lt__(self, other: Instant) -> bool:
        return (self.seconds, self.nanos) < (other.seconds, other.nanos)

    def __hash__(self) -> int:
        return hash((self.seconds, self.nanos))

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"


class Time:
    """A length of time in milliseconds, PyFlink's older class.

    Example:
        >>> Time.minutes(2).to_milliseconds(), str(Time.seconds(3))
        (120000, '3000 ms')

    Source: PyFlink's ``pyflink.common.Time``.
    """

    __slots__ = ("_milliseconds",)

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> Time:
        """Returns milliseconds."""
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> Time:
        """Returns seconds."""
        return Time(1000 * seconds)

    @staticmethod
    def minutes(minutes: int) -> Time:
        """Returns minutes."""
        return Time.seconds(60 * minutes)

    @staticmethod
    def hours(hours: int) -> Time:
        """Returns hours."""
        return Time.minutes(60 * hours)

    @staticmethod
    def days(days: int) -> Time:
        """Returns days of 24 hours."""
        return Time.hours(24 * days)

    def to_milliseconds(self) -> int:
        """Returns the milliseconds."""
        return self._milliseconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self._milliseconds == other._milliseconds

    def __hash__(self) -> int:
        return hash(self._milliseconds)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"

    def __repr__(self) -> str:
        return f"Time({self._milliseconds})"
