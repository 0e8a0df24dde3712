"""Writing rows that come until Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Generic, Self, TextIO, TypeVar, cast

_T = TypeVar("_T")


class UntilInterrupted(Iterator[_T], Generic[_T]):
    """Yields items until Ctrl-C is pressed, so that what was begun can be completed, such as the border of a table.

    Within its ``with`` block Ctrl-C ends the items, and does nothing else; only in the main thread.

    Example:
        >>> with UntilInterrupted(iter([1, 2])) as rows:
        ...     list(rows), rows.is_interrupted
        ([1, 2], False)
    """

    def __init__(self, items: Iterator[_T], *, at_once: bool = False) -> None:
        """With ``at_once`` Ctrl-C also interrupts what is done with an item, by a ``KeyboardInterrupt``."""
        self._items = items
        self._at_once = at_once
        self._is_waiting = False
        self._before: object = None
        self.is_interrupted = False

    def __enter__(self) -> Self:
        # Another handler than Python's own belongs to the program.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def __next__(self) -> _T:
        try:
            self._is_waiting = True
            if self.is_interrupted:
                raise StopIteration
            return next(self._items)
        except KeyboardInterrupt:
            self.is_interrupted = True
            raise StopIteration from None
        finally:
            self._is_waiting = False

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        # Noted first, because the exception can be lost: pyarrow ignores those that come while it looks for modules which are not installed.
        is_first, self.is_interrupted = not self.is_interrupted, True
        if is_first and (self._is_waiting or self._at_once):
            raise KeyboardInterrupt


class _Flushing:
    """Shows at once what is written; has only the methods of a file that renderers call."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> int:
        count = self._output.write(text)
        self._output.flush()
        return count

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        self._output.flush()

    def isatty(self) -> bool:
        return self._output.isatty()


def flushing(output: TextIO) -> TextIO:
    """Returns the output, flushed after each write: a reader sees each row when it comes.

    Example:
        >>> import sys
        >>> _ = flushing(sys.stdout).write("a row\\n")
        a row
    """
    return cast("TextIO", _Flushing(output))
