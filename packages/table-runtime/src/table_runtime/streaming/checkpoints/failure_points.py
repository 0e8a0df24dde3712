"""Failure injection: the points of an epoch, at which tests and proofs raise errors or end the process."""

from __future__ import annotations

from collections.abc import Callable

listeners: list[Callable[[str, int], None]] = []
"""Called with the name of a point and the number of the epoch. Empty but in tests and proofs."""


def reached(point: str, epoch: int) -> None:
    """Notes that an epoch has come to a point."""
    for listener in listeners:
        listener(point, epoch)
