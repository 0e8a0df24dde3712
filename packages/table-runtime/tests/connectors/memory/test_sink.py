"""Writing of memory tables: commits, deletions, updates, truncation and staging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.catalog import PhysicalColumn
from table_common.connector import ArrowSinkProvider, ChangelogMode, CommitContext, DynamicTableSink, RowKind, WriterContext
from table_common.connector.sink.abilities import RowLevelDeleteMode, RowLevelUpdateMode, StagingPurpose, SupportsStaging
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin.comparison import EQUALS, GREATER_THAN
from table_common.types import BooleanType, IntType, RowType, parse_logical_type
from table_runtime.connectors.memory import put_memory_table, read_memory_table
from table_runtime.connectors.memory.changes import MemoryChange
from table_runtime.connectors.memory.definition import MemoryDefinition
from table_runtime.connectors.memory.sink import MemoryTableSink
from table_runtime.connectors.memory.tables import rows_of

Define = Callable[..., MemoryDefinition]
Row = tuple[Any, ...]
COLUMNS = {"id": "INT", "s": "STRING"}


def sink_of(definition: MemoryDefinition) -> MemoryTableSink:
    return MemoryTableSink(definition, MemoryChange(definition, definition.physical_type.field_names), definition.name)


def provider_of(sink: MemoryTableSink, *, has_row_kinds: bool = False) -> ArrowSinkProvider:
    provider = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext(has_row_kinds=has_row_kinds))
    assert isinstance(provider, ArrowSinkProvider)
    return provider


def batch(*rows: Row, types: Sequence[pa.DataType] = (pa.int32(), pa.string())) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)], names=[f"c{i}" for i in range(len(types))]
    )


def write(
    sink: MemoryTableSink, *rows: Row, job: str = "job", has_row_kinds: bool = False, types: Sequence[Any] = (pa.int32(), pa.string())
) -> None:
    provider = provider_of(sink, has_row_kinds=has_row_kinds)
    writer = provider.create_writer(WriterContext(job))
    writer.write(batch(*rows, types=types))
    provider.create_committer(CommitContext(job)).commit([writer.prepare_commit()])


def stored(definition: MemoryDefinition) -> list[Row]:
    found = read_memory_table(definition.name)
    names = definition.physical_type.field_names
    return [tuple(row[name] for name in names) for row in rows_of(found, definition.schema).to_pylist()]


def test_rows_become_visible_with_the_commit_of_all_writers(define: Define) -> None:
    definition = define(COLUMNS)
    provider = provider_of(sink_of(definition))
    first, second = provider.create_writer(WriterContext("j")), provider.create_writer(WriterContext("j"))
    first.write(batch((1, "a")))
    second.write(batch((2, None)))
    assert stored(definition) == []
    provider.create_committer(CommitContext("j")).commit([first.prepare_commit(), second.prepare_commit()])
    assert stored(definition) == [(1, "a"), (2, None)]


def test_each_epoch_of_a_job_adds_its_rows_once(define: Define) -> None:
    definition = define(COLUMNS)
    provider = provider_of(sink_of(definition))
    for epoch in (0, 1, 0):
        writer = provider.create_writer(WriterContext("job", epoch))
        writer.write(batch((epoch, "a")))
        provider.create_committer(CommitContext("job", epoch)).commit([writer.prepare_commit()])
    assert stored(definition) == [(0, "a"), (1, "a")]


def test_a_job_that_commits_again_adds_nothing(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (1, "a"), job="one")
    write(sink_of(definition), (1, "a"), job="one")
    write(sink_of(definition), (2, "b"), job="two")
    assert stored(definition) == [(1, "a"), (2, "b")]


def test_an_aborted_job_leaves_the_table_as_it_was(define: Define) -> None:
    definition = define(COLUMNS)
    provider = provider_of(sink_of(definition))
    writer = provider.create_writer(WriterContext("j"))
    writer.write(batch((1, "a")))
    provider.create_committer(CommitContext("j")).abort([writer.prepare_commit()])
    writer.abort()
    provider.create_committer(CommitContext("j")).commit([writer.prepare_commit()])
    assert stored(definition) == []


def test_a_table_with_a_key_takes_changes_by_key_and_one_without_takes_all_kinds(define: Define) -> None:
    assert sink_of(define(COLUMNS, key=("id",))).get_changelog_mode(ChangelogMode.all()) == ChangelogMode.upsert()
    assert sink_of(define(COLUMNS)).get_changelog_mode(ChangelogMode.insert_only()) == ChangelogMode.all()


def test_changes_of_all_kinds_are_applied(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    sink = sink_of(definition)
    kinds = [RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE]
    rows = [(1, "a"), (2, "b"), (1, "a"), (1, "A"), (2, "b")]
    types = (pa.int32(), pa.string(), pa.int8())
    write(sink, *((*row, kind.value) for row, kind in zip(rows, kinds, strict=True)), has_row_kinds=True, types=types)
    assert stored(definition) == [(1, "A")]


def test_metadata_stand_behind_the_columns(define: Define) -> None:
    definition = define(COLUMNS)
    sink = sink_of(definition)
    sink.apply_writable_metadata(["priority"], RowType.of([]))
    write(sink, (1, "a", 7), types=(pa.int32(), pa.string(), pa.int32()))
    found = read_memory_table(definition.name)
    assert found is not None
    assert found.to_pylist() == [{"id": 1, "s": "a", "$metadata.label": None, "$metadata.priority": 7}]


def condition(function: FunctionDefinition, column: str, type_: str, value: Any) -> ResolvedExpression:
    index = list(COLUMNS).index(column)
    operands = (
        FieldReferenceExpression(column, parse_logical_type(type_), 0, index),
        ValueLiteralExpression(value, parse_logical_type(f"{type_} NOT NULL")),
    )
    return CallExpression(function, operands, BooleanType())


def test_a_deletion_by_conditions_takes_the_rows_away_for_which_all_are_true(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (1, "a"), (2, "a"), (None, "a"), (3, None), (4, "b"))
    sink = sink_of(definition)
    assert sink.apply_delete_filters([condition(GREATER_THAN, "id", "INT", 1), condition(EQUALS, "s", "STRING", "a")])
    assert sink.execute_deletion() == 1
    assert stored(definition) == [(1, "a"), (None, "a"), (3, None), (4, "b")]


def test_a_deletion_without_conditions_takes_all_rows_away(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (1, "a"), (None, None))
    sink = sink_of(definition)
    assert sink.apply_delete_filters([])
    assert sink.execute_deletion() == 2
    assert stored(definition) == []


def test_a_table_without_push_down_deletes_nothing_by_itself(define: Define) -> None:
    assert not sink_of(define(COLUMNS, push_down=False)).apply_delete_filters([])


@pytest.mark.parametrize(
    ("key", "mode", "columns", "expected"),
    [
        ((), "CHANGED", ("id", "s"), RowLevelDeleteMode.DELETED_ROWS),
        (("id",), "CHANGED", ("id",), RowLevelDeleteMode.DELETED_ROWS),
        (("id",), "ALL", None, RowLevelDeleteMode.REMAINING_ROWS),
    ],
)
def test_a_deletion_asks_for_the_rows_and_columns_that_it_needs(
    define: Define, key: tuple[str, ...], mode: str, columns: tuple[str, ...] | None, expected: RowLevelDeleteMode
) -> None:
    definition = define(COLUMNS, key=key, mode=mode)
    write(sink_of(definition), (1, "a"), (2, "b"), job="before")
    sink = sink_of(definition)
    info = sink.apply_row_level_delete(None)
    assert (info.required_columns, info.row_level_delete_mode) == (columns, expected)
    if columns is None:
        write(sink, (2, "b"))
    else:
        row = (1, "a")[: len(columns)]
        write(sink, (*row, RowKind.DELETE.value), has_row_kinds=True, types=(*(pa.int32(), pa.string())[: len(columns)], pa.int8()))
    assert stored(definition) == [(2, "b")]


def test_an_update_writes_the_key_and_the_updated_columns(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    write(sink_of(definition), (1, "a"), (2, "b"), job="before")
    sink = sink_of(definition)
    info = sink.apply_row_level_update([PhysicalColumn("s", parse_logical_type("STRING"))], None)
    assert (info.required_columns, info.row_level_update_mode) == (("id", "s"), RowLevelUpdateMode.UPDATED_ROWS)
    write(sink, (1, "A", RowKind.UPDATE_AFTER.value), has_row_kinds=True, types=(pa.int32(), pa.string(), pa.int8()))
    assert stored(definition) == [(1, "A"), (2, "b")]


@pytest.mark.parametrize(("key", "mode", "updated"), [((), "CHANGED", "s"), (("id",), "CHANGED", "id"), (("id",), "ALL", "s")])
def test_an_update_writes_all_rows_where_no_key_finds_them(define: Define, key: tuple[str, ...], mode: str, updated: str) -> None:
    definition = define(COLUMNS, key=key, mode=mode)
    write(sink_of(definition), (1, "a"), (2, "b"), job="before")
    sink = sink_of(definition)
    info = sink.apply_row_level_update([PhysicalColumn(updated, IntType())], None)
    assert info.row_level_update_mode == RowLevelUpdateMode.ALL_ROWS
    write(sink, (7, "x"))
    assert stored(definition) == [(7, "x")]


def test_target_columns_count_only_where_there_is_a_key(define: Define) -> None:
    assert not sink_of(define(COLUMNS)).apply_target_columns([(1,)])
    definition = define(COLUMNS, key=("id",))
    write(sink_of(definition), (1, "a"), job="before")
    sink = sink_of(definition)
    assert sink.apply_target_columns([(0,)])
    write(sink, (1, None))
    assert stored(definition) == [(1, "a")]


def test_truncation_takes_all_rows_away(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (1, "a"))
    sink_of(definition).execute_truncation()
    assert stored(definition) == []


def test_a_staged_table_appears_with_its_commit_and_replaces_the_one_before(define: Define) -> None:
    definition = define(COLUMNS)
    put_memory_table(definition.name, pa.table({"id": pa.array([9], pa.int32())}))
    sink = sink_of(definition)
    staged = sink.apply_staging(SupportsStaging.StagingContext(StagingPurpose.CREATE_TABLE_AS))
    staged.begin()
    write(sink, (1, "a"))
    assert stored(definition) == [(9, None)]
    staged.commit()
    assert stored(definition) == [(1, "a")]
    assert read_memory_table(sink.target) is None


def test_a_staged_table_that_is_given_up_changes_nothing(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (9, "z"))
    sink = sink_of(definition)
    staged = sink.apply_staging(SupportsStaging.StagingContext(StagingPurpose.CREATE_TABLE_AS))
    staged.begin()
    write(sink, (1, "a"))
    staged.abort()
    assert stored(definition) == [(9, "z")]
    assert read_memory_table(sink.target) is None


def test_a_staged_table_without_rows_is_empty(define: Define) -> None:
    definition = define(COLUMNS)
    write(sink_of(definition), (9, "z"))
    staged = sink_of(definition).apply_staging(SupportsStaging.StagingContext(StagingPurpose.CREATE_TABLE_AS))
    staged.begin()
    staged.commit()
    assert stored(definition) == []
