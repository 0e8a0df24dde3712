"""``TimestampData``: the internal structure of timestamps: milliseconds since 1970-01-01 and nanoseconds within the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import total_ordering

from table_common.annotation import public_evolving
from table_common.data.temporal_nanos import nanosecond_of
from table_common.exceptions import TableRuntimeException, ValidationException

_EPOCH = datetime(1970, 1, 1)
_EPOCH_ORDINAL = _EPOCH.toordinal()
_LONG = 2**63
_MAX_COMPACT_PRECISION = 3


@public_evolving
@total_ordering
class TimestampData:
    """Immutable value of TIMESTAMP (a reading of a clock, as if it were in UTC) and of TIMESTAMP_LTZ (an instant).

    Source: Flink's ``org.apache.flink.table.data.TimestampData``.

    Example:
        >>> from datetime import datetime
        >>> TimestampData.from_local_date_time(datetime(1970, 1, 1, 0, 0, 1)).get_millisecond()
        1000
    """

    __slots__ = ("_millisecond", "_nano")

    _millisecond: int
    _nano: int

    def __init__(self) -> None:
        """Refuses the call; the class methods ``from_…`` make values.

        Raises:
            TypeError: always.
        """
        raise TypeError("TimestampData is made with TimestampData.from_epoch_millis(...), from_local_date_time(...) or from_instant(...).")

    @classmethod
    def _of(cls, millisecond: int, nano: int) -> TimestampData:
        """Wraps numbers that are known to be in range."""
        result = object.__new__(cls)
        result._millisecond = millisecond
        result._nano = nano
        return result

    @classmethod
    def from_epoch_millis(cls, millisecond: int, nano_of_millisecond: int = 0) -> TimestampData:
        """Returns the moment ``millisecond`` milliseconds after 1970-01-01 00:00 (before it if negative), and ``nano_of_millisecond`` nanoseconds later.

        Raises:
            ValidationException: The milliseconds do not fit into 64 bits, or the nanoseconds are not from 0 to 999999.
        """
        if not -_LONG <= millisecond < _LONG:
            raise ValidationException(f"The milliseconds of a timestamp fit into 64 bits, but got {millisecond}.")
        if not 0 <= nano_of_millisecond <= 999_999:
            raise ValidationException(f"The nanoseconds within a millisecond are from 0 to 999999, but got {nano_of_millisecond}.")
        return cls._of(millisecond, nano_of_millisecond)

    @classmethod
    def from_timestamp(cls, timestamp: datetime) -> TimestampData:
        """Returns the reading of a clock; nanoseconds of a ``NanosecondDatetime`` or a ``pandas.Timestamp`` are kept.

        Raises:
            ValidationException: It has a time zone.
        """
        return cls.from_local_date_time(timestamp)

    @classmethod
    def from_local_date_time(cls, date_time: datetime) -> TimestampData:
        """Returns the reading of a clock.

        Raises:
            ValidationException: It has a time zone.
        """
        if date_time.tzinfo is not None:
            raise ValidationException(f"The timestamp {date_time} has a time zone.", hint="Use from_instant(...) for TIMESTAMP_LTZ.")
        return cls._from_fields(date_time)

    @classmethod
    def from_instant(cls, instant: datetime) -> TimestampData:
        """Returns the instant of a ``datetime`` with a time zone.

        Raises:
            ValidationException: It has no time zone, or its moment in UTC is outside of the years 1 to 9999.
        """
        if instant.tzinfo is None:
            raise ValidationException(
                f"The timestamp {instant} has no time zone, so it is not an instant.", hint="Use from_local_date_time(...) for TIMESTAMP."
            )
        if instant.tzinfo is UTC:
            return cls._from_fields(instant)
        # Not by astimezone(), which cannot leave the years 1 to 9999 for a moment.
        offset = instant.utcoffset() or timedelta()
        shift = (offset.days * 86_400 + offset.seconds) * 1000 * 1000 + offset.microseconds
        local = cls._from_fields(instant)
        micros = local._millisecond * 1000 + local._nano // 1000 - shift
        return cls._of(micros // 1000, micros % 1000 * 1000 + local._nano % 1000)

    @classmethod
    def _from_fields(cls, moment: datetime) -> TimestampData:
        days = moment.toordinal() - _EPOCH_ORDINAL
        seconds = days * 86_400 + moment.hour * 3600 + moment.minute * 60 + moment.second
        micros = moment.microsecond
        return cls._of(seconds * 1000 + micros // 1000, micros % 1000 * 1000 + nanosecond_of(moment))

    def get_millisecond(self) -> int:
        """Returns the milliseconds since 1970-01-01 00:00."""
        return self._millisecond

    def get_nano_of_millisecond(self) -> int:
        """Returns the nanoseconds within the millisecond, from 0 to 999999."""
        return self._nano

    def to_timestamp(self) -> datetime:
        """Returns the reading of a clock, as ``to_local_date_time`` does."""
        return self.to_local_date_time()

    def to_local_date_time(self) -> datetime:
        """Returns the reading of a clock, without a time zone; with digits below microseconds it is a ``NanosecondDatetime``.

        Raises:
            TableRuntimeException: It has a year outside of 1 to 9999.
        """
        micros, finer = divmod(self._nano, 1000)
        try:
            moment = _EPOCH + timedelta(0, 0, micros, self._millisecond)
        except OverflowError:
            raise TableRuntimeException(
                f"The timestamp of {self._millisecond} milliseconds is outside the range of Python's datetime (the years 1 to 9999).",
                hint="Take it as numpy.datetime64 or as int.",
            ) from None
        if not finer:
            return moment
        from table_common.data.nanoseconds import datetime_of  # few programs count nanoseconds

        return datetime_of(moment, finer)

    def to_instant(self) -> datetime:
        """Returns the instant, in UTC.

        Raises:
            TableRuntimeException: It has a year outside of 1 to 9999.
        """
        return self.to_local_date_time().replace(tzinfo=UTC)

    @staticmethod
    def is_compact(precision: int) -> bool:
        """Returns whether a value of the precision is whole milliseconds: up to 3."""
        return precision <= _MAX_COMPACT_PRECISION

    def __str__(self) -> str:
        try:
            whole = _EPOCH + timedelta(0, self._millisecond // 1000)
        except OverflowError:
            return f"{self._millisecond} ms + {self._nano} ns"
        fraction = self._millisecond % 1000 * 1_000_000 + self._nano
        return whole.isoformat() + (f".{fraction:09d}".rstrip("0") if fraction else "")

    def __repr__(self) -> str:
        return f"TimestampData({self})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimestampData):
            return NotImplemented
        return self._millisecond == other._millisecond and self._nano == other._nano

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, TimestampData):
            return NotImplemented
        return (self._millisecond, self._nano) < (other._millisecond, other._nano)

    def __hash__(self) -> int:
        return hash((self._millisecond, self._nano))

    def __reduce__(self) -> tuple[object, ...]:
        return TimestampData._of, (self._millisecond, self._nano)
