"""The session's options that the embedded engine reads, and the time zone they name."""

from __future__ import annotations

import functools
import os
import re
from datetime import datetime
from pathlib import Path

from table_common.configuration import ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException

__all__ = ["LEGACY_CASTS", "LOCAL_TIME_ZONE", "NOT_NULL_ENFORCER", "PARALLELISM", "REPORT_STATISTICS", "TIMEOUT", "session_time_zone"]

LOCAL_TIME_ZONE = (
    ConfigOptions.key("table.local-time-zone")
    .string_type()
    .default_value("default")
    .with_description("The session's time zone: an IANA name or an offset such as GMT+02:00; 'default' is that of the machine.")
)
TIMEOUT = (
    ConfigOptions.key("table.exec.timeout")
    .duration_type()
    .no_default_value()
    .with_description("How long a statement may run before it is stopped with an error; unset: as long as it takes.")
)
PARALLELISM = (
    ConfigOptions.key("table.exec.resource.default-parallelism")
    .int_type()
    .default_value(-1)
    .with_description("How many threads a statement computes on; -1: one per processor.")
)
LEGACY_CASTS = (
    ConfigOptions.key("table.exec.legacy-cast-behaviour")
    .enum_type("ENABLED", "DISABLED")
    .default_value("DISABLED")
    .with_description(
        "ENABLED: casts as they were before Flink 1.15: integers wrap around, text is neither cut nor padded, TRUE is 'true', a CAST that fails gives NULL."
    )
)
NOT_NULL_ENFORCER = (
    ConfigOptions.key("table.exec.sink.not-null-enforcer")
    .enum_type("ERROR", "DROP")
    .default_value("ERROR")
    .with_description("What happens to a row that has NULL in a NOT NULL column of the table it is written to.")
)
REPORT_STATISTICS = (
    ConfigOptions.key("table.optimizer.source.report-statistics-enabled")
    .boolean_type()
    .default_value(True)
    .with_description("Whether sources are asked how much they hold; if not, only what ANALYZE TABLE counted is known of them.")
)

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?")


def session_time_zone(configuration: ReadableConfig) -> str:
    """Returns the session's time zone as an IANA name or as an offset such as ``+02:00``.

    Raises:
        ValidationException: there is no such zone.
    """
    name = configuration.get(LOCAL_TIME_ZONE)
    if name == "default":
        return _system_time_zone()
    match = _OFFSET.fullmatch(name)
    if match:
        return f"{match[1]}{int(match[2]):02d}:{match[3] or '00'}"
    if not _is_known(name):
        raise ValidationException(
            f"Option '{LOCAL_TIME_ZONE.key}' takes a time zone, but got '{name}'.",
            hint="Use an IANA name such as 'Europe/Berlin', 'UTC', or an offset such as 'GMT+02:00'.",
        )
    return name


def _is_known(name: str) -> bool:
    from zoneinfo import ZoneInfo  # most programs name no zone

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _system_time_zone() -> str:
    named = os.environ.get("TZ", "").lstrip(":")
    if named and _is_known(named):
        return named
    linked = _linked_zone()  # it is there, so it is known
    if linked:
        return linked
    offset = datetime.now().astimezone().strftime("%z")
    return "UTC" if offset == "+0000" else f"{offset[:3]}:{offset[3:5]}"


@functools.cache
def _linked_zone() -> str:
    """Returns the zone that the machine is set to; a running program does not follow changes, as the C library does not."""
    try:
        target = str(Path("/etc/localtime").resolve())
    except OSError:
        return ""
    _, found, name = target.partition("/zoneinfo/")
    return name if found else ""
