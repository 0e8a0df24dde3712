import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.aggregates.first_last import FirstLastState
from table_runtime.streaming.changes.segments import Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", None, "c"]),
        pa.array([[1], None, []], pa.list_(pa.int64())),
        pa.array(["1.10", None, "-2.00"]).cast(pa.decimal128(38, 2)),
    ],
)
def test_values_are_restored_to_other_slots(values: pa.Array) -> None:
    state, restored = FirstLastState(values.type, is_last=True), FirstLastState(values.type, is_last=True)
    state.reserve(3)
    groups = SlotGroups(np.array([0, 1, 2]))
    counts = np.zeros(3, np.int64)
    state.advance([values], np.ones(3, np.int64), Segments(groups, counts, counts + 1))
    restored.reserve(9)
    restored.restore(np.array([8, 4]), state.snapshot(np.array([2, 0])))
    assert restored.current(np.array([4, 8, 1])).equals(values.take(pa.array([0, 2, 1])))
