"""Units of Arrow's timestamps."""

from __future__ import annotations

__all__ = ["PER_MILLISECOND"]

PER_MILLISECOND = {"us": 1_000, "ns": 1_000_000}
