"""The base class of window functions, which compute one value per sorted row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.sorted_rows import SortedRows

Check = Callable[[], None]
"""Raises if the job was cancelled; called between steps of long work."""


class WindowFunction(ABC):
    """One call of a window function; stateless."""

    @abstractmethod
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        """Returns the results in the order of the rows.

        ``args`` are columns in that order or scalars. ``frames`` is None for functions without frames. If the call has a FILTER, frames and
        columns have only the rows that pass it.
        """
