"""Rows until Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["UntilInterrupted"]

_T = TypeVar("_T")


class UntilInterrupted(Iterator[_T], Generic[_T]):
    """Yields items until Ctrl-C is pressed while it waits for the next one, so that what was begun can be completed, such as the border of a table.

    Example:
        >>> rows = UntilInterrupted(iter([1, 2]))
        >>> list(rows), rows.is_interrupted
        ([1, 2], False)
    """

    def __init__(self, items: Iterator[_T]) -> None:
        self._items = items
        self.is_interrupted = False

    def __next__(self) -> _T:
        if self.is_interrupted:
            raise StopIteration
        try:
            return next(self._items)
        except KeyboardInterrupt:
            self.is_interrupted = True
            raise StopIteration from None
