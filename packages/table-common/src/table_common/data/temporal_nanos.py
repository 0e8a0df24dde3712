"""Values of ``datetime``, ``time`` and ``timedelta`` as whole numbers of nanoseconds.

A ``NanosecondDatetime`` and its siblings have digits below the microsecond, and so have pandas' classes; all others have zeros there.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

_EPOCH_ORDINAL = datetime(1970, 1, 1).toordinal()


def nanosecond_of(value: datetime | time | timedelta) -> int:
    """Returns the nanoseconds within the microsecond, from 0 to 999.

    Example:
        >>> from table_common.data import NanosecondTime
        >>> nanosecond_of(NanosecondTime(12, 30, nanosecond=5))
        5
    """
    nanosecond: int = getattr(value, "nanoseconds" if isinstance(value, timedelta) else "nanosecond", 0)
    return nanosecond


def nanos_of_day(value: time) -> int:
    """Returns the nanoseconds since midnight; a zone does not matter.

    Example:
        >>> from datetime import time
        >>> nanos_of_day(time(0, 0, 1))
        1000000000
    """
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return (seconds * 1_000_000 + value.microsecond) * 1000 + nanosecond_of(value)


def nanos_since_epoch(value: datetime) -> int:
    """Returns the nanoseconds since 1970-01-01 00:00: in UTC if the value has a zone, else on its own clock.

    Example:
        >>> from datetime import datetime
        >>> nanos_since_epoch(datetime(1970, 1, 1, 0, 0, 1))
        1000000000
    """
    # Not by astimezone(), which cannot leave the years 1 to 9999 for a moment.
    seconds = (value.toordinal() - _EPOCH_ORDINAL) * 86_400 + (value.hour * 60 + value.minute) * 60 + value.second
    nanos = (seconds * 1_000_000 + value.microsecond) * 1000 + nanosecond_of(value)
    offset = value.utcoffset()
    return nanos - nanos_of_duration(offset) if offset else nanos


def nanos_of_duration(value: timedelta) -> int:
    """Returns the nanoseconds of a duration.

    Example:
        >>> from datetime import timedelta
        >>> nanos_of_duration(timedelta(milliseconds=1))
        1000000
    """
    return ((value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds) * 1000 + nanosecond_of(value)
