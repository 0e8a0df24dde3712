"""Converters that the planner supplies to a source: computed columns."""

from __future__ import annotations

from abc import abstractmethod

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.data import RowData, RuntimeConverter
from table_common.types import RowType


class ComputedColumnConverter(RuntimeConverter):
    """Adds computed columns to rows of physical columns; pickled before ``open``, opened once in a task.

    Source: FLIP-95, which describes it; Flink has no such class.

    Example:
        >>> from table_common.data import GenericRowData
        >>> class Doubled(ComputedColumnConverter):
        ...     produced_type = None
        ...     def open(self, context):
        ...         pass
        ...     def convert(self, row):
        ...         return GenericRowData.of(row.get_int(0), 2 * row.get_int(0))
        ...     def convert_batch(self, batch):
        ...         return batch.append_column("doubled", [2 * value for value in batch.column(0).to_pylist()])
        >>> Doubled().convert(GenericRowData.of(21))
        +I(21, 42)
    """

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
