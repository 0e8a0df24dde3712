"""The points of an epoch, for proofs that end the process there."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["listeners", "passed"]

listeners: list[Callable[[str, int], None]] = []
"""Called with the name of a point and the number of the epoch. Empty but in proofs."""


def passed(point: str, epoch: int) -> None:
    """Notes that an epoch has come to a point."""
    for listener in listeners:
        listener(point, epoch)
