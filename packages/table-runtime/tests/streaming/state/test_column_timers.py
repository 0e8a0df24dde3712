"""Timers as arrays: against a dictionary, and written as timers of Python are."""

from __future__ import annotations

import random

import numpy as np

from table_runtime.streaming.state.column_timers import ColumnTimers
from table_runtime.streaming.state.timers import Timers
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_testing.rounds import rounds


def test_timers_are_those_of_a_dictionary() -> None:
    for seed in rounds(20):
        chance, timers, model = random.Random(seed), ColumnTimers(), dict[tuple[str, int], int]()
        for _ in range(100):
            name = chance.choice(["a", "b"])
            slots = np.array(chance.sample(range(20), chance.randrange(1, 5)))
            match chance.randrange(4):
                case 0 | 1:
                    times = np.array([chance.randrange(2000) for _ in slots])
                    timers.set(name, slots, times)
                    model |= {(name, slot): time for slot, time in zip(slots.tolist(), times.tolist(), strict=True)}
                case 2:
                    timers.remove(name, slots)
                    for slot in slots.tolist():
                        model.pop((name, slot), None)
                case _:
                    timers.remove_all(slots)
                    model = {key: time for key, time in model.items() if key[1] not in slots.tolist()}
            until = chance.randrange(2000)
            assert timers.first_time == min(model.values(), default=END_OF_TIME)
            assert timers.due(until).tolist() == sorted({slot for (_, slot), time in model.items() if time <= until})
            every = np.arange(20)
            least = [min((time for (_, one), time in model.items() if one == slot), default=END_OF_TIME) for slot in range(20)]
            assert timers.least(every).tolist() == least
            assert timers.has(every).tolist() == [time != END_OF_TIME for time in least]


def test_a_snapshot_is_that_of_timers_of_python() -> None:
    timers, slots = ColumnTimers(), np.array([4, 2])
    timers.set("end", slots, np.array([70, 50]))
    timers.set("", slots[:1], np.array([60]))
    assert timers.of(4) == [(60, None), (70, "end")]
    python, again = Timers(), ColumnTimers()
    python.restore(np.array([1, 3]), timers.snapshot(slots))
    assert python.of(1) == [(60, None), (70, "end")]
    again.restore(np.array([4, 2]), python.snapshot(np.array([1, 3])))
    assert (again.of(4), again.of(2)) == (timers.of(4), timers.of(2))


def test_many_timers_of_one_time_are_found_once() -> None:
    timers, slots = ColumnTimers(), np.arange(100_000)
    for at in (5, 6, 5):
        timers.set("end", slots, np.full(len(slots), at))
    assert timers.due(4).tolist() == []
    assert timers.due(5).tolist() == slots.tolist()
