"""A source that adds computed columns to the rows that it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.converters import ComputedColumnConverter


class SupportsComputedColumnPushDown(ABC):
    """Accepts the computed columns that a pushed watermark needs.

    They are pushed only if the source also has ``SupportsWatermarkPushDown`` and the watermark refers to them; otherwise they are
    computed above the scan, with the same rows.

    Source: FLIP-95, which describes it; Flink has no such class.

    Example:
        >>> class Topic(SupportsComputedColumnPushDown):
        ...     def apply_computed_column(self, converter):
        ...         self.converter = converter  # goes into the runtime provider
        >>> issubclass(Topic, SupportsComputedColumnPushDown)
        True
    """

    @abstractmethod
    def apply_computed_column(self, converter: ComputedColumnConverter) -> None:
        """Gives the source the converter that appends the computed columns to each row.

        The converter is pickled with the provider and opened once in each task. Type: ``converter.produced_type``.
        """
