import numpy as np
import pyarrow as pa

from table_runtime.streaming.over.calls import OverRows


def rows(*, has_peers: bool) -> OverRows:
    slots, times = np.array([0, 0, 0, 2, 2]), np.array([5, 5, 6, 6, 6])
    return OverRows(pa.RecordBatch.from_arrays([pa.array(range(5))], ["a"]), slots, times, has_peers=has_peers)


def test_rows_of_one_slot_follow_each_other() -> None:
    assert (rows(has_peers=True).starts.tolist(), rows(has_peers=True).sizes.tolist()) == ([0, 3], [3, 2])
    assert len(rows(has_peers=True)) == 5


def test_peers_are_rows_of_one_slot_and_time() -> None:
    assert rows(has_peers=True).is_first_peer.tolist() == [True, False, True, True, False]
    assert rows(has_peers=True).last_peers().tolist() == [1, 1, 2, 4, 4]


def test_without_peers_each_row_is_by_itself() -> None:
    assert rows(has_peers=False).last_peers().tolist() == [0, 1, 2, 3, 4]
