"""How large one value may be that a function makes of small ones, on both engines: REPEAT, LPAD, PRINTF and their like would fill any memory."""

from __future__ import annotations

__all__ = ["MAX_BATCH_SIZE", "MAX_VALUE_SIZE"]

MAX_VALUE_SIZE = 256 << 20
"""Bytes, or characters where these are counted."""
MAX_BATCH_SIZE = 1 << 30
"""How many bytes the values may have together that such functions make of one batch of rows, where the values themselves are kept."""
