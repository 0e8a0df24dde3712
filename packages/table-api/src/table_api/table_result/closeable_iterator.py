"""An iterator that lets go of what it reads from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

__all__ = ["CloseableIterator"]

_T = TypeVar("_T")


class CloseableIterator(Iterator[_T], Generic[_T]):
    """Iterates, and stops the job behind it when it is closed early; leaving a ``with`` block closes it."""

    def __init__(self, iterator: Iterator[_T], close: Callable[[], None] | None = None) -> None:
        self._iterator = iterator
        self._close = close

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _T:
        return next(self._iterator)

    def close(self) -> None:
        """Stops the job if it still runs; may be called again."""
        close, self._close = self._close, None
        self._iterator = iter(())
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
