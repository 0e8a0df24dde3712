"""Converters that the planner supplies to a source: computed columns."""

from __future__ import annotations

from abc import abstractmethod

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.data import RowData, RuntimeConverter
from table_common.types import RowType

__all__ = ["ComputedColumnConverter"]


class ComputedColumnConverter(RuntimeConverter):
    """Adds computed columns to rows of physical columns; pickled before ``open``, opened once in a task."""

    __slots__ = ()

    @property
    @abstractmethod
    def produced_type(self) -> RowType:
        """The columns that the source produces, then the computed ones, in the order of the table's definition."""

    @abstractmethod
    def convert(self, row: RowData) -> RowData:
        """Returns the row with computed columns; its row kind is kept."""

    @abstractmethod
    def convert_batch(self, batch: SupportsArrowArray) -> SupportsArrowArray:
        """Returns as many rows, in the same order, with computed columns."""
