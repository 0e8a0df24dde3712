import numpy as np

from table_runtime.streaming.state.slot_numbers import SlotNumbers


def test_slots_that_were_not_written_have_the_fill() -> None:
    numbers = SlotNumbers(-1)
    numbers.reserve(5000)
    numbers.values[4999] = 7
    assert len(numbers.values) >= 5000
    assert numbers.values[[0, 4998, 4999]].tolist() == [-1, -1, 7]


def test_numbers_are_restored_into_the_slots_of_their_keys() -> None:
    numbers = SlotNumbers(0)
    numbers.values[:3] = [10, 11, 12]
    restored = SlotNumbers(0)
    restored.restore(np.array([5, 6]), numbers.snapshot(np.array([2, 0])))
    assert restored.values[:8].tolist() == [0, 0, 0, 0, 0, 12, 10, 0]
