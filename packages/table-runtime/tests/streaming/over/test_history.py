import numpy as np
import pyarrow as pa

from table_runtime.streaming.over.calls import OverRows
from table_runtime.streaming.over.history import following, keep_places, kept_tail
from table_runtime.streaming.state.timed_rows import TimedRows

SCHEMA = pa.schema([("a", pa.int64())])


def batch(*values: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, pa.int64())], schema=SCHEMA)


def history() -> TimedRows:
    result = TimedRows(SCHEMA)
    result.append(batch(1, 2, 3), np.array([1, 0, 1]), np.array([10, 11, 12]), 0)
    return result


def new(*values: int) -> OverRows:
    return OverRows(batch(*values), np.array([1, 1, 2]), np.array([20, 21, 22]), has_peers=True)


def test_kept_rows_of_the_same_slots_come_before_new_ones() -> None:
    together = following(history(), new(4, 5, 6))
    assert together.kept.tolist() == [0, 2]
    assert together.slots.tolist() == [1, 1, 1, 1, 2]
    assert together.times.tolist() == [10, 12, 20, 21, 22]
    assert together.places_of_new.tolist() == [2, 3, 4]
    assert together.first_of_new.tolist() == [0, 0, 4]


def test_the_last_rows_of_each_slot_are_kept() -> None:
    kept = history()
    together = following(kept, new(4, 5, 6))
    kept_tail(kept, together, batch(1, 3, 4, 5, 6), 3)
    assert kept.take(kept.of_slots(np.array([1])))[0].to_pylist() == [3, 4, 5]
    assert kept.take(kept.of_slots(np.array([2])))[0].to_pylist() == [6]
    assert kept.take(kept.of_slots(np.array([0])))[0].to_pylist() == [2]


def test_rows_at_some_places_are_kept() -> None:
    kept = history()
    together = following(kept, new(4, 5, 6))
    keep_places(kept, together, batch(1, 3, 4, 5, 6), np.array([0, 3]))
    assert kept.take(kept.rows())[0].to_pylist() == [1, 2, 5]
    assert kept.times_of(kept.rows()).tolist() == [10, 11, 21]
