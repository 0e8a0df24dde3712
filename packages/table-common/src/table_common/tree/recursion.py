"""Room for deep recursion while a statement is parsed, converted and planned.

Statements may nest some hundred levels; Python's default limit of a thousand frames is for programs without such input. Since Python
3.11 a call of a Python function takes no C stack, so a higher limit is safe. The limit belongs to the interpreter, not to a thread:
it is raised by the first statement that needs it and put back by the last one that ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["deep_recursion"]

_LIMIT = 30_000
_lock = threading.Lock()
_users = 0
_before = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raises the recursion limit for the block; nested and concurrent blocks share it."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, _LIMIT))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and sys.getrecursionlimit() == max(_before, _LIMIT):
                # A caller that is itself deeper than the limit that was there keeps the higher one.
                with suppress(RecursionError):
                    sys.setrecursionlimit(_before)
