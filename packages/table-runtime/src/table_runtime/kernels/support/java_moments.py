"""Dates and timestamps of text as Java's ``java.sql.Date.valueOf`` and ``Timestamp.valueOf`` read them."""

from __future__ import annotations

import re
from datetime import date

_BLANKS = "".join(map(chr, range(33)))
_DATE = re.compile("([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_TIME = re.compile(r"([+-]?[0-9]{1,9}):([+-]?[0-9]{1,9}):([+-]?[0-9]{1,9})(?:[.]([0-9]{1,9}))?")
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_SECONDS = 86_400


def read_java_moment(text: str) -> tuple[int, int] | None:
    """Returns (epoch day, nanoseconds of the day) of a date, or of a date, a space and a time; None for other texts.

    The parts may have fewer digits, and the surplus of a part is carried over: the 31st of February is the 3rd of March, hour 24 the next day.
    """
    day_text, blank, time_text = text.strip(_BLANKS).partition(" ")
    found = _DATE.fullmatch(day_text)
    if found is None:
        return None
    year, month, day = map(int, found.groups())
    if not (year and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    days = date(year, month, 1).toordinal() - _EPOCH + day - 1
    if not blank:
        return days, 0
    moment = _TIME.fullmatch(time_text)
    if moment is None:
        return None
    hours, minutes, seconds = map(int, moment.groups()[:3])
    more, rest = divmod(hours * 3600 + minutes * 60 + seconds, _DAY_SECONDS)
    return days + more, rest * 1_000_000_000 + int((moment[4] or "").ljust(9, "0"))
