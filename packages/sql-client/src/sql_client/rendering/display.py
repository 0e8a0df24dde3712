"""What the renderers are told beside the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from table_common.frozen_dataclass import dataclass

__all__ = ["Display", "Limited"]

_T = TypeVar("_T")


def _nothing() -> None:
    """Does nothing."""


@dataclass(frozen=True, slots=True)
class Display:
    """How one result is shown.

    ``is_first`` says that no other result with rows was shown before; ``max_rows`` limits results that are shown as tables, None does not; ``started`` is when the statement began
    (``time.monotonic()``), None if the time is not shown; ``before_output`` is called once, before anything is written.
    """

    mode: str = "tableau"
    is_first: bool = True
    max_rows: int | None = None
    started: float | None = None
    before_output: Callable[[], None] = _nothing

    def time_cost(self) -> str:
        """Returns how long the statement took, in parentheses after a space; empty if that is not shown."""
        return "" if self.started is None else f" ({time.monotonic() - self.started:.2f} seconds)"


class Limited(Iterator[_T]):
    """Yields at most so many items, and knows whether there were more."""

    def __init__(self, items: Iterator[_T], limit: int | None) -> None:
        self._items = items
        self._left = limit
        self.is_cut = False

    def __next__(self) -> _T:
        if self._left == 0:
            self.is_cut = next(self._items, None) is not None
            raise StopIteration
        if self._left is not None:
            self._left -= 1
        return next(self._items)
