"""Takes items of an iterator on a thread, so that a reader gets those that are there and need not wait for more."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from table_common.restrictions import keeping_restrictions

_T = TypeVar("_T")
_WAIT_SECONDS = 0.05


class ItemPump(Generic[_T]):
    """Takes items while there is room for them. ``begin`` is called on the thread and returns the iterator, whose ``cancel``, if it has one, ends its waiting."""

    def __init__(self, begin: Callable[[], Iterator[_T]], most: int, name: str) -> None:
        self._begin = begin
        self._most = most
        self._changed = threading.Condition()
        self._items: deque[_T] = deque()
        self._failure: BaseException | None = None
        self._has_ended = False
        self._is_stopped = False
        self._iterator: Iterator[_T] | None = None
        # A daemon: nothing can interrupt an object that waits for its next item.
        self._thread = threading.Thread(target=keeping_restrictions(self._run), name=name, daemon=True)
        self._thread.start()

    def take(self, most: int | None = None) -> list[_T]:
        """Returns the items that are there, at most ``most``; None: all.

        Raises:
            Exception: the iterator failed; the items before have been taken.
        """
        with self._changed:
            items = [self._items.popleft() for _ in range(len(self._items) if most is None else min(most, len(self._items)))]
            self._changed.notify_all()
            if not items and self._failure is not None:
                raise self._failure
            return items

    def wait(self, seconds: float) -> bool:
        """Waits for an item or the end, at most ``seconds`` seconds; returns whether there is something."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._items) or self._has_ended, seconds)

    @property
    def has_ended(self) -> bool:
        """Whether all items were taken, and no more will come."""
        with self._changed:
            return self._has_ended and not self._items and self._failure is None

    def stop(self) -> None:
        """Takes no more items. What waits for the next one is not interrupted unless it can be cancelled; it ends behind that item."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        cancel = getattr(self._iterator, "cancel", None)
        if cancel is not None:
            cancel()
        self._thread.join(0.1)

    def _run(self) -> None:
        end: Any = object()
        try:
            self._iterator = iterator = self._begin()
            try:
                while not self._is_stopped and (item := next(iterator, end)) is not end:
                    with self._changed:
                        self._changed.wait_for(lambda: len(self._items) < self._most or self._is_stopped)
                        self._items.append(item)
                        self._changed.notify_all()
            finally:
                close: Callable[[], None] | None = getattr(iterator, "close", None)
                if close is not None:
                    close()
        except BaseException as error:
            self._failure = error
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()


def as_they_come(begin: Callable[[], Iterator[_T]], most: int, name: str) -> Iterator[list[_T]]:
    """Yields the items in lists of those that are there, at most ``most``, as soon as there is one. Closing the generator stops the thread."""
    pump = ItemPump(begin, most, name)
    try:
        while not pump.has_ended:
            if pump.wait(_WAIT_SECONDS) and (items := pump.take(most)):
                yield items
    finally:
        pump.stop()
