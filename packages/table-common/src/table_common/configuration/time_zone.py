"""Time zones by name, one rule for every engine: which names exist, how they are normalized, and what the session's zone is."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

from table_common.configuration.session_options import TableConfigOptions
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_common.configuration.configuration import ReadableConfig

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?([0-5]\d))?")
_UTC_NAMES = ("UTC", "Z", "GMT", "UT")
_LOCAL_TIME = "/etc/localtime"
_WIDEST_OFFSET = timedelta(hours=18)
"""Java's and so Spark's limit."""


def session_time_zone(configuration: ReadableConfig) -> str:
    """Returns the session's time zone, normalized.

    Raises:
        ValidationException: the option ``table.local-time-zone`` names no time zone.

    Example:
        >>> from table_common.configuration import Configuration
        >>> session_time_zone(Configuration({"table.local-time-zone": "Asia/Tokyo"}))
        'Asia/Tokyo'
    """
    name = configuration.get(TableConfigOptions.LOCAL_TIME_ZONE)
    return machine_time_zone() if name == "default" else normalize_zone(name)


@lru_cache(maxsize=64)
def normalize_zone(name: str) -> str:
    """Returns the name of a zone as Arrow and Spark take it: an IANA name, or ``+08:00`` for ``GMT+8``, ``UTC+08:00`` and the like.

    Raises:
        ValidationException: there is no such time zone.
    """
    if name in _UTC_NAMES:
        return "UTC"
    offset = _offset(name)
    if offset is not None:
        return _offset_text(offset)
    _named_zone(name)
    return name


@lru_cache(maxsize=64)
def time_zone_of(name: str) -> tzinfo:
    """Returns the time zone of an IANA name or an offset such as ``+02:00`` or ``GMT-8``.

    Raises:
        ValidationException: there is no such time zone.
    """
    if name in (*_UTC_NAMES, "Etc/UTC"):
        return UTC
    offset = _offset(name)
    return _named_zone(name) if offset is None else timezone(offset)


def machine_time_zone() -> str:
    """Returns the time zone of this process: its IANA name where that is known, else its present offset.

    The variable ``TZ`` comes before ``/etc/localtime``, as in the C library.

    Example:
        >>> time_zone_of(machine_time_zone()) is not None
        True
    """
    named = os.environ.get("TZ")
    if named is not None:
        zone = _name_of_file(named.lstrip(":")) or named.lstrip(":")
        return normalize_zone(zone) if _is_known(zone) else _present_offset()
    return _linked_zone() or _present_offset()


def _offset(name: str) -> timedelta | None:
    match = _OFFSET.fullmatch(name)
    if match is None:
        return None
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if offset > _WIDEST_OFFSET:
        return None
    return -offset if match[1] == "-" else offset


def _offset_text(offset: timedelta) -> str:
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{'-' if offset < timedelta() else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _named_zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo  # most programs name no zone

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # KeyError: ZoneInfoNotFoundError
        raise ValidationException(
            f"There is no time zone '{name}'.", hint="accepted are names such as Europe/Berlin, and offsets such as +02:00 or GMT+02:00"
        ) from None


def _is_known(name: str) -> bool:
    try:
        time_zone_of(name)
    except ValidationException:
        return False
    return True


def _linked_zone() -> str | None:
    try:
        return _name_of_link(os.readlink(_LOCAL_TIME))
    except OSError:  # a file, or none
        return None


@lru_cache(maxsize=4)
def _name_of_link(target: str) -> str | None:
    """Returns the zone's name of what the link of the machine's zone points to; each statement asks, and the files of zones stay as they are."""
    return _name_of_file(os.path.realpath(os.path.join(os.path.dirname(_LOCAL_TIME), target)))


def _name_of_file(path: str) -> str | None:
    """Returns the zone's name of a file of the time zone database; None if the path leads elsewhere."""
    _, found, name = path.partition("zoneinfo/")
    return name.removeprefix("posix/") if found else None


def _present_offset() -> str:
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    return _offset_text(offset) if offset else "UTC"
