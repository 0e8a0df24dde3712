"""How option values are written: booleans, durations, sizes."""

from __future__ import annotations

import re
from datetime import timedelta

_DURATION_UNITS = {
    ("d", "day", "days"): timedelta(days=1),
    ("h", "hour", "hours"): timedelta(hours=1),
    ("m", "min", "mins", "minute", "minutes"): timedelta(minutes=1),
    ("", "ms", "milli", "millis", "millisecond", "milliseconds"): timedelta(milliseconds=1),
    ("s", "sec", "secs", "second", "seconds"): timedelta(seconds=1),
    ("µs", "us", "micro", "micros", "microsecond", "microseconds"): timedelta(microseconds=1),
}
_UNIT_OF = {name: length for names, length in _DURATION_UNITS.items() for name in names}
_NANOS = ("ns", "nano", "nanos", "nanosecond", "nanoseconds")
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.IGNORECASE)
_SIZES = {"b": 0, "bytes": 0, "": 0, "k": 1, "kb": 1, "kibibytes": 1, "m": 2, "mb": 2, "mebibytes": 2, "g": 3, "gb": 3, "t": 4, "tb": 4}


def parse_boolean(text: str) -> bool:
    """Reads ``true`` or ``false``, compared without case.

    Raises:
        ValueError: the text is neither.
    """
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise ValueError("it is neither")
    return lowered == "true"


def parse_duration(text: str) -> timedelta:
    """Reads a number with a unit (milliseconds without one) or an ISO 8601 duration.

    Raises:
        ValueError: the text is not a duration; the message says why.

    Example:
        >>> parse_duration("90 min")
        datetime.timedelta(seconds=5400)
    """
    try:
        return _duration(text.strip())
    except OverflowError:
        raise ValueError("it is longer than 999999999 days") from None


def _duration(stripped: str) -> timedelta:
    iso = _ISO.fullmatch(stripped)
    if iso and any(iso.groups()):
        days, hours, minutes, seconds = (float(part) if part else 0.0 for part in iso.groups())
        return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    match = re.fullmatch(r"(\d+)\s*([a-zA-Zµ]*)", stripped)
    if not match:
        raise ValueError("it is not a number with a unit")
    unit = match[2].lower()
    if unit in _NANOS:
        return timedelta(microseconds=int(match[1]) / 1000)
    if unit not in _UNIT_OF:
        raise ValueError(f"'{match[2]}' is not an unit; units are d, h, min, s, ms, us, ns")
    return int(match[1]) * _UNIT_OF[unit]


def parse_memory_size(text: str) -> int:
    """Reads a number of bytes with an optional binary unit (kb is 1024 bytes).

    Raises:
        ValueError: the text is not a size; the message says why.
    """
    match = re.fullmatch(r"(\d+)\s*([a-zA-Z]*)", text.strip())
    if not match or match[2].lower() not in _SIZES:
        raise ValueError("it is not a number with one of b, kb, mb, gb, tb")
    power: int = 1024 ** _SIZES[match[2].lower()]
    return int(match[1]) * power
