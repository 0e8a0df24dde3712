"""Pauses Python's cyclic garbage collector while the tree of a long statement grows: it would traverse the whole tree many times.

Nodes hold no cycles, so reference counting frees them. The collector belongs to the interpreter, not to a thread: the first block stops it,
and the last one starts it again.
"""

from __future__ import annotations

import gc
import threading
from types import TracebackType

__all__ = ["collection_paused"]

_lock = threading.Lock()
_users = 0
_was_enabled = False


class collection_paused:  # noqa: N801  # used as a function, and faster than a generator on the path of every statement
    """A context in which cycles are not searched for; blocks may be nested and concurrent."""

    def __enter__(self) -> None:
        global _users, _was_enabled
        with _lock:
            if _users == 0:
                _was_enabled = gc.isenabled()
                gc.disable()
            _users += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        global _users
        with _lock:
            _users -= 1
            if _users == 0 and _was_enabled:
                gc.enable()
