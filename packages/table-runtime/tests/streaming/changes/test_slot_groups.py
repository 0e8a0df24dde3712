"""Tests for table_runtime.streaming.changes.slot_groups."""

from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.changes.slot_groups import SlotGroups


@pytest.mark.parametrize("limit", [1, 1 << 16, (1 << 16) + 1, 1 << 40])
def test_the_rows_of_a_slot_stand_together_in_their_order(limit: int) -> None:
    slots = np.random.default_rng(1).integers(0, limit, 500)
    slots[250:] = slots[:250]
    groups = SlotGroups(slots)
    assert groups.order.tolist() == sorted(range(len(slots)), key=lambda row: (slots[row], row))
    assert groups.slots.tolist() == sorted(set(slots.tolist()))
    assert [slots[groups.order[start]] for start in groups.starts] == groups.slots.tolist()
    assert (groups.ends - groups.starts).tolist() == groups.sizes.tolist()


def test_no_rows_make_no_groups() -> None:
    groups = SlotGroups(np.zeros(0, np.int64))
    assert [len(part) for part in (groups.order, groups.starts, groups.ends, groups.slots, groups.sizes)] == [0] * 5
