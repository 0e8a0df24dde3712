"""Timers by key: the order in which they fire, replacement and removal, and snapshots; compared with a list."""

from __future__ import annotations

import random

import numpy as np

from table_runtime.streaming.state.timers import Timers
from table_runtime.streaming.time.watermarks import END_OF_TIME


def fired(timers: Timers, until: int) -> list[tuple[int, int, str | None]]:
    found = []
    while (timer := timers.pop(until)) is not None:
        found.append(timer)
    return found


def test_timers_fire_in_the_order_of_time_and_unnamed_ones_first() -> None:
    timers = Timers()
    timers.set(1, "b", 5)
    timers.set(0, None, 5)
    timers.set(0, "a", 3)
    assert timers.first_time == 3
    assert fired(timers, 4) == [(3, 0, "a")]
    assert fired(timers, 5) == [(5, 0, None), (5, 1, "b")]
    assert len(timers) == 0
    assert timers.first_time == END_OF_TIME


def test_a_named_timer_replaces_the_one_of_its_name() -> None:
    timers = Timers()
    timers.set(0, "a", 5)
    timers.set(0, "a", 9)
    timers.set(1, "a", 6)
    assert fired(timers, 8) == [(6, 1, "a")]
    assert fired(timers, 9) == [(9, 0, "a")]


def test_an_unnamed_timer_of_a_time_fires_once() -> None:
    timers = Timers()
    timers.set(0, None, 5)
    timers.set(0, None, 5)
    assert fired(timers, 5) == [(5, 0, None)]


def test_timers_are_removed_by_name_time_or_key() -> None:
    timers = Timers()
    for slot in (0, 1):
        timers.set(slot, "a", 5)
        timers.set(slot, None, 6)
        timers.set(slot, None, 7)
    timers.remove(0, "a")
    timers.remove(0, 6)
    timers.remove(0, "unknown")
    timers.remove_all(1)
    assert len(timers) == 1
    assert timers.has(np.array([0, 1])).tolist() == [True, False]
    assert fired(timers, 9) == [(7, 0, None)]


def test_a_name_that_looks_like_a_time_is_a_name() -> None:
    timers = Timers()
    timers.set(0, "5", 9)
    timers.set(0, None, 5)
    timers.remove(0, "5")
    assert fired(timers, 9) == [(5, 0, None)]


def test_random_timers_are_those_of_a_list_over_snapshots() -> None:
    chance = random.Random(7)
    for _ in range(20):
        timers, model, number, watermark = Timers(), dict[tuple[int, object], tuple[int, bool, int]](), 0, 0
        for _ in range(300):
            slot, name = chance.randrange(4), chance.choice([None, "a", "b"])
            time = watermark + chance.randrange(-3, 20)
            match chance.randrange(8):
                case 0:
                    timers.remove(slot, time if name is None else name)
                    model.pop((slot, time if name is None else name), None)
                case 1:
                    watermark += chance.randrange(5)
                    expected = sorted((value, key) for key, value in model.items() if value[0] <= watermark)
                    assert fired(timers, watermark) == [(value[0], key[0], key[1] if value[1] else None) for value, key in expected]
                    model = {key: value for key, value in model.items() if value[0] > watermark}
                case 2:
                    slots = np.arange(4)
                    content, restored = timers.snapshot(slots), Timers()
                    restored.restore(slots, content)
                    assert len(restored) == len(timers)
                    timers = restored
                case _:
                    if name is not None or (slot, time) not in model:
                        model[slot, time if name is None else name] = time, name is not None, number
                    number += 1
                    timers.set(slot, name, time)
        assert len(timers) == len(model)


def test_removed_timers_do_not_stay_in_memory() -> None:
    timers = Timers()
    for time in range(50_000):
        timers.set(0, "a", time)
    assert len(timers._heap) < 10_000
