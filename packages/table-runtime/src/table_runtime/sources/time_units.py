"""Units of Arrow's timestamps."""

from __future__ import annotations

PER_MILLISECOND = {"us": 1_000, "ns": 1_000_000}
