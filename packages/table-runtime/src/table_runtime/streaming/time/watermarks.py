"""The watermarks between the rows of changelogs."""

from __future__ import annotations

END_OF_TIME = (1 << 63) - 1
"""The watermark after the last row of an input that ends."""
