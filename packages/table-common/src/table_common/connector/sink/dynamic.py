"""The root of table sinks: writing rows or changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from table_common.connector.changelog_mode import ChangelogMode
from table_common.frozen_dataclass import dataclass

__all__ = ["DynamicTableSink"]


class DynamicTableSink(ABC):
    """Describes how a table is written; planning changes a copy of it through the abilities it declares."""

    @dataclass(frozen=True, slots=True)
    class SinkContext:
        """What a sink may ask while it makes its provider."""

        is_bounded: bool = True
        """Whether the job runs in batch mode."""

    class SinkRuntimeProvider(ABC):  # noqa: B024  # a marker: planners know a few kinds
        """What really writes; planners know a few kinds, see ``table_common.connector.providers``."""

    @abstractmethod
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        """Returns the kinds of change that this sink takes, given those that the query makes."""

    @abstractmethod
    def get_sink_runtime_provider(self, context: SinkContext) -> SinkRuntimeProvider:
        """Returns what writes the data, with everything applied that the abilities were given."""

    @abstractmethod
    def copy(self) -> Self:
        """Returns an independent copy."""

    @abstractmethod
    def as_summary_string(self) -> str:
        """Returns a short text for plans and logs, without secrets."""
