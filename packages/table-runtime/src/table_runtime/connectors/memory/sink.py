"""Writes a memory table: rows are buffered in the client's process and become visible with the commit."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence, Set

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_filter
from table_common.catalog import Column
from table_common.connector import (
    ArrowSinkProvider,
    ChangelogMode,
    CommitContext,
    CommitMessage,
    DynamicTableSink,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sink.abilities import (
    RowLevelDeleteMode,
    RowLevelUpdateMode,
    StagedTable,
    SupportsBucketing,
    SupportsDeletePushDown,
    SupportsOverwrite,
    SupportsPartitioning,
    SupportsRowLevelDelete,
    SupportsRowLevelUpdate,
    SupportsStaging,
    SupportsTargetColumnWriting,
    SupportsTruncate,
    SupportsWritingMetadata,
)
from table_common.connector.source.abilities import RowLevelModificationScanContext
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import LogicalType, RowType
from table_runtime.connectors.memory.changes import MemoryChange
from table_runtime.connectors.memory.definition import METADATA, MemoryDefinition
from table_runtime.connectors.memory.tables import change_rows, drop_memory_table, put_memory_table, read_memory_table, rows_of


@dataclass
class MemoryTableSink(
    DynamicTableSink,
    SupportsOverwrite,
    SupportsPartitioning,
    SupportsWritingMetadata,
    SupportsTargetColumnWriting,
    SupportsBucketing,
    SupportsRowLevelDelete,
    SupportsRowLevelUpdate,
    SupportsDeletePushDown,
    SupportsTruncate,
    SupportsStaging,
):
    """Appends rows; in a table with a primary key, a row replaces the row with the same key."""

    definition: MemoryDefinition
    change: MemoryChange
    target: str
    """The name of the written table; during staging a temporary one."""
    condition: tuple[ResolvedExpression, ...] = field(default=())

    @override
    def as_summary_string(self) -> str:
        return f"memory({self.definition.name})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        # Rows are stored by the primary key; without one, a change finds its row by all columns.
        return ChangelogMode.upsert() if self.definition.primary_key else ChangelogMode.all()

    @override
    def apply_overwrite(self, overwrite: bool) -> None:
        self.change = replace(self.change, overwrite=overwrite)

    @override
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        self.change = replace(self.change, static_partition=dict(partition))

    @override
    def list_writable_metadata(self) -> Mapping[str, LogicalType]:
        return METADATA

    @override
    def apply_writable_metadata(self, metadata_keys: Sequence[str], consumed_type: RowType) -> None:
        columns = (*self.definition.physical_type.field_names, *map(self.definition.metadata_column, metadata_keys))
        self.change = replace(self.change, columns=columns)

    @override
    def apply_target_columns(self, columns: Sequence[Sequence[int]]) -> bool:
        self.change = replace(self.change, targets=tuple(position for (position,) in columns))
        return bool(self.definition.primary_key)

    @override
    def list_algorithms(self) -> Set[str]:
        return {"HASH"}

    @override
    def requires_bucket_count(self) -> bool:
        return True

    # --- DELETE, UPDATE, TRUNCATE -------------------------------------------------------------------------------------------------

    @override
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        if self.definition.row_level_mode == "ALL":
            self.change = replace(self.change, overwrite=True, whole=True)
            return self.RowLevelDeleteInfo(row_level_delete_mode=RowLevelDeleteMode.REMAINING_ROWS)
        columns = self.definition.primary_key or self.definition.physical_type.field_names
        self.change = replace(self.change, columns=columns)
        return self.RowLevelDeleteInfo(columns)

    @override
    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        keys = self.definition.primary_key
        if self.definition.row_level_mode == "ALL" or not keys or any(column.name in keys for column in updated_columns):
            self.change = replace(self.change, overwrite=True, whole=True)
            return self.RowLevelUpdateInfo(row_level_update_mode=RowLevelUpdateMode.ALL_ROWS)
        columns = (*keys, *(column.name for column in updated_columns))
        self.change = replace(self.change, columns=columns, targets=tuple(range(len(columns))))
        return self.RowLevelUpdateInfo(columns)

    @override
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        if not self.definition.push_down:
            return False
        _, _, remaining = to_arrow_filter(filters, self.definition.physical_type)
        self.condition = tuple(filters)
        return not remaining

    @override
    def execute_deletion(self) -> int | None:
        condition, _, _ = to_arrow_filter(self.condition, self.definition.physical_type)
        deleted = 0

        def without(rows: pa.Table) -> pa.Table:
            nonlocal deleted
            remaining = rows.slice(0, 0)
            if condition is not None:
                numbered = rows.append_column("$number", pa.array(range(rows.num_rows), pa.int64()))
                deleted_positions = numbered.filter(condition).column("$number")
                remaining = rows.filter(pc.invert(pc.is_in(numbered.column("$number"), value_set=deleted_positions.combine_chunks())))
            deleted = rows.num_rows - remaining.num_rows
            return remaining

        change_rows(self.definition.name, self.definition.schema, without)
        return deleted

    @override
    def execute_truncation(self) -> None:
        put_memory_table(self.definition.name, self.definition.schema.empty_table())

    # --- staging and writing ------------------------------------------------------------------------------------------------------

    @override
    def apply_staging(self, context: SupportsStaging.StagingContext) -> StagedTable:
        self.target = f"{self.definition.name}$staged-{uuid.uuid4().hex}"
        return _Staged(self.definition, self.target)

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        change = replace(self.change, has_row_kinds=context.has_row_kinds)
        schema = self.definition.schema
        return _Provider(lambda rows, commit: change_rows(self.target, schema, lambda old: change.applied(old, rows), commit))


@dataclass(frozen=True)
class _Staged(StagedTable):
    definition: MemoryDefinition
    target: str

    @override
    def begin(self) -> None:
        put_memory_table(self.target, self.definition.schema.empty_table())

    @override
    def commit(self) -> None:
        put_memory_table(self.definition.name, rows_of(read_memory_table(self.target), self.definition.schema))
        drop_memory_table(self.target)

    @override
    def abort(self) -> None:
        drop_memory_table(self.target)


@dataclass(frozen=True)
class _Provider(ArrowSinkProvider):
    apply: Callable[[Sequence[pa.RecordBatch], CommitContext], None]

    @property
    @override
    def message_class(self) -> type:
        return _Held

    @property
    @override
    def is_local(self) -> bool:
        return True  # the rows are in this process

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer()

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(self.apply, context)


@dataclass(frozen=True)
class _Held:
    """The message of a writer: the name of its rows, which wait in this process, as the table is in it."""

    rows: str


_ROWS: dict[str, list[pa.RecordBatch]] = {}
"""The rows that wait for their commit."""


class _Writer(SinkWriter):
    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        self._batches.append(import_batch(batch))

    @override
    def prepare_commit(self) -> CommitMessage:
        message = _Held(uuid.uuid4().hex)
        _ROWS[message.rows] = self._batches
        return message

    @override
    def abort(self) -> None:
        self._batches.clear()


@dataclass(frozen=True)
class _Committer(SinkCommitter):
    apply: Callable[[Sequence[pa.RecordBatch], CommitContext], None]
    context: CommitContext

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        held = [message.rows for message in messages if isinstance(message, _Held)]
        self.apply([batch for name in held for batch in _ROWS.get(name, ())], self.context)
        _forget(held)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        _forget([message.rows for message in messages if isinstance(message, _Held)])


def _forget(names: Sequence[str]) -> None:
    for name in names:
        _ROWS.pop(name, None)
