"""Writing the rows of a query into a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_api.operations.operation import ModifyOperation
from table_api.operations.query.source import ContextResolvedTable
from table_common.annotation import override
from table_common.connector import DynamicTableSink
from table_common.frozen_dataclass import dataclass, field

__all__ = ["SinkModifyOperation"]


@dataclass(frozen=True, slots=True)
class SinkModifyOperation(ModifyOperation):
    """The rows go to a table; the child's columns are already those of the table's persisted columns, in order and cast.

    ``sink`` is made by the connector's factory when planning begins, with overwrite and static partition applied.
    """

    table: ContextResolvedTable
    static_partition: Mapping[str, str] = field(default_factory=dict, hash=False)
    overwrite: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    sink: DynamicTableSink | None = field(default=None, compare=False)

    @property
    @override
    def summary_name(self) -> str:
        return "Sink"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "table", self.table.identifier.as_summary_string()
        if self.sink is not None:
            yield "sink", self.sink.as_summary_string()
        if self.overwrite:
            yield "overwrite", True
        if self.static_partition:
            yield "partition", dict(self.static_partition)
        yield "fields", list(self.child.resolved_schema.column_names)
