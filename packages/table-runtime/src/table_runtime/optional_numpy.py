"""Whether numpy is there: streaming mode needs it, and some kernels of batch mode are faster with it."""

from __future__ import annotations

from functools import cache

__all__ = ["has_numpy"]


@cache
def has_numpy() -> bool:
    """Returns whether numpy is installed."""
    from importlib.util import find_spec

    return find_spec("numpy") is not None
