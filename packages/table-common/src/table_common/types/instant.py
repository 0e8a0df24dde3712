"""``Instant``: how annotations say TIMESTAMP_LTZ, since Python's ``datetime`` is one class for points in time and for local times."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

__all__ = ["Instant", "InstantMarker"]


class InstantMarker:
    """What tells ``Instant`` from ``datetime`` in an annotation."""

    def __repr__(self) -> str:
        return "Instant"


Instant = Annotated[datetime, InstantMarker()]
"""A ``datetime`` with a time zone: TIMESTAMP_LTZ(6) where types are extracted from annotations."""
