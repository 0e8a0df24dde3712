"""A source that assigns watermarks per split."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.watermarks import WatermarkAssignerProvider


class SupportsWatermarkPushDown(ABC):
    """Accepts the table's WATERMARK, so that a slow split holds the watermark back and its rows are not late.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown``.

    Example:
        >>> class Topic(SupportsWatermarkPushDown):
        ...     def apply_watermark(self, watermark_assigner):
        ...         self.watermark_assigner = watermark_assigner  # goes into the runtime provider
        >>> issubclass(Topic, SupportsWatermarkPushDown)
        True
    """

    @abstractmethod
    def apply_watermark(self, watermark_assigner: WatermarkAssignerProvider) -> None:
        """Gives the source the provider of an assigner for each split.

        The assigner reads rows as the source produces them, computed columns of ``SupportsComputedColumnPushDown`` included. The rows of a split
        go to its assigner in order, in batches of any size (``watermarks_before``), and the snapshot of the assigner belongs to the offset up to which
        the split was read. The provider is pickled with the runtime provider. A job in batch mode has no watermarks, and this is not called. A
        provider that is read as batches need not run the assigner: the embedded engine makes the watermarks of its rows above the scan.
        """
