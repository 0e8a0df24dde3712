"""The contract of DELETE and UPDATE: the rows that fulfill the conditions change, the others stay. Needs no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from table_common.arrow import from_python_rows, with_row_kind
from table_common.catalog import Column
from table_common.connector import ArrowSinkProvider, CommitContext, DynamicTableSink, RowKind, WriterContext
from table_common.connector.sink.abilities import (
    RowLevelDeleteMode,
    RowLevelUpdateMode,
    SupportsDeletePushDown,
    SupportsRowLevelDelete,
    SupportsRowLevelUpdate,
)
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.types import RowType
from table_testing.conditions import conditions_over, is_true, one_of_each_kind
from table_testing.connector_case import ConnectorCase, Row, new_folder, repickled, same_rows, stored_message


class ModificationCompliance(ConnectorCase):
    """The contract of sinks that delete or update rows; other sinks pass."""

    def test_deletion_deletes_the_rows_that_fulfill_the_condition(self, tmp_path: Path) -> None:
        for condition in self._deletable(tmp_path):
            self._check_deletion(tmp_path, [condition])

    def test_deletion_needs_all_conditions(self, tmp_path: Path) -> None:
        conditions = self._deletable(tmp_path)
        for one, other in pairwise(conditions[:: max(1, len(conditions) // 10)]):
            self._check_deletion(tmp_path, [one, other])

    def test_deletion_without_a_condition_deletes_all_rows(self, tmp_path: Path) -> None:
        if self._deleting(tmp_path) is not None:
            self._check_deletion(tmp_path, [])

    def test_deletion_by_a_copy_is_not_told_to_another(self, tmp_path: Path) -> None:
        found = self._deleting(tmp_path)
        if found is None:
            return
        sink, options = found
        conditions = conditions_over(self.row_type, self.rows)
        condition = next(c for c in conditions if 0 < sum(is_true(c, row) for row in self.rows) < len(self.rows))
        copied, told = sink.copy(), sink.copy()
        assert isinstance(copied, SupportsDeletePushDown)
        assert isinstance(told, SupportsDeletePushDown)
        if copied.apply_delete_filters([condition]):
            told.apply_delete_filters([])
            copied.execute_deletion()
            left = [row for row in self.rows if not is_true(condition, row)]
            assert same_rows(self.stored_rows(options), left), f"a copy that was told {condition} deleted by what another one was told"

    def test_rows_of_a_deletion_are_deleted(self, tmp_path: Path) -> None:
        for deleted in (self.rows[:2], self.rows[-1:], self.rows):
            self._check_row_level_delete(tmp_path, deleted)

    def test_deletion_of_no_rows_changes_nothing(self, tmp_path: Path) -> None:
        self._check_row_level_delete(tmp_path, [])

    def test_rows_of_an_update_are_changed(self, tmp_path: Path) -> None:
        for changed in (self.rows[:2], self.rows):
            self._check_row_level_update(tmp_path, changed)

    def test_update_of_no_rows_changes_nothing(self, tmp_path: Path) -> None:
        self._check_row_level_update(tmp_path, [])

    # --- helpers -------------------------------------------------------------------------------------------------------------

    def _check_deletion(self, folder: Path, conditions: Sequence[ResolvedExpression]) -> None:
        found = self._deleting(folder)
        assert found is not None
        sink, options = found
        assert isinstance(sink, SupportsDeletePushDown)
        if not sink.apply_delete_filters(conditions):
            return
        count = sink.execute_deletion()
        gone = [row for row in self.rows if all(is_true(condition, row) for condition in conditions)]
        left = [row for row in self.rows if row not in gone]
        text = " and ".join(map(str, conditions)) or "no condition"
        assert same_rows(self.stored_rows(options), left), f"a deletion with {text} left {self.stored_rows(options)}"
        assert count is None or count == len(gone), f"a deletion with {text} counted {count} rows instead of {len(gone)}"

    def _deletable(self, folder: Path) -> list[ResolvedExpression]:
        """Returns conditions that the sink accepts, one of each kind; each deletion uses a new table."""
        found = self._deleting(folder)
        if found is None:
            return []
        taken = []
        for condition in conditions_over(self.row_type, self.rows):
            sink = found[0].copy()
            assert isinstance(sink, SupportsDeletePushDown)
            if sink.apply_delete_filters([condition]):
                taken.append(condition)
        return one_of_each_kind(taken, self.rows)

    def _deleting(self, folder: Path) -> tuple[DynamicTableSink, Mapping[str, str]] | None:
        """Returns a sink that deletes by conditions, and the options of its table of all rows."""
        options = self.create_table(new_folder(folder, "table"), self.rows)
        sink = self.sink(options)
        return (sink, options) if isinstance(sink, SupportsDeletePushDown) else None

    def _check_row_level_delete(self, folder: Path, deleted: Sequence[Row]) -> None:
        options = self.create_table(new_folder(folder, "table"), self.rows)
        sink = self.sink(options)
        if not isinstance(sink, SupportsRowLevelDelete):
            return
        info = _allowed(lambda: sink.apply_row_level_delete(None))
        if info is None:
            return
        left = [row for row in self.rows if row not in deleted]
        only_deleted = info.row_level_delete_mode is RowLevelDeleteMode.DELETED_ROWS
        if self._run(sink, info.required_columns, deleted if only_deleted else left, RowKind.DELETE if only_deleted else None):
            assert same_rows(self.stored_rows(options), left), f"deleting {list(deleted)} left {self.stored_rows(options)}"

    def _check_row_level_update(self, folder: Path, changed: Sequence[Row]) -> None:
        options = self.create_table(new_folder(folder, "table"), self.rows)
        sink = self.sink(options)
        if not isinstance(sink, SupportsRowLevelUpdate):
            return
        last = self._columns()[-1]
        info = _allowed(lambda: sink.apply_row_level_update([last], None))
        if info is None:
            return
        values = [row[-1] for row in self.rows]
        new = {row[0]: (*row[:-1], value) for row, value in zip(self.rows, [*values[1:], values[0]], strict=True) if row in changed}
        rows = [new.get(row[0], row) for row in self.rows]
        only_changed = info.row_level_update_mode is RowLevelUpdateMode.UPDATED_ROWS
        written = list(new.values()) if only_changed else rows
        if self._run(sink, info.required_columns, written, RowKind.UPDATE_AFTER if only_changed else None):
            assert same_rows(self.stored_rows(options), rows), f"an update of {len(changed)} rows left {self.stored_rows(options)}"

    def _run(self, sink: DynamicTableSink, columns: Sequence[str] | None, rows: Iterable[Row], kind: RowKind | None) -> bool:
        """Writes the rows as an engine does; returns False if only an engine can."""
        names = list(self.row_type.field_names)
        positions = [names.index(name) for name in columns] if columns is not None else list(range(len(names)))
        row_type = RowType(tuple(self.row_type.fields[position] for position in positions), nullable=False)
        context = DynamicTableSink.SinkContext(has_row_kinds=kind is not None)
        provider = sink.get_sink_runtime_provider(context)
        if not isinstance(provider, ArrowSinkProvider):
            return False
        writer = repickled(provider).create_writer(WriterContext("modification"))
        chosen = [tuple(row[position] for position in positions) for row in rows]
        if chosen:
            batch = from_python_rows(chosen, row_type)
            writer.write(batch if kind is None else with_row_kind(batch, kind))
        repickled(provider).create_committer(CommitContext("modification")).commit([stored_message(provider, writer.prepare_commit())])
        return True

    def _columns(self) -> Sequence[Column]:
        return self.context({}).catalog_table.resolved_schema.columns


def _allowed(apply: Callable[[], Any]) -> Any:
    """Returns the requirements of the sink; None if it refuses to change this table, for example without a primary key."""
    try:
        return apply()
    except ValidationException:
        return None
