"""The root of table sources, and the scan: reading all rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from table_common.connector.changelog_mode import ChangelogMode
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.data import DataStructureConverter
    from table_common.types import DataType


class DynamicTableSource(ABC):  # noqa: B024  # what is abstract comes with scans and lookups
    """Describes how a table is read; planning changes a copy of it through the abilities it declares.

    Source: Flink's ``org.apache.flink.table.connector.source.DynamicTableSource``.

    Example:
        >>> class Pages(ScanTableSource):
        ...     def __init__(self, limit=None):
        ...         self.limit = limit
        ...     def get_scan_runtime_provider(self, context):
        ...         return PagesProvider(self.limit)
        >>> source = Pages()
        >>> copied = source.copy()
        >>> copied.limit = 3
        >>> source.limit, copied.limit, source.as_summary_string()
        (None, 3, 'Pages')
    """

    def copy(self) -> Self:
        """Returns an independent copy: abilities applied to one do not affect the other.

        By default a shallow copy, so abilities must assign new values to attributes and not change them in place.
        """
        import copy

        return copy.copy(self)

    def as_summary_string(self) -> str:
        """Returns a short text for plans and logs, without secrets; by default the name of the class."""
        return type(self).__name__


class ScanTableSource(DynamicTableSource):
    """A source that can be read from beginning to end.

    Source: Flink's ``org.apache.flink.table.connector.source.ScanTableSource``.

    Example:
        >>> from table_common.connector import FileScanProvider
        >>> class Files(ScanTableSource):
        ...     def __init__(self, row_type):
        ...         self.row_type = row_type
        ...     def get_scan_runtime_provider(self, context):
        ...         return FileScanProvider(("/data/orders",), "csv", self.row_type, self.row_type)
        >>> from table_common.types import parse_logical_type
        >>> source = Files(parse_logical_type("ROW<id INT> NOT NULL"))
        >>> source.get_scan_runtime_provider(ScanTableSource.ScanContext()).format
        'csv'
    """

    @dataclass(frozen=True, slots=True)
    class ScanContext:
        """The context in which a source creates its runtime provider."""

        is_bounded_required: bool = True
        """Whether the job runs in batch mode."""
        local_time_zone: str = "UTC"
        """The session's time zone: an IANA name, or an offset such as ``+02:00``."""

        def create_data_structure_converter(self, produced_data_type: DataType) -> DataStructureConverter:
            """Returns a converter from Python values of this type to internal structures; it is pickled with the provider and opened once
            in a task. Whole batches: ``table_common.arrow.RowBatchConverter``.
            """
            from table_common.configuration import time_zone_of
            from table_common.data import DataStructureConverter

            return DataStructureConverter(produced_data_type, time_zone=time_zone_of(self.local_time_zone))

    class ScanRuntimeProvider(ABC):
        """The part of a source that runs; planners accept the classes of ``table_common.connector.providers``."""

        @property
        @abstractmethod
        def is_bounded(self) -> bool:
            """Whether the input is bounded."""

    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the changelog mode that the source produces; by default insert-only."""
        return ChangelogMode.insert_only()

    @abstractmethod
    def get_scan_runtime_provider(self, context: ScanContext) -> ScanRuntimeProvider:
        """Returns the runtime provider, with all applied abilities."""
