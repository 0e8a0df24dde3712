import random

import numpy as np
import pytest

from table_runtime.streaming.state import row_lists
from table_runtime.streaming.state.row_lists import RowLists


def found(lists: RowLists, *slots: int) -> list[tuple[int, int]]:
    positions, rows = lists.find(np.array(slots, np.int64))
    return list(zip(positions.tolist(), rows.tolist(), strict=True))


def test_rows_are_found_in_the_order_in_which_they_were_added() -> None:
    lists = RowLists()
    lists.append(np.array([3, 1, 3]), np.array([0, 1, 2]))
    lists.append(np.array([3]), np.array([3]))
    assert found(lists, 1, 3, 0) == [(0, 1), (1, 0), (1, 2), (1, 3)]
    assert lists.lengths(np.array([1, 3, 0, -1, 9999])).tolist() == [1, 3, 0, 0, 0]


def test_slots_that_are_not_there_have_no_rows() -> None:
    assert found(RowLists(), -1, 5) == []


@pytest.mark.parametrize("longest", [1, 3, 64])
def test_lists_are_those_of_a_dictionary(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_lists, "LONGEST_CHAIN", longest)
    chance = random.Random(longest)
    lists, known, row = RowLists(), dict[int, list[int]](), 0
    for _ in range(40):
        slots = [chance.choice([0, 1, 2, chance.randrange(3000)]) for _ in range(chance.randrange(9))]
        lists.append(np.array(slots, np.int64), np.arange(row, row + len(slots)))
        for slot in slots:
            known.setdefault(slot, []).append(row)
            row += 1
        asked = [chance.randrange(4) for _ in range(5)]
        assert found(lists, *asked) == [(position, r) for position, slot in enumerate(asked) for r in known.get(slot, [])]
