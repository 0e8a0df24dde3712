"""Transactions of a catalog in memory."""

from __future__ import annotations

from threading import RLock
from types import TracebackType
from typing import Any

__all__ = ["InMemoryTransaction"]


class InMemoryTransaction:
    """A context that keeps other threads out, and puts back what the catalog held if it ends with an error; contexts within it are part of it."""

    def __init__(self, catalog: object, lock: RLock) -> None:
        """``catalog`` keeps everything in attributes that are dictionaries, or dictionaries of dictionaries; changes are made under ``lock``."""
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
                # Attributes are replaced whole: readers without the lock see the one state or the other.
                vars(self._catalog).update(self._saved)
            self._saved = {}
        self._lock.release()


def _copied(kept: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in kept.items()}
