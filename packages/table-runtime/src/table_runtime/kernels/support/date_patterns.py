"""Patterns of java.time's ``DateTimeFormatter``: formatting and parsing dates and times."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_LETTERS = 19
"""Maximum repetitions of a pattern letter, as in Java."""
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")


@dataclass(frozen=True, slots=True)
class Moment:
    """A local date and time with nanoseconds, and the UTC offset in seconds."""

    local: datetime
    nano: int = 0
    offset: int = 0
    zone: str = "UTC"


class DatePattern:
    """A compiled pattern.

    Raises:
        TableRuntimeException: the pattern is not valid.
    """

    def __init__(self, pattern: str) -> None:
        self._writers: list[Callable[[Moment], str]] = []
        self._fields: list[tuple[str, int]] = []
        regex: list[str] = []
        position = 0
        while position < len(pattern):
            match = _TOKEN.match(pattern, position)
            if match is None:
                raise TableRuntimeException(f"The date pattern '{pattern}' has a quote that is not closed.")
            position = match.end()
            if match[2] is not None:
                letter, count = match[2], len(match[0])
                if count > MAX_LETTERS:
                    raise TableRuntimeException(
                        f"The date pattern '{pattern}' has {count:,} letters '{letter}' in a row, more than {MAX_LETTERS}."
                    )
                writer = _WRITERS.get(letter)
                if writer is None:
                    raise TableRuntimeException(f"The date pattern '{pattern}' has the letter '{letter}', which means nothing.")
                self._writers.append(lambda moment, writer=writer, count=count: writer(moment, count))  # type: ignore[misc]
                adjacent = position < len(pattern) and pattern[position].isalpha()
                regex.append(f"({_reader(letter, count, adjacent)})")
                self._fields.append((letter, count))
            else:
                text = (match[1].replace("''", "'") or "'") if match[1] is not None else match[3]
                self._writers.append(lambda moment, text=text: text)  # type: ignore[misc]
                regex.append(re.escape(text))
        self._regex = re.compile("".join(regex))

    def write(self, moment: Moment) -> str:
        """Returns the moment formatted by the pattern."""
        return "".join(writer(moment) for writer in self._writers)

    def read(self, text: str) -> tuple[int, int, int | None] | None:
        """Returns (epoch day, nanoseconds of the day, offset in seconds if the text has one), or None if the text does not match."""
        match = self._regex.fullmatch(text)
        if match is None:
            return None
        values: dict[str, int] = {}
        for (letter, count), part in zip(self._fields, match.groups(), strict=True):
            value = _parse_field(letter, count, part)
            if value is None:
                return None
            values[letter] = value
        return _resolve(values)


@lru_cache(maxsize=256)
def date_pattern(pattern: str) -> DatePattern:
    """Returns the compiled pattern."""
    return DatePattern(pattern)


_PLACES = {"yyyy": (0, 4), "uuuu": (0, 4), "MM": (5, 7), "dd": (8, 10), "HH": (11, 13), "mm": (14, 16), "ss": (17, 19)}
"""The position of each field in ``yyyy-MM-dd HH:mm:ss``."""


@lru_cache(maxsize=256)
def text_pieces(pattern: str) -> tuple[str | tuple[int, int], ...] | None:
    """Returns the pattern as pieces of ``yyyy-MM-dd HH:mm:ss`` (from, to) and fixed text, or None if it has other fields."""
    pieces: list[str | tuple[int, int]] = []
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None:
            return None
        position = match.end()
        if match[2] is not None:
            place = _PLACES.get(match[0])
            if place is None:
                return None
            pieces.append(place)
        else:
            pieces.append((match[1].replace("''", "'") or "'") if match[1] is not None else match[3])
    return tuple(pieces) or None


def _number(value: int, count: int) -> str:
    return f"{value:0{count}d}"


def _year(moment: Moment, count: int) -> str:
    return f"{moment.local.year % 100:02d}" if count == 2 else _number(moment.local.year, count)


def _named(names: tuple[str, ...], index: int, count: int) -> str:
    return names[index][:1] if count == 5 else names[index] if count == 4 else names[index][:3]


def _month(moment: Moment, count: int) -> str:
    return _number(moment.local.month, count) if count <= 2 else _named(_MONTHS, moment.local.month - 1, count)


def _weekday(moment: Moment, count: int) -> str:
    return _named(_DAYS, moment.local.weekday(), max(count, 3))


def _day_number(moment: Moment, count: int) -> str:
    return _number(moment.local.isoweekday() % 7 + 1, count) if count <= 2 else _weekday(moment, count)


def _quarter(moment: Moment, count: int) -> str:
    quarter = (moment.local.month + 2) // 3
    if count == 4:
        return f"{('1st', '2nd', '3rd', '4th')[quarter - 1]} quarter"
    return _number(quarter, count) if count != 3 else f"Q{quarter}"


def _fraction(moment: Moment, count: int) -> str:
    return f"{moment.nano:09d}"[:count].ljust(count, "0")


def _offset(moment: Moment, count: int, zero: str) -> str:
    if moment.offset == 0 and zero:
        return zero
    sign = "-" if moment.offset < 0 else "+"
    hours, minutes = divmod(abs(moment.offset) // 60, 60)
    if count == 1:
        return f"{sign}{hours:02d}{f'{minutes:02d}' if minutes else ''}"
    return f"{sign}{hours:02d}{'' if count in (2, 4) else ':'}{minutes:02d}"


def _zone_name(moment: Moment, count: int) -> str:
    return moment.zone


def _is_in_next_week_year(moment: Moment) -> bool:
    """Returns whether the week of the date, which begins on Sunday, contains the first of January of the next year."""
    day = moment.local
    return day.month == 12 and day.day + 6 - day.isoweekday() % 7 > 31


def _week_year(moment: Moment, count: int) -> str:
    """Returns the week-based year; the first week of a year contains the first of January."""
    year = moment.local.year + _is_in_next_week_year(moment)
    return f"{year % 100:02d}" if count == 2 else _number(year, count)


def _week_of_year(moment: Moment, count: int) -> str:
    if _is_in_next_week_year(moment):
        return _number(1, count)
    first = moment.local.replace(month=1, day=1)
    days_before = (first.isoweekday()) % 7
    return _number((moment.local.timetuple().tm_yday + days_before - 1) // 7 + 1, count)


def _week_of_month(moment: Moment, count: int) -> str:
    days_before = moment.local.replace(day=1).isoweekday() % 7
    return _number((moment.local.day + days_before - 1) // 7 + 1, count)


def _hour12(moment: Moment) -> int:
    return moment.local.hour % 12


_WRITERS: dict[str, Callable[[Moment, int], str]] = {
    "y": _year,
    "u": _year,
    "Y": _week_year,
    "M": _month,
    "L": _month,
    "d": lambda moment, count: _number(moment.local.day, count),
    "D": lambda moment, count: _number(moment.local.timetuple().tm_yday, count),
    "H": lambda moment, count: _number(moment.local.hour, count),
    "k": lambda moment, count: _number(moment.local.hour or 24, count),
    "K": lambda moment, count: _number(_hour12(moment), count),
    "h": lambda moment, count: _number(_hour12(moment) or 12, count),
    "m": lambda moment, count: _number(moment.local.minute, count),
    "s": lambda moment, count: _number(moment.local.second, count),
    "S": _fraction,
    "n": lambda moment, count: _number(moment.nano, count),
    "a": lambda moment, count: "AM" if moment.local.hour < 12 else "PM",
    "E": _weekday,
    "e": _day_number,
    "Q": _quarter,
    "q": _quarter,
    "c": _day_number,
    "F": lambda moment, count: _number((moment.local.day - 1) % 7 + 1, count),
    "w": _week_of_year,
    "W": _week_of_month,
    "G": lambda moment, count: "AD",
    "X": lambda moment, count: _offset(moment, count, "Z"),
    "x": lambda moment, count: _offset(moment, count, ""),
    "Z": lambda moment, count: _offset(moment, 3 if count == 5 else 2, ""),
    "z": _zone_name,
    "V": _zone_name,
    "A": lambda moment, count: _number(
        (moment.local.hour * 3600 + moment.local.minute * 60 + moment.local.second) * 1000 + moment.nano // 1_000_000, count
    ),
}


def _reader(letter: str, count: int, adjacent: bool) -> str:
    if (letter in "ML" and count > 2) or letter in "EG":
        return "[A-Za-z]+"
    if letter == "a":
        return "[AaPp][Mm]"
    if letter in "Xx":
        return r"Z|[+-]\d{2}(?::?\d{2})?"
    if letter == "Z":
        return r"Z|[+-]\d{2}:?\d{2}"
    if letter in "zV":
        return r"[A-Za-z_/]+(?:[+-]\d{1,2}(?::?\d{2})?)?"
    if letter == "S" or adjacent:
        return rf"\d{{{count}}}"
    if letter in "yuY" and count == 2:
        return r"\d{2}"
    return r"\d{1,19}" if count == 1 else rf"\d{{{count}}}" if count <= 2 or letter not in "yuY" else rf"\d{{{count},{max(count, 10)}}}"


def _parse_field(letter: str, count: int, text: str) -> int | None:
    if letter in "ML" and count > 2:
        return next((index for index, name in enumerate(_MONTHS, 1) if text in (name, name[:3])), None)
    if letter in "EGzV":
        return 0
    if letter == "a":
        return 12 if text[0] in "Pp" else 0
    if letter in "XxZ":
        if text == "Z":
            return 0
        digits = text[1:].replace(":", "")
        seconds = int(digits[:2]) * 3600 + int(digits[2:4] or 0) * 60
        return -seconds if text[0] == "-" else seconds
    if letter == "S":
        return int(text.ljust(9, "0")[:9])
    return int(text) + 2000 if letter in "yuY" and count == 2 else int(text)


def _resolve(values: dict[str, int]) -> tuple[int, int, int | None] | None:
    year = values.get("y", values.get("u", values.get("Y", 1970)))
    offset = next((values[letter] for letter in "XxZ" if letter in values), None)
    hour = values.get("H", values.get("k", 0) % 24)
    if "h" in values or "K" in values:
        half = values.get("h", values.get("K", 0))
        if half > 12:
            return None
        hour = half % 12 + values.get("a", 0)
    minute, second, nano = values.get("m", 0), values.get("s", 0), values.get("S", values.get("n", 0))
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        if {"Y", "w"} & values.keys() and not {"M", "L", "d", "D"} & values.keys():
            # Differs from Flink: TO_TIMESTAMP parses weeks as TO_DATE does; Flink returns the first of January of 1970. A week-based year together
            # with a month or a day is a calendar year; Flink's TO_DATE returns the first day of the week-based year, its TO_TIMESTAMP a day of 1970.
            day = _first_of_week(year, values.get("w", 1), values.get("e"))
            if day is None:
                return None
        elif "D" in values:
            day = date(year, 1, 1) + timedelta(days=values["D"] - 1)
        else:
            month = values.get("M", values.get("L", 1))
            # A day that the month does not have becomes its last day; days above 31 are invalid.
            day_of_month = values.get("d", 1)
            if not 1 <= day_of_month <= 31:
                return None
            day = date(year, month, min(day_of_month, _days_in(year, month)))
    except (ValueError, OverflowError):
        return None
    return day.toordinal() - date(1970, 1, 1).toordinal(), (hour * 3600 + minute * 60 + second) * 1_000_000_000 + nano, offset


def _first_of_week(year: int, week: int, number: int | None) -> date | None:
    """Returns a day of a week, by default its Sunday; the first week contains the first of January."""
    if not 1 <= week <= 53 or (number is not None and not 1 <= number <= 7):
        return None
    first = date(year, 1, 1)
    return first + timedelta(days=7 * (week - 1) - first.isoweekday() % 7 + (number or 1) - 1)


def _days_in(year: int, month: int) -> int:
    return monthrange(year, month)[1]
