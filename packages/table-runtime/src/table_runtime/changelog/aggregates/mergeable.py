"""The state of aggregate functions whose groups can be merged."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import pyarrow as pa

from table_runtime.changelog.aggregates.function import FunctionState
from table_runtime.changelog.slot_groups import Slots

__all__ = ["MergeableState"]


class MergeableState(FunctionState):
    """State of values that are never retracted: values are added without results, and the states of several slots make one."""

    def can_insert(self, args: Sequence[pa.Array]) -> bool:
        """Whether ``insert`` cannot fail for these rows; if it can, ``advance`` adds them, and says which row fails."""
        return True

    @abstractmethod
    def insert(self, args: Sequence[pa.Array], slots: Slots) -> None:
        """Adds rows, in their order, to the state of their slots. Slots without rows have not been used before."""

    @abstractmethod
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        """Adds the states of some slots of ``other``, in this order, to those of the slots ``into``.

        Raises:
            TableRuntimeException: a result overflows its type; ``failed_row`` is its position in ``slots``.
        """
