"""The watermarks between the rows of changelogs."""

from __future__ import annotations

from table_runtime.sources.watermark_progress import NO_WATERMARK, Watermarks

__all__ = ["END_OF_TIME", "NO_WATERMARK", "Watermarks"]

END_OF_TIME = (1 << 63) - 1
"""The watermark after the last row of an input that ends."""
