"""The root of table sinks: writing rows or changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from table_common.connector.changelog_mode import ChangelogMode
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.data import DataStructureConverter
    from table_common.types import DataType


class DynamicTableSink(ABC):
    """Describes how a table is written; planning changes a copy of it through the abilities it declares.

    Source: Flink's ``org.apache.flink.table.connector.sink.DynamicTableSink``.

    Example:
        >>> from table_common.connector import ChangelogMode, FileSinkProvider
        >>> from table_common.types import parse_logical_type
        >>> class Files(DynamicTableSink):
        ...     def get_sink_runtime_provider(self, context):
        ...         return FileSinkProvider("/data/orders", "csv", parse_logical_type("ROW<id INT> NOT NULL"))
        >>> str(Files().get_changelog_mode(ChangelogMode.all()))
        '[+I]'
        >>> Files().get_sink_runtime_provider(DynamicTableSink.SinkContext()).path
        '/data/orders'
    """

    @dataclass(frozen=True, slots=True)
    class SinkContext:
        """The context in which a sink creates its runtime provider."""

        is_bounded: bool = True
        """Whether the job runs in batch mode."""
        target_columns: tuple[tuple[int, ...], ...] | None = None
        """The column list of the INSERT as paths of positions into the consumed row; None if there is none."""
        has_row_kinds: bool = False
        """Whether batches have an int8 column of row kinds (``RowKind.value``), named ``$row_kind``, after the consumed columns."""
        local_time_zone: str = "UTC"
        """The session's time zone: an IANA name, or an offset such as ``+02:00``."""

        def create_data_structure_converter(self, consumed_data_type: DataType) -> DataStructureConverter:
            """Returns a converter from internal structures to Python values of this type; it is pickled with the provider and opened once
            in a task. Whole batches: ``table_common.arrow.RowBatchConverter``.
            """
            from table_common.configuration import time_zone_of
            from table_common.data import DataStructureConverter

            return DataStructureConverter(consumed_data_type, time_zone=time_zone_of(self.local_time_zone))

    class SinkRuntimeProvider(ABC):  # noqa: B024  # a marker: planners know a few kinds
        """The part of a sink that runs; planners accept the classes of ``table_common.connector.providers``."""

    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        """Returns the changelog mode that the sink accepts, given that of the statement; by default insert-only.

        A statement with row kinds that the sink does not accept is refused. Batches hold row kinds (``SinkContext.has_row_kinds``) only if the
        statement is not insert-only. A sink that answers ``ChangelogMode.upsert()`` stores rows by the table's primary key: a query with another upsert
        key needs ON CONFLICT. A sink that contains UPDATE_BEFORE whatever the statement has writes every change as it is, for any key.
        """
        return ChangelogMode.insert_only()

    @abstractmethod
    def get_sink_runtime_provider(self, context: SinkContext) -> SinkRuntimeProvider:
        """Returns the runtime provider, with all applied abilities."""

    def copy(self) -> Self:
        """Returns an independent copy; by default an object with the same attributes, of which abilities change none in place."""
        import copy

        return copy.copy(self)

    def as_summary_string(self) -> str:
        """Returns a short text for plans and logs, without secrets; by default the name of the class."""
        return type(self).__name__
