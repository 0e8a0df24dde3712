"""Rows of a table that planning looks at, to know how many rows a predicate keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence

import pyarrow as pa

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class TableSample:
    """Some rows of a table, or all if ``is_complete``: ``columns`` by name, ``rows`` long each."""

    columns: Mapping[str, pa.Array]
    rows: int
    is_complete: bool
    version: Hashable = None
    """Equal values identify the same rows of the same table; None: nothing is known, so nothing about the sample is kept."""


class SupportsSample(ABC):
    """A source that shows a few of its rows while a statement is planned. Only estimates depend on them, never results."""

    @abstractmethod
    def sample(self, columns: Sequence[str]) -> TableSample | None:
        """Returns rows with these produced columns; None if there are none that are cheap to read, and after errors of reading.

        Filters and limits that the source has accepted are not applied. Calls with other columns return the same rows.
        """
