"""Writing the rows of a query into a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_api.operations.operation import ModifyOperation
from table_api.operations.query.project import ProjectQueryOperation
from table_api.operations.query.source import ContextResolvedTable
from table_common.annotation import override
from table_common.catalog import Column
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import DynamicTableSink, RowKind
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BinaryStringType, CharacterType, LogicalType, RequiredPart, length_limits, required_parts

_CASTS = (BUILT_INS_BY_NAME["CAST"], BUILT_INS_BY_NAME["TRY_CAST"])


@dataclass(frozen=True, slots=True)
class SinkModifyOperation(ModifyOperation):
    """The rows go to a table; the child's columns are already those that the sink consumes, in order and cast.

    ``sink`` is made by the connector's factory when planning begins, with all applied that the statement says. ``consumed`` are the columns
    that it consumes; None means the persisted columns of the table. ``row_kind`` is of the rows of a DELETE or UPDATE: the child then has a
    column of row kinds (TINYINT NOT NULL) after the consumed ones. With ``has_row_kinds`` the rows are changes of a streaming query, and the
    engine adds that column. ``target_columns`` is the column list of an INSERT, as positions. ``on_conflict`` (ERROR, NOTHING or DEDUPLICATE) says
    which of several rows with one primary key is written; with ``upsert_materialize`` they are kept in front of the sink.
    """

    table: ContextResolvedTable
    static_partition: Mapping[str, str] = field(default_factory=dict, hash=False)
    overwrite: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    sink: DynamicTableSink | None = field(default=None, compare=False)
    target_columns: tuple[int, ...] | None = None
    consumed: tuple[Column, ...] | None = None
    row_kind: RowKind | None = None
    has_row_kinds: bool = False
    on_conflict: str | None = None
    upsert_materialize: bool = False

    @property
    @override
    def insertions(self) -> tuple[SinkModifyOperation]:
        return (self,)

    @property
    @override
    def target_name(self) -> str:
        return self.table.identifier.as_summary_string()

    @property
    @override
    def conflict_strategy(self) -> str | None:
        return self.on_conflict

    @property
    @override
    def keeps_rows(self) -> bool:
        return self.upsert_materialize or self.on_conflict is not None

    @property
    def consumed_columns(self) -> tuple[Column, ...]:
        """The columns of the table that the rows hold, without the column of row kinds."""
        if self.consumed is not None:
            return self.consumed
        return tuple(column for column in self.table.table.resolved_schema.columns if column.is_persisted())

    def length_enforced_columns(self, configuration: ReadableConfig) -> dict[int, LogicalType]:
        """Returns the consumed columns whose values an engine has to fit to the lengths of their types, or to check, by position.

        Columns whose values are known to fit are not among them, nor any where ``table.exec.sink.type-length-enforcer`` is IGNORE.
        """
        mode = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER)
        legacy = configuration.get(ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR) == "ENABLED"
        if mode == "IGNORE" or (mode == "TRIM_PAD" and legacy):
            return {}
        columns = dict(enumerate(column.data_type for column in self.consumed_columns))
        limited = {index: type_ for index, type_ in columns.items() if any(length_limits(type_, ""))}
        if legacy or not isinstance(self.child, ProjectQueryOperation):
            return limited
        values = self.child.projection
        return {index: type_ for index, type_ in limited.items() if not _is_known_to_fit(values[index], type_)}

    def nested_required_parts(self, configuration: ReadableConfig) -> list[tuple[int, RequiredPart]]:
        """Returns the NOT NULL parts inside of consumed columns, with the positions of the columns, that an engine has to check.

        ``table.exec.sink.nested-constraint-enforcer`` says which; none by default.
        """
        mode = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_NESTED_CONSTRAINT_ENFORCER)
        if mode == "IGNORE":
            return []
        return [
            (index, part)
            for index, column in enumerate(self.consumed_columns)
            for part in required_parts(column.data_type, column.name, of_collections=mode == "ROWS_AND_COLLECTIONS")
        ]

    def sink_context(self, *, is_bounded: bool, local_time_zone: str) -> DynamicTableSink.SinkContext:
        """Returns the context with which the sink creates its runtime provider."""
        targets = tuple((position,) for position in self.target_columns) if self.target_columns is not None else None
        return DynamicTableSink.SinkContext(is_bounded, targets, self.row_kind is not None or self.has_row_kinds, local_time_zone)

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
        if self.target_columns is not None:
            yield "targetColumns", [self.consumed_columns[position].name for position in self.target_columns]
        if self.row_kind is not None:
            yield "rowKind", self.row_kind.name
        if self.upsert_materialize:
            yield "upsertMaterialize", "true"
        if self.on_conflict is not None:
            yield "conflictStrategy", self.on_conflict
        yield "fields", list(self.child.resolved_schema.column_names)


def _is_known_to_fit(value: ResolvedExpression, type_: LogicalType) -> bool:
    """Returns whether a value is NULL, or text or bytes made by a cast from a type without a length, which cuts and pads."""
    if isinstance(value, ValueLiteralExpression):
        return value.value is None
    if not (isinstance(value, CallExpression) and value.function in _CASTS and isinstance(type_, (CharacterType, BinaryStringType))):
        return False
    same = value.output_type.with_nullability(True) == type_.with_nullability(True)
    return same and not any(length_limits(value.args[0].output_type, ""))
