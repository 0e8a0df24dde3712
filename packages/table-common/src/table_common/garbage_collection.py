"""Pauses Python's cyclic garbage collector while many objects are made, such as the tree of a long statement: it would traverse them many times.

Nodes and rows hold no cycles, so reference counting frees them. The collector belongs to the interpreter, not to a thread: the first block
stops it, and the last one starts it again.
"""

from __future__ import annotations

import gc
import sys
import threading
from types import TracebackType

__all__ = ["CollectorOfRows", "collection_paused"]

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


class CollectorOfRows:
    """Contexts in which rows of one result are made. The collector is paused in them, and treats the rows as old objects afterwards.

    A young object is traversed twice before it is old, which takes a fifth of the time of making a row, and frees nothing. What was young
    before the block is collected first, as in the collector's own order, so cycles do not become old unseen. Where objects are frozen, by the
    program or, as in Python 3.12, by the interpreter, rows stay young.
    """

    def __init__(self) -> None:
        self._promotes = gc.isenabled() and _HAS_GENERATIONS and not gc.get_freeze_count()
        self._paused = collection_paused()

    def __enter__(self) -> None:
        # What the program froze must stay frozen. To count that takes no time if it is nothing, so it is counted each time until then.
        self._promotes = self._promotes and gc.isenabled() and not gc.get_freeze_count()
        self._paused.__enter__()
        if self._promotes:
            gc.collect(1)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._promotes and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()  # to the oldest generation; both only join lists
        self._paused.__exit__(kind, error, trace)


_HAS_GENERATIONS = sys.implementation.name == "cpython" and "free-threading" not in sys.version
