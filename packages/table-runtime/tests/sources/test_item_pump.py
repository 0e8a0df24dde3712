"""Items that are taken on a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from table_runtime.sources.item_pump import ItemPump, as_they_come


def given(items: queue.Queue[int | None]) -> Iterator[int]:
    while (item := items.get()) is not None:
        yield item


def test_what_is_there_is_given_without_waiting_for_more() -> None:
    items: queue.Queue[int | None] = queue.Queue()
    lists = as_they_come(lambda: given(items), 100, "test")
    for number in range(3):
        items.put(number)
        assert next(lists) == [number]
    items.put(None)
    assert list(lists) == []


def test_a_list_has_at_most_so_many_items() -> None:
    assert [item for some in as_they_come(lambda: iter(range(10)), 3, "test") for item in some] == list(range(10))
    assert max(len(some) for some in as_they_come(lambda: iter(range(10)), 3, "test")) <= 3


def test_no_more_items_are_taken_than_there_is_room_for() -> None:
    taken = []

    def endless() -> Iterator[int]:
        number = 0
        while True:
            taken.append(number)
            yield number
            number += 1

    pump = ItemPump(endless, 5, "test")
    assert pump.wait(10)
    assert len(pump.take(2)) <= 2
    pump.stop()
    assert len(taken) <= 9


def test_a_failure_comes_behind_the_items_before_it() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("broken")

    lists = as_they_come(failing, 100, "test")
    assert next(lists) == [1]
    with pytest.raises(KeyError):
        next(lists)


def test_stopping_closes_the_iterator_on_its_thread() -> None:
    closed: queue.Queue[str] = queue.Queue()

    def noting() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.put(threading.current_thread().name)

    pump = ItemPump(noting, 2, "the pump")
    assert pump.wait(10)
    pump.stop()
    assert closed.get(timeout=10) == "the pump"


def test_an_iterator_that_can_be_cancelled_is() -> None:
    class Waiting(Iterator[int]):
        def __init__(self) -> None:
            self.is_cancelled = threading.Event()

        def __next__(self) -> int:
            self.is_cancelled.wait(10)
            raise StopIteration

        def cancel(self) -> None:
            self.is_cancelled.set()

    waiting = Waiting()
    pump = ItemPump(lambda: waiting, 2, "test")
    while pump._iterator is None:
        pass
    pump.stop()
    assert waiting.is_cancelled.is_set()
    assert pump.wait(10)
    assert pump.has_ended
