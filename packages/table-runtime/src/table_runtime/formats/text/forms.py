"""The accepted date and time notations of each text format, as in Flink."""

from __future__ import annotations

import re
from datetime import date

from table_common.frozen_dataclass import dataclass

EPOCH = date(1970, 1, 1).toordinal()
BLANKS = "".join(map(chr, range(33)))
"""What Java's ``String.trim`` removes: the space and the control characters before it."""

_DATE = "([0-9]{4}-[0-9]{2}-[0-9]{2})"
_SECONDS = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{0,9}))?"
_OPTIONAL_SECONDS = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{0,9}))?)?"


@dataclass(frozen=True)
class TextForms:
    """Patterns of whole texts, in the common syntax of Python and RE2, and their descriptions in messages."""

    date: str
    time: str
    timestamp: str
    """Without the Z for UTC."""
    timestamp_words: str
    hint: str = ""
    """A hint for timestamps in another form."""
    trims_timestamps: bool = False
    """Whether blanks around a timestamp are ignored."""

    @property
    def middle(self) -> str:
        """The character between date and time."""
        return "T" if self.timestamp_words[len("yyyy-MM-dd")] == "T" else " "

    def days(self, text: str) -> int:
        """Returns a date as days since 1970.

        Raises:
            ValueError: the text is not valid.
        """
        # Differs from Flink: JSON and CSV have dates and timestamps of the years 1 to 9999 only; Flink also reads -0001, 0000 and +10000.
        match = re.fullmatch(self.date, text)
        if match is None:
            raise ValueError("it is not of the form yyyy-MM-dd")
        year, month, day = match[1].split("-")
        try:
            return date(int(year), int(month), int(day)).toordinal() - EPOCH
        except ValueError:
            raise ValueError("the date does not exist") from None

    def time_of_day(self, text: str, precision: int) -> int:
        """Returns a time as nanoseconds since midnight, truncated to the precision.

        Raises:
            ValueError: the text is not valid.
        """
        match = re.fullmatch(self.time, text)
        if match is None:
            raise ValueError("it is not of the form HH:mm:ss[.fraction]")
        return _nanos(match[1], match[2], match[3], match[4], precision)

    def nanos(self, text: str, precision: int, *, zoned: bool) -> int:
        """Returns a timestamp as nanoseconds since 1970, truncated to the precision; with ``zoned``, the text ends with Z for UTC.

        Raises:
            ValueError: the text is not valid.
        """
        match = re.fullmatch(self.timestamp + ("Z" if zoned else ""), text.strip(BLANKS) if self.trims_timestamps else text)
        if match is None:
            suffix = "Z" if zoned else ""
            raise ValueError(f"it is not of the form {self.timestamp_words}{suffix}{self.hint}")
        year, month, day = match[1].split("-")
        # Differs from Flink: a timestamp at a day that its month does not have is an error; Flink takes the last day of the month.
        try:
            days = date(int(year), int(month), int(day)).toordinal() - EPOCH
        except ValueError:
            raise ValueError("the date does not exist") from None
        return days * 86_400_000_000_000 + _nanos(match[2], match[3], match[4], match[5], precision)


def _nanos(hours: str, minutes: str, seconds: str | None, fraction: str | None, precision: int) -> int:
    if int(hours) > 23 or int(minutes) > 59 or int(seconds or 0) > 59:
        raise ValueError("the time does not exist")
    digits = (fraction or "")[:precision].ljust(9, "0")
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0)) * 1_000_000_000 + int(digits)


JSON_SQL = TextForms(
    _DATE,
    _SECONDS,
    f"{_DATE} {_SECONDS}",
    "yyyy-MM-dd HH:mm:ss[.fraction]",
    "; with a T in the middle, SET the option 'timestamp-format.standard' to 'ISO-8601'",
)
"""JSON with the timestamp format SQL."""
JSON_ISO = TextForms(
    _DATE,
    _SECONDS,
    f"{_DATE}T{_OPTIONAL_SECONDS}",
    "yyyy-MM-ddTHH:mm:ss[.fraction]",
    "; with a space in the middle, SET the option 'timestamp-format.standard' to 'SQL'",
)
"""JSON with the timestamp format ISO-8601."""
CSV = TextForms(
    "([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})",
    _OPTIONAL_SECONDS,
    f"{_DATE} {_SECONDS}",
    "yyyy-MM-dd HH:mm:ss[.fraction]",
    trims_timestamps=True,
)
PARTITIONS = TextForms(
    r"\s*([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})\s*",
    rf"\s*{_OPTIONAL_SECONDS}Z?\s*",
    rf"\s*{_DATE}[ T]{_OPTIONAL_SECONDS}",
    "yyyy-MM-dd HH:mm:ss[.fraction]",
)
"""Folder names of partitions, which many programs write."""
