"""``datetime``, ``time`` and ``timedelta`` with nanoseconds: Python's own classes end at microseconds.

Results use these classes only for values with digits below the microsecond; all other values are plain objects of Python's classes.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Self

from table_common.annotation import public_evolving
from table_common.data.temporal_nanos import nanos_of_duration, nanos_since_epoch, nanosecond_of

_Time = time  # a method below has its name
_FINER_DIGITS = re.compile(r"[.,]\d{6}(\d{1,3})")
_ISO_MICROSECONDS_END = len("HH:MM:SS.ffffff")


def datetime_of(moment: datetime, nanosecond: int) -> datetime:
    """Returns ``moment`` with the nanoseconds within its microsecond; itself if they are 0.

    Example:
        >>> datetime_of(datetime(2026, 1, 1), 5).nanosecond
        5
    """
    return NanosecondDatetime._of(moment, nanosecond) if nanosecond else moment


def time_of(value: time, nanosecond: int) -> time:
    """Returns ``value`` with the nanoseconds within its microsecond; itself if they are 0.

    Example:
        >>> time_of(time(12), 0)
        datetime.time(12, 0)
    """
    return NanosecondTime._of(value, nanosecond) if nanosecond else value


def timedelta_of(nanos: int) -> timedelta:
    """Returns the duration of ``nanos`` nanoseconds; a plain ``timedelta`` if they are whole microseconds.

    Raises:
        OverflowError: It is longer than a ``timedelta`` can be.
    """
    micros, nanosecond = divmod(nanos, 1000)
    return NanosecondTimedelta(microseconds=micros, nanoseconds=nanosecond) if nanosecond else timedelta(0, 0, micros)


def _checked(nanosecond: int) -> int:
    if not 0 <= nanosecond <= 999:
        raise ValueError(f"nanosecond must be in 0..999, not {nanosecond}")
    return nanosecond


def _finer_digits(text: str) -> int:
    """Returns the seventh to ninth digit of the fraction of a second in an ISO text."""
    found = _FINER_DIGITS.search(text)
    return int(found[1].ljust(3, "0")) if found else 0


def _with_argument(text: str, argument: str) -> str:
    """Returns a ``repr`` with one more keyword argument."""
    return f"{text[:-1]}{'' if text.endswith('()') else ', '}{argument})"


@public_evolving
class NanosecondDatetime(datetime):
    """A ``datetime`` with ``nanosecond``, the nanoseconds within its microsecond (0 to 999).

    Comparison, hash, ``str``, ``isoformat``, ``fromisoformat``, pickle, ``replace``, ``astimezone`` and arithmetic keep the nanoseconds.
    ``strftime``, ``timestamp`` and the class methods of ``datetime`` itself end at microseconds. It equals the ``pandas.Timestamp`` of the same moment.

    >>> str(NanosecondDatetime(2020, 1, 31, 12, 0, 0, 123456, nanosecond=789))
    '2020-01-31 12:00:00.123456789'
    """

    __slots__ = ("_nanosecond",)

    _nanosecond: int

    def __new__(cls, *args: Any, nanosecond: int = 0, **kwargs: Any) -> Self:
        """Takes the arguments of ``datetime``, and ``nanosecond``."""
        result = super().__new__(cls, *args, **kwargs)
        result._nanosecond = _checked(nanosecond)
        return result

    @classmethod
    def _of(cls, moment: datetime, nanosecond: int) -> Self:
        day = (moment.year, moment.month, moment.day)
        clock = (moment.hour, moment.minute, moment.second, moment.microsecond)
        return cls(*day, *clock, moment.tzinfo, fold=moment.fold, nanosecond=nanosecond)

    @classmethod
    def fromisoformat(cls, date_string: str) -> Self:
        """Parses a timestamp in ISO 8601; digits beyond nanoseconds are truncated."""
        return cls._of(datetime.fromisoformat(date_string), _finer_digits(date_string))

    @classmethod
    def combine(cls, date: date, time: time, tzinfo: tzinfo | bool | None = True) -> Self:
        """Returns the moment of a date and a time; its zone is that of the time unless one is given."""
        zone = time.tzinfo if tzinfo is True else tzinfo
        return cls._of(datetime.combine(date, time, zone), nanosecond_of(time))  # type: ignore[arg-type]  # False fails there

    @property
    def nanosecond(self) -> int:
        """The nanoseconds within the microsecond, from 0 to 999."""
        return self._nanosecond

    def _plain(self) -> datetime:
        clock = (self.hour, self.minute, self.second, self.microsecond)
        return datetime(self.year, self.month, self.day, *clock, self.tzinfo, fold=self.fold)

    def replace(self, *args: Any, nanosecond: int | None = None, **kwargs: Any) -> Self:
        """Takes the arguments of ``datetime.replace``, and ``nanosecond``."""
        return self._of(self._plain().replace(*args, **kwargs), self._nanosecond if nanosecond is None else nanosecond)

    __replace__ = replace

    def astimezone(self, tz: tzinfo | None = None) -> Self:
        """Returns the same instant as a clock of the zone shows it."""
        return self._of(self._plain().astimezone(tz), self._nanosecond)

    def time(self) -> _Time:
        """Returns the time of day, without zone."""
        return time_of(super().time(), self._nanosecond)

    def timetz(self) -> _Time:
        """Returns the time of day, with the zone."""
        return time_of(super().timetz(), self._nanosecond)

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        """Returns the text in ISO 8601; ``timespec`` may also be ``nanoseconds``, which is what ``auto`` means if there are any."""
        if timespec != "nanoseconds" and (timespec != "auto" or not self._nanosecond):
            return super().isoformat(sep, timespec)
        text = super().isoformat(sep, "microseconds")
        end = len("yyyy-mm-dd") + len(sep) + _ISO_MICROSECONDS_END
        return f"{text[:end]}{self._nanosecond:03d}{text[end:]}"

    def __repr__(self) -> str:
        return _with_argument(super().__repr__(), f"nanosecond={self._nanosecond}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return NanosecondDatetime._of, (self._plain(), self._nanosecond)

    def __hash__(self) -> int:
        if not self._nanosecond:
            return super().__hash__()
        # As pandas hashes a Timestamp with nanoseconds: equal values have equal hashes.
        return hash(nanos_since_epoch(self))

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        return self._nanosecond == nanosecond_of(other) if equal is True and isinstance(other, datetime) else equal

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __lt__(self, other: datetime) -> bool:  # type: ignore[override]  # typeshed takes date, which is a TypeError
        return self._nanosecond < nanosecond_of(other) if super().__eq__(other) is True else super().__lt__(other)

    def __le__(self, other: datetime) -> bool:  # type: ignore[override]  # as above
        return self._nanosecond <= nanosecond_of(other) if super().__eq__(other) is True else super().__le__(other)

    def __gt__(self, other: datetime) -> bool:  # type: ignore[override]  # as above
        return self._nanosecond > nanosecond_of(other) if super().__eq__(other) is True else super().__gt__(other)

    def __ge__(self, other: datetime) -> bool:  # type: ignore[override]  # as above
        return self._nanosecond >= nanosecond_of(other) if super().__eq__(other) is True else super().__ge__(other)

    def __add__(self, other: timedelta) -> Self:
        if not isinstance(other, timedelta):
            return NotImplemented
        carry, nanosecond = divmod(self._nanosecond + nanosecond_of(other), 1000)
        return self._of(self._plain() + _whole_micros(other) + timedelta(0, 0, carry), nanosecond)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, timedelta):
            borrow, nanosecond = divmod(self._nanosecond - nanosecond_of(other), 1000)
            return self._of(self._plain() - _whole_micros(other) + timedelta(0, 0, borrow), nanosecond)
        if isinstance(other, datetime):
            # Not by the operator, which would ask a NanosecondDatetime on its right first.
            return timedelta_of(nanos_of_duration(datetime.__sub__(self._plain(), other)) + self._nanosecond - nanosecond_of(other))
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -(self - other) if isinstance(other, datetime) else NotImplemented


@public_evolving
class NanosecondTime(time):
    """A ``time`` with ``nanosecond``, the nanoseconds within its microsecond (0 to 999); see ``NanosecondDatetime``.

    Example:
        >>> NanosecondTime(12, 30, nanosecond=5).nanosecond
        5
    """

    __slots__ = ("_nanosecond",)

    _nanosecond: int

    def __new__(cls, *args: Any, nanosecond: int = 0, **kwargs: Any) -> Self:
        """Takes the arguments of ``time``, and ``nanosecond``."""
        result = super().__new__(cls, *args, **kwargs)
        result._nanosecond = _checked(nanosecond)
        return result

    @classmethod
    def _of(cls, value: time, nanosecond: int) -> Self:
        return cls(value.hour, value.minute, value.second, value.microsecond, value.tzinfo, fold=value.fold, nanosecond=nanosecond)

    @classmethod
    def fromisoformat(cls, time_string: str, /) -> Self:
        """Parses a time in ISO 8601; digits beyond nanoseconds are truncated."""
        return cls._of(time.fromisoformat(time_string), _finer_digits(time_string))

    @property
    def nanosecond(self) -> int:
        """The nanoseconds within the microsecond, from 0 to 999."""
        return self._nanosecond

    def _plain(self) -> time:
        return time(self.hour, self.minute, self.second, self.microsecond, self.tzinfo, fold=self.fold)

    def replace(self, *args: Any, nanosecond: int | None = None, **kwargs: Any) -> Self:
        """Takes the arguments of ``time.replace``, and ``nanosecond``."""
        return self._of(self._plain().replace(*args, **kwargs), self._nanosecond if nanosecond is None else nanosecond)

    __replace__ = replace

    def isoformat(self, timespec: str = "auto") -> str:
        """Returns the text in ISO 8601; ``timespec`` may also be ``nanoseconds``, which is what ``auto`` means if there are any."""
        if timespec != "nanoseconds" and (timespec != "auto" or not self._nanosecond):
            return super().isoformat(timespec)
        text = super().isoformat("microseconds")
        return f"{text[:_ISO_MICROSECONDS_END]}{self._nanosecond:03d}{text[_ISO_MICROSECONDS_END:]}"

    def __repr__(self) -> str:
        return _with_argument(super().__repr__(), f"nanosecond={self._nanosecond}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return NanosecondTime._of, (self._plain(), self._nanosecond)

    def __hash__(self) -> int:
        return hash((super().__hash__(), self._nanosecond)) if self._nanosecond else super().__hash__()

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        return self._nanosecond == nanosecond_of(other) if equal is True and isinstance(other, time) else equal

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __lt__(self, other: time) -> bool:
        return self._nanosecond < nanosecond_of(other) if super().__eq__(other) is True else super().__lt__(other)

    def __le__(self, other: time) -> bool:
        return self._nanosecond <= nanosecond_of(other) if super().__eq__(other) is True else super().__le__(other)

    def __gt__(self, other: time) -> bool:
        return self._nanosecond > nanosecond_of(other) if super().__eq__(other) is True else super().__gt__(other)

    def __ge__(self, other: time) -> bool:
        return self._nanosecond >= nanosecond_of(other) if super().__eq__(other) is True else super().__ge__(other)


def _whole_micros(duration: timedelta) -> timedelta:
    return timedelta(duration.days, duration.seconds, duration.microseconds)


@public_evolving
class NanosecondTimedelta(timedelta):
    """A ``timedelta`` with ``nanoseconds``, what it is longer than whole microseconds (0 to 999); see ``NanosecondDatetime``.

    Example:
        >>> NanosecondTimedelta(seconds=1, nanoseconds=2_005).microseconds, NanosecondTimedelta(nanoseconds=2_005).nanoseconds
        (2, 5)
    """

    __slots__ = ("_nanoseconds",)

    _nanoseconds: int

    def __new__(cls, *args: Any, nanoseconds: int = 0, **kwargs: Any) -> Self:
        """Takes the arguments of ``timedelta``, and ``nanoseconds``, of which there may be any number."""
        micros, rest = divmod(nanoseconds, 1000)
        whole = timedelta(*args, **kwargs) + timedelta(0, 0, micros)
        result = super().__new__(cls, whole.days, whole.seconds, whole.microseconds)
        result._nanoseconds = rest
        return result

    @property
    def nanoseconds(self) -> int:
        """The nanoseconds beyond whole microseconds, from 0 to 999."""
        return self._nanoseconds

    def total_seconds(self) -> float:
        """Returns the seconds."""
        return nanos_of_duration(self) / 1_000_000_000

    def __str__(self) -> str:
        return f"{super().__str__()}{'' if self.microseconds else '.000000'}{self._nanoseconds:03d}"

    def __repr__(self) -> str:
        return _with_argument(super().__repr__().replace("(0)", "()"), f"nanoseconds={self._nanoseconds}")

    def __reduce__(self) -> tuple[Any, ...]:
        return timedelta_of, (nanos_of_duration(self),)

    def __bool__(self) -> bool:
        return nanos_of_duration(self) != 0

    def __hash__(self) -> int:
        return hash((super().__hash__(), self._nanoseconds)) if self._nanoseconds else super().__hash__()

    def __eq__(self, other: object) -> bool:
        return nanos_of_duration(self) == nanos_of_duration(other) if isinstance(other, timedelta) else NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __lt__(self, other: Any) -> bool:
        return nanos_of_duration(self) < nanos_of_duration(other) if isinstance(other, timedelta) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return nanos_of_duration(self) <= nanos_of_duration(other) if isinstance(other, timedelta) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return nanos_of_duration(self) > nanos_of_duration(other) if isinstance(other, timedelta) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return nanos_of_duration(self) >= nanos_of_duration(other) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self) -> timedelta:
        return timedelta_of(-nanos_of_duration(self))

    def __pos__(self) -> timedelta:
        return self

    def __abs__(self) -> timedelta:
        return timedelta_of(abs(nanos_of_duration(self)))

    def __add__(self, other: Any) -> timedelta:
        # A datetime moves itself.
        return timedelta_of(nanos_of_duration(self) + nanos_of_duration(other)) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> timedelta:
        return timedelta_of(nanos_of_duration(self) - nanos_of_duration(other)) if isinstance(other, timedelta) else NotImplemented

    def __rsub__(self, other: Any) -> timedelta:
        return timedelta_of(nanos_of_duration(other) - nanos_of_duration(self)) if isinstance(other, timedelta) else NotImplemented

    def __mul__(self, other: Any) -> timedelta:
        from fractions import Fraction

        return timedelta_of(round(nanos_of_duration(self) * Fraction(other))) if isinstance(other, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, timedelta):
            return nanos_of_duration(self) / nanos_of_duration(other)
        from fractions import Fraction

        return timedelta_of(round(nanos_of_duration(self) / Fraction(other))) if isinstance(other, (int, float)) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return nanos_of_duration(other) / nanos_of_duration(self) if isinstance(other, timedelta) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        if isinstance(other, timedelta):
            return nanos_of_duration(self) // nanos_of_duration(other)
        return timedelta_of(nanos_of_duration(self) // other) if isinstance(other, int) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return nanos_of_duration(other) // nanos_of_duration(self) if isinstance(other, timedelta) else NotImplemented

    def __mod__(self, other: Any) -> timedelta:
        return timedelta_of(nanos_of_duration(self) % nanos_of_duration(other)) if isinstance(other, timedelta) else NotImplemented

    def __rmod__(self, other: Any) -> timedelta:
        return timedelta_of(nanos_of_duration(other) % nanos_of_duration(self)) if isinstance(other, timedelta) else NotImplemented

    def __divmod__(self, other: Any) -> tuple[int, timedelta]:
        return (self // other, self % other) if isinstance(other, timedelta) else NotImplemented

    def __rdivmod__(self, other: Any) -> tuple[int, timedelta]:
        return (other // self, other % self) if isinstance(other, timedelta) else NotImplemented
