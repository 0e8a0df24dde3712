"""``Instant``: the annotation for TIMESTAMP_LTZ, since Python's ``datetime`` is one class for instants and for local times."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated


class InstantMarker:
    """The marker that distinguishes ``Instant`` from ``datetime`` in an annotation."""

    def __repr__(self) -> str:
        return "Instant"


Instant = Annotated[datetime, InstantMarker()]
"""A ``datetime`` with a time zone, extracted as TIMESTAMP_LTZ(6)."""
