"""How a column changes while its row is updated."""

from __future__ import annotations

from enum import Enum

__all__ = ["Monotonicity"]


class Monotonicity(Enum):
    """How the values of a column follow each other over the updates of one row."""

    CONSTANT = "CONSTANT"
    INCREASING = "INCREASING"
    DECREASING = "DECREASING"
    NOT_MONOTONIC = "NOT_MONOTONIC"
