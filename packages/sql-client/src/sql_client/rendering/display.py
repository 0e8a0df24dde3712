"""Settings for rendering a result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from table_common.frozen_dataclass import dataclass

_T = TypeVar("_T")


def _nothing() -> None:
    """Does nothing."""


@dataclass(frozen=True, slots=True)
class Display:
    """Settings for rendering one result.

    ``is_first`` is true for the first result with rows. ``max_rows`` limits the rows of results that are rendered as tables; None is no limit. ``started`` is the start time
    of the statement (``time.monotonic()``), None if the elapsed time is not shown. ``width`` is that of the terminal, None if the output is none; ``expanded`` says whether rows are
    records, a line per column: on, off, or auto for rows that do not fit into the width. ``before_output`` is called once, before the first output.
    """

    mode: str = "tableau"
    is_first: bool = True
    max_rows: int | None = None
    started: float | None = None
    width: int | None = None
    expanded: str = "off"
    before_output: Callable[[], None] = _nothing

    def time_cost(self) -> str:
        """Returns the elapsed time in parentheses after a space; an empty text if it is not shown."""
        return "" if self.started is None else f" ({time.monotonic() - self.started:.2f} seconds)"


class Limited(Iterator[_T]):
    """Yields at most ``limit`` items; ``is_cut`` is true if there were more."""

    def __init__(self, items: Iterator[_T], limit: int | None) -> None:
        self._items = items
        self._left = limit
        self.is_cut = False

    def __next__(self) -> _T:
        if self._left == 0:
            self.is_cut = self.is_cut or next(self._items, None) is not None
            raise StopIteration
        if self._left is not None:
            self._left -= 1
        return next(self._items)
