"""A source that generates watermarks."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SupportsSourceWatermark(ABC):
    """Takes ``WATERMARK FOR t AS SOURCE_WATERMARK()``.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark``.

    Example:
        >>> class Topic(SupportsSourceWatermark):
        ...     has_watermarks = False
        ...     def apply_source_watermark(self):
        ...         self.has_watermarks = True
        >>> source = Topic()
        >>> source.apply_source_watermark()
        >>> source.has_watermarks
        True
    """

    @abstractmethod
    def apply_source_watermark(self) -> None:
        """Tells the source to emit its own watermarks; not called in batch mode, which has no watermarks."""
