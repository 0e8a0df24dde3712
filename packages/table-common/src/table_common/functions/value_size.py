"""Limits on the size of values that functions such as REPEAT, LPAD and PRINTF produce from small ones, on both engines."""

from __future__ import annotations

MAX_VALUE_SIZE = 256 << 20
"""In bytes, or in characters for functions that count these."""
MAX_BATCH_SIZE = 1 << 30
"""The limit in bytes for all values that such a function produces for one batch of rows, if the batch holds the values."""
