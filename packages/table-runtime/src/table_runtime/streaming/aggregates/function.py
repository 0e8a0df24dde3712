"""The base class of aggregate functions over changelogs."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence, Set
from typing import ClassVar

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates.group_failures import first_failing
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.state_table import StateTable


def rows_within(limit: int, largest: int, growth: float = 1) -> int:
    """Returns how many rows to apply at once, so that the total size of their results is about ``limit`` elements.

    The result after row ``n`` has at most ``largest + n * growth`` elements: ``n * largest + n * n * growth = limit``.
    """
    return max(1, int((math.sqrt(largest**2 + 4 * growth * limit) - largest) / (2 * growth)))


class FunctionState(StateTable):
    """The state of one aggregate call in one run, by slot.

    ``advance`` returns the result after every row, so that each change can be emitted. Results do not depend on where the input is cut into
    batches. ``ignored`` holds the positions of the sorted rows of the last batch that retract values which do not exist, as far as the state
    can detect them; they change nothing.
    """

    keeps: ClassVar[str]
    """The state of a group, as described in the reference."""
    cost: ClassVar[str] = "constant"
    """The time per row, as described in the reference."""
    ignored: Set[int] = frozenset()
    failed_row: int | None = None
    """The position of the sorted row for which ``advance`` failed."""

    def finished(self, finish: Callable[[int, int], pa.Array], rows: int) -> pa.Array:
        """Applies ``finish``, which takes the bounds of a range of rows, to all rows; records the row for which it fails."""
        try:
            return finish(0, rows)
        except TableRuntimeException:
            self.failed_row = first_failing(finish, rows)
            raise

    @abstractmethod
    def reserve(self, size: int) -> None:
        """Allocates the slots below ``size``."""

    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        """Returns how many rows of a batch to apply at once: fewer if the results are large."""
        return BATCH_ROWS

    @abstractmethod
    def current(self, slots: Slots) -> pa.Array:
        """Returns the current results of some slots."""

    @abstractmethod
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        """Applies the rows of a batch, sorted by slot, and returns the result after each of them.

        Args:
            args: The argument columns, then the order keys.
            signs: 1 for a row that is added, -1 for one that is retracted, 0 for one that is ignored.
            segments: The rows of each slot, and which results are needed.

        Raises:
            TableRuntimeException: a result overflows its type.
        """
