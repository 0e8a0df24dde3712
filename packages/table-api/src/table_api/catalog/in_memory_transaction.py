"""Transactions of a catalog in memory."""

from __future__ import annotations

from threading import RLock
from types import TracebackType
from typing import Any


class InMemoryTransaction:
    """A context that locks a catalog and rolls its changes back on an error; nested contexts belong to the outermost."""

    def __init__(self, catalog: object, lock: RLock) -> None:
        """The state of ``catalog`` is in attributes that are dictionaries, or dictionaries of dictionaries; ``lock`` guards changes."""
        self._catalog = catalog
        self._lock = lock
        self._depth = 0
        self._saved: dict[str, dict[Any, Any]] = {}

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._depth == 0:
            self._saved = {name: _copied(value) for name, value in vars(self._catalog).items() if isinstance(value, dict)}
        self._depth += 1

    def __exit__(self, type_: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._depth -= 1
        if self._depth == 0:
            if type_ is not None:
                # Each attribute is replaced as a whole: readers without the lock see the old state or the new one.
                vars(self._catalog).update(self._saved)
            self._saved = {}
        self._lock.release()


def _copied(state: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in state.items()}
