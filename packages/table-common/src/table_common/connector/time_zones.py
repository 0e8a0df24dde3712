"""The session's time zone as the planner gives it to connectors: an IANA name, or an offset such as ``+02:00``."""

from __future__ import annotations

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

__all__ = ["time_zone_named"]


def time_zone_named(name: str) -> tzinfo:
    """Returns the time zone of a name that the planner has checked."""
    if name[:1] in "+-":
        zone = datetime.strptime(name, "%z").tzinfo
        assert zone is not None
        return zone
    return ZoneInfo(name)
