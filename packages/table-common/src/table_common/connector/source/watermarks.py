"""Watermarks that a source assigns while it reads: the progress of event time in a split.

Times are milliseconds since 1970-01-01: UTC for TIMESTAMP_LTZ, local for TIMESTAMP columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import timedelta

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.data import RowData, RuntimeConverter
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass


class WatermarkAssigner(ABC):
    """Computes the watermark after the rows seen so far; one assigner for each split, used by one thread.

    Source: Flink's ``org.apache.flink.api.common.eventtime.WatermarkGenerator``.

    Example:
        >>> from table_common.data import GenericRowData
        >>> class Greatest(WatermarkAssigner):
        ...     watermark = None
        ...     def open(self, context):
        ...         pass
        ...     def on_batch(self, batch):
        ...         raise NotImplementedError("this one takes single rows")
        ...     def on_row(self, row):
        ...         self.watermark = max(row.get_long(0), self.watermark or 0)
        ...         return self.watermark
        ...     def current_watermark(self):
        ...         return self.watermark
        >>> assigner = Greatest()
        >>> [assigner.on_row(GenericRowData.of(time)) for time in (1_000, 3_000, 2_000)]
        [1000, 3000, 3000]
    """

    interval = timedelta(0)
    """By how much event time must move after a watermark for the next one, in ``watermarks_before``; the provider sets it."""

    @abstractmethod
    def open(self, context: RuntimeConverter.Context) -> None:
        """Prepares the assigner; called once in the task, before rows and before ``restore``."""

    @abstractmethod
    def on_batch(self, batch: SupportsArrowArray) -> int | None:
        """Takes a batch of the produced type and returns the watermark after its last row; None if there is none yet.

        NULL in the time column does not change the watermark. Watermarks never decrease.
        """

    @abstractmethod
    def on_row(self, row: RowData) -> int | None:
        """Does the same for one row."""

    @abstractmethod
    def current_watermark(self) -> int | None:
        """Returns the watermark of all rows seen so far, without new ones."""

    def watermarks_before(self, batch: SupportsArrowArray) -> SupportsArrowArray:
        """Takes a batch as ``on_batch`` does, and returns a batch with one column: the watermark in force before each row, in milliseconds.

        The column is ``watermark`` BIGINT, NULL before the first watermark. A row is late for an operator if its time is not after this watermark,
        so the result of a job does not depend on the size of batches. A watermark is emitted after a row if the greatest value so far exceeds
        the last watermark by more than ``interval``.

        Raises:
            TableException: the assigner does not know the watermark of each row.
        """
        raise TableException(f"The watermark assigner {type(self).__name__} has only the watermark after a batch.")

    def snapshot(self) -> object:
        """Returns the progress so far as a JSON value, which ``restore`` takes; a source keeps it beside the offset of the split.

        Raises:
            TableException: the assigner cannot be restored.
        """
        raise TableException(f"The watermark assigner {type(self).__name__} has no snapshots.")

    def restore(self, snapshot: object) -> None:
        """Continues from a snapshot; called after ``open``.

        Raises:
            TableException: the assigner cannot be restored.
        """
        raise TableException(f"The watermark assigner {type(self).__name__} has no snapshots.")


class WatermarkAssignerProvider(ABC):
    """Creates assigners; pickled with the source's provider.

    Source: Flink's ``org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier``.

    Example:
        >>> issubclass(PeriodicAssignerProvider, WatermarkAssignerProvider)
        True
    """

    @abstractmethod
    def create_assigner(self) -> WatermarkAssigner:
        """Returns an assigner that is not open yet."""


@dataclass(frozen=True, slots=True)
class PeriodicAssignerProvider(WatermarkAssignerProvider):
    """Watermarks that are emitted every ``interval``: of event time in ``watermarks_before``, else of the source's clock while rows arrive.

    Source: FLIP-95, which describes it; Flink's connectors get a ``org.apache.flink.api.common.eventtime.WatermarkStrategy``.

    Example:
        >>> from types import SimpleNamespace
        >>> assigner = SimpleNamespace()  # in a job, the one that the planner made of the WATERMARK
        >>> PeriodicAssignerProvider(assigner, timedelta(seconds=1)).create_assigner().interval
        datetime.timedelta(seconds=1)
    """

    assigner: WatermarkAssigner
    interval: timedelta = timedelta(milliseconds=200)

    def create_assigner(self) -> WatermarkAssigner:
        """Returns a copy of the assigner, with the interval."""
        from copy import deepcopy

        assigner = deepcopy(self.assigner)
        assigner.interval = self.interval
        return assigner


@dataclass(frozen=True, slots=True)
class PunctuatedAssignerProvider(WatermarkAssignerProvider):
    """Watermarks that are emitted after every batch (or row) that advances them.

    Source: FLIP-95, which describes it; Flink's connectors get a ``org.apache.flink.api.common.eventtime.WatermarkStrategy``.

    Example:
        >>> assigner = [0]  # in a job, the one that the planner made of the WATERMARK
        >>> PunctuatedAssignerProvider(assigner).create_assigner() is assigner
        False
    """

    assigner: WatermarkAssigner

    def create_assigner(self) -> WatermarkAssigner:
        """Returns a copy of the assigner."""
        from copy import deepcopy

        return deepcopy(self.assigner)
