from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.changes.net_counts import net_counts


@pytest.mark.parametrize("more", [0, 100])
def test_slots_have_their_first_row_and_the_counts_before_and_after(more: int) -> None:
    counts = np.array([0, 2, 3] + [0] * more)
    net = net_counts(np.array([2, 0, 2, 1, 2]), np.array([1, 1, -1, -1, 1]), counts)
    assert net is not None
    assert (net.slots.tolist(), net.first_rows.tolist()) == ([0, 1, 2], [1, 3, 0])
    assert (net.before.tolist(), net.after.tolist()) == ([0, 2, 3], [1, 1, 4])
    assert (net.is_fresh.tolist(), net.kept) == ([True, False, False], None)


def test_a_group_begins_anew_when_all_its_rows_are_retracted_before_others_are_added() -> None:
    counts = np.array([2, 2])
    net = net_counts(np.array([0, 0, 0, 1, 1, 1]), np.array([-1, -1, 1, -1, 1, -1]), counts)
    assert net is not None
    assert net.is_fresh.tolist() == [True, False]
    assert net.kept is not None
    assert net.kept.tolist() == [False, False, True, True, True, True]
    assert net.after.tolist() == [1, 1]


def test_more_retractions_than_rows_are_left_to_others() -> None:
    assert net_counts(np.array([0, 0]), np.array([1, -1]), np.array([0])) is None
