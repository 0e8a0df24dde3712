"""The root of table sources, and the scan: reading all rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from table_common.connector.changelog_mode import ChangelogMode
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.data import DataStructureConverter
    from table_common.types import DataType

__all__ = ["DynamicTableSource", "ScanTableSource"]


class DynamicTableSource(ABC):  # noqa: B024  # what is abstract comes with scans and lookups
    """Describes how a table is read; planning changes a copy of it through the abilities it declares."""

    def copy(self) -> Self:
        """Returns an independent copy: what is applied to one is not seen by the other.

        By default an object with the same attributes; so abilities assign new values to attributes and change none in place.
        """
        import copy

        return copy.copy(self)

    def as_summary_string(self) -> str:
        """Returns a short text for plans and logs, without secrets; by default the name of the class."""
        return type(self).__name__


class ScanTableSource(DynamicTableSource):
    """A source that can be read from beginning to end."""

    @dataclass(frozen=True, slots=True)
    class ScanContext:
        """What a source may ask while it makes its provider."""

        is_bounded_required: bool = True
        """Whether the job runs in batch mode."""
        local_time_zone: str = "UTC"
        """The session's time zone: an IANA name, or an offset such as ``+02:00``."""

        def create_data_structure_converter(self, produced_data_type: DataType) -> DataStructureConverter:
            """Returns what turns a program's values of this type into internal structures; to be pickled with the provider and opened once
            in a task. Whole batches: ``table_common.arrow.RowBatchConverter``.
            """
            from table_common.configuration import time_zone_of
            from table_common.data import DataStructureConverter

            return DataStructureConverter(produced_data_type, time_zone=time_zone_of(self.local_time_zone))

    class ScanRuntimeProvider(ABC):
        """What really reads; planners know a few kinds, see ``table_common.connector.providers``."""

        @property
        @abstractmethod
        def is_bounded(self) -> bool:
            """Whether the data ends."""

    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the kinds of change that this source produces; by default insertions only."""
        return ChangelogMode.insert_only()

    @abstractmethod
    def get_scan_runtime_provider(self, context: ScanContext) -> ScanRuntimeProvider:
        """Returns what reads the data, with everything applied that the abilities were given."""
