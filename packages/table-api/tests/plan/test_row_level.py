"""DELETE and UPDATE: what sinks execute themselves, and the rows that others get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import pytest
from typing_extensions import override

from table_api.operations import SinkModifyOperation
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.plan.context import RuleContext
from table_api.plan.row_level import PushedDeletion, plan_delete, plan_update
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.catalog import Column
from table_common.connector import ChangelogMode, DynamicTableSink, RowKind, ScanTableSource
from table_common.connector.sink.abilities import (
    RowLevelDeleteMode,
    RowLevelUpdateMode,
    SupportsDeletePushDown,
    SupportsRowLevelDelete,
    SupportsRowLevelUpdate,
)
from table_common.connector.source.abilities import (
    RowLevelModificationScanContext,
    RowLevelModificationType,
    SupportsRowLevelModificationScan,
)
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory


class ScanNumber(RowLevelModificationScanContext):
    """Counts the scans that were announced to sources."""

    def __init__(self, number: int) -> None:
        self.number = number


class Source(ScanTableSource, SupportsRowLevelModificationScan):
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")

    def apply_row_level_modification_scan(
        self, modification_type: RowLevelModificationType, previous: RowLevelModificationScanContext | None
    ) -> RowLevelModificationScanContext:
        return ScanNumber(previous.number + 1 if isinstance(previous, ScanNumber) else 1)


class PlainSink(DynamicTableSink):
    """Accepts inserts only; remembers the scan context of row-level changes."""

    scan_context: RowLevelModificationScanContext | None = None

    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written here")


class PushingSink(PlainSink, SupportsDeletePushDown):
    """Accepts deletions by at most one condition."""

    def copy(self) -> Self:
        return type(self)()

    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        return len(filters) <= 1

    def execute_deletion(self) -> int | None:
        raise AssertionError("nothing is deleted here")


class ChangingSink(PlainSink, SupportsRowLevelDelete, SupportsRowLevelUpdate):
    """Gets either the changed rows or all rows that stay, with the columns ``columns``."""

    def __init__(self, *, only_changed: bool, columns: list[str] | None = None, kinds: frozenset[RowKind] | None = None) -> None:
        self.only_changed = only_changed
        self.columns = columns
        self.kinds = kinds

    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return requested_mode if self.kinds is None else ChangelogMode(self.kinds)

    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        self.scan_context = context
        mode = RowLevelDeleteMode.DELETED_ROWS if self.only_changed else RowLevelDeleteMode.REMAINING_ROWS
        return SupportsRowLevelDelete.RowLevelDeleteInfo(self.columns, mode)

    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        self.scan_context = context
        mode = RowLevelUpdateMode.UPDATED_ROWS if self.only_changed else RowLevelUpdateMode.ALL_ROWS
        return SupportsRowLevelUpdate.RowLevelUpdateInfo(self.columns, mode)


class Factory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    def __init__(self, sink: DynamicTableSink) -> None:
        self.sink = sink

    @property
    @override
    def factory_identifier(self) -> str:
        return "some"

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> Source:
        return Source()

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        return self.sink


class Modules:
    def __init__(self, factory: Factory) -> None:
        self.factory = factory

    def get_table_source_factory(self, identifier: str) -> Factory:
        return self.factory

    get_table_sink_factory = get_table_source_factory


@pytest.fixture
def plan(session: Any) -> Any:
    """Plans a statement whose table has this sink."""

    def run(statement: str, sink: DynamicTableSink) -> Any:
        session.modules = Modules(Factory(sink))
        operation = convert_statement(parse_statement(statement), session, statement)
        context = RuleContext(session)
        if isinstance(operation, DeleteOperation):
            return plan_delete(operation, context)
        assert isinstance(operation, UpdateOperation)
        return plan_update(operation, context)

    return run


@pytest.mark.parametrize(
    ("condition", "shown"),
    [("WHERE age > 1", "(age > 1)"), ("", "all rows"), ("WHERE FALSE", "nothing")],
)
def test_a_condition_that_the_sink_accepts_is_pushed(plan: Any, condition: str, shown: str) -> None:
    pushed = plan(f"DELETE FROM t {condition}", PushingSink())
    assert isinstance(pushed, PushedDeletion)
    assert str(pushed) == f"Delete(table=[c.d.t], sink=[PushingSink], filters=[{shown}])"


@pytest.mark.parametrize("condition", ["age > 1 AND name = 'a'", "age > RAND() * 2", "name IN (SELECT name FROM u)"])
def test_a_deletion_that_the_sink_cannot_execute_is_refused(plan: Any, condition: str) -> None:
    with pytest.raises(ValidationException, match=r"^DELETE with this condition is not supported by the connector 'none'"):
        plan(f"DELETE FROM t WHERE {condition}", PushingSink())


@pytest.mark.parametrize("statement", ["DELETE FROM t", "UPDATE t SET age = 1"])
def test_a_sink_without_the_ability_is_refused(plan: Any, statement: str) -> None:
    with pytest.raises(ValidationException, match=f"^{statement.split()[0]} is not supported by the connector 'none' of `c`.`d`.`t`"):
        plan(statement, PlainSink())


def test_deleted_rows_have_the_row_kind_behind_the_required_columns(plan: Any) -> None:
    operation = plan("DELETE FROM t WHERE age > 1", ChangingSink(only_changed=True, columns=["age", "name"]))
    assert isinstance(operation, SinkModifyOperation)
    assert operation.row_kind is RowKind.DELETE
    assert operation.child.resolved_schema.column_names == ("age", "name", "$row_kind")
    assert [column.name for column in operation.consumed_columns] == ["age", "name"]


def test_remaining_rows_are_all_columns_without_a_row_kind(plan: Any) -> None:
    operation = plan("DELETE FROM t WHERE age > 1", ChangingSink(only_changed=False))
    assert operation.row_kind is None
    assert operation.child.resolved_schema.column_names == ("name", "age", "pay", "r")


def test_updated_rows_have_the_new_values(plan: Any) -> None:
    operation = plan("UPDATE t SET age = age + 1 WHERE name = 'a'", ChangingSink(only_changed=True, columns=["name", "age"]))
    assert operation.row_kind is RowKind.UPDATE_AFTER
    positions = [expression.field_index for expression in operation.child.projection[:2]]
    assert positions == [0, 4]  # the old name, and the first new value after the four columns


def test_all_rows_have_the_new_value_only_where_the_condition_is_true(plan: Any) -> None:
    operation = plan("UPDATE t SET age = age + 1 WHERE name = 'a'", ChangingSink(only_changed=False, columns=["name", "age"]))
    assert operation.row_kind is None
    assert str(operation.child.projection[1]) == "(CASE WHEN $changes THEN $set0 ELSE age END)"


@pytest.mark.parametrize("statement", ["DELETE FROM t", "UPDATE t SET age = 1"])
def test_the_scan_of_the_table_is_announced_to_the_sink(plan: Any, statement: str) -> None:
    sink = ChangingSink(only_changed=True)
    plan(statement, sink)
    assert isinstance(sink.scan_context, ScanNumber)
    assert sink.scan_context.number == 1


def test_a_column_that_the_sink_requires_must_be_one_of_the_table(plan: Any) -> None:
    with pytest.raises(ValidationException, match="Column that the sink requires 'agee'"):
        plan("DELETE FROM t", ChangingSink(only_changed=True, columns=["agee"]))


def test_a_sink_must_accept_the_row_kinds_that_it_requests(plan: Any) -> None:
    sink = ChangingSink(only_changed=True, kinds=frozenset({RowKind.INSERT}))
    with pytest.raises(ValidationException, match="must accept rows of kind"):
        plan("DELETE FROM t", sink)
