"""An iterator that releases its resources when it is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

_T = TypeVar("_T")


class CloseableIterator(Iterator[_T], Generic[_T]):
    """The rows of a running job; closing it early cancels the job. The end of its ``with`` block closes it.

    Example:
        >>> with env.execute_sql("SELECT a FROM (VALUES (1), (2), (3)) AS t (a)").collect() as rows:
        ...     print(next(rows).a)
        1

    Source: Flink's ``org.apache.flink.util.CloseableIterator``.
    """

    def __init__(self, iterator: Iterator[_T], close: Callable[[], None] | None = None) -> None:
        self._iterator = iterator
        self._close = close

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _T:
        return next(self._iterator)

    def next(self) -> _T:
        """Returns the next row, as PyFlink names it; ``StopIteration`` after the last one."""
        return next(self)

    def close(self) -> None:
        """Cancels the job if it is running; a second call does nothing."""
        close, self._close = self._close, None
        self._iterator = iter(())
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
