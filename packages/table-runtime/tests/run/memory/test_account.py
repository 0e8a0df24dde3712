"""Shares of the memory budget."""

from __future__ import annotations

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.run.memory.account import LEAST_PART, UNCOUNTED, WORKING, Account, MemoryShares
from table_runtime.run.memory.budget import MemoryBudget

GB = 1 << 30


class Budget(MemoryBudget):
    """A budget whose use is given."""

    def __init__(self, limit: int, used: int) -> None:
        super().__init__(limit)
        self.given = used

    @property
    def used(self) -> int:
        return self.given


def test_operators_share_what_was_left_at_the_start() -> None:
    shares = MemoryShares(Budget(8 * GB, GB), 4 * GB)
    room = 4 * GB // WORKING
    first, second = Account(shares, "A"), Account(shares, "B")
    assert first.hold(room)
    assert not first.hold(room + 1)
    assert first.hold(room * 3 // 4)
    assert not second.hold(room // 2)
    first.release()
    assert second.hold(room // 2)


def test_every_operator_may_hold_a_little() -> None:
    shares = MemoryShares(Budget(8 * GB, GB), 4 * GB)
    room = 4 * GB // WORKING
    with Account(shares, "A") as first:
        assert first.hold(room)
        assert Account(shares, "B").hold(room // LEAST_PART)
    assert Account(shares, "C").hold(room // 2)


def test_memory_that_others_use_counts() -> None:
    budget = Budget(8 * GB, GB)
    account = Account(MemoryShares(budget, 4 * GB), "A")
    assert account.hold(GB // 2)
    budget.given = 7 * GB
    assert not account.hold(GB // 2)


def test_a_job_that_starts_without_memory_fails_where_it_would_spill() -> None:
    account = Account(MemoryShares(Budget(GB, GB), GB), "HashJoin")
    assert account.hold(UNCOUNTED)
    with pytest.raises(TableRuntimeException, match=r"are needed by HashJoin, of 1\.0 GB\.(.|\n)*table\.exec\.memory"):
        account.hold(UNCOUNTED + 1)
