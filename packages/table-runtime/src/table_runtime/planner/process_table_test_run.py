"""One call of a process table function without a job: rows and watermarks in; rows, state and timers out. For the harness of ``table_api.testing``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_api.operations import ProcessTableFunctionQueryOperation
from table_api.operations.changelog import ALL_KINDS, INSERT_ONLY, Changes, DeleteKind, UpdateKind, modify_kinds_of
from table_common.arrow import to_python_rows
from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row
from table_common.functions import ArgumentTrait
from table_runtime.columns.batches import make_batch
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.process_table_function import process_spec_of
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table_forms import process_table
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_runtime.udf.values import write_values

_ALL = Changes(ALL_KINDS, UpdateKind.BEFORE_AND_AFTER, DeleteKind.FULL_DELETE)


class ProcessTableTestRun:
    """A call whose tables have the rows that a test gives."""

    def __init__(self, node: ProcessTableFunctionQueryOperation, context: LoweringContext) -> None:
        self._node = node
        parameters = [node.parameter_of(number) for number in range(len(node.tables))]
        inputs = [_ALL if one is not None and ArgumentTrait.SUPPORT_UPDATES in one.traits else INSERT_ONLY for one in parameters]
        kinds = node.kinds_over(frozenset(RowKind))
        given = Changes(modify_kinds_of(kinds), _updates(ChangelogMode(kinds)), _deletes(kinds))
        self._operator = process_table(process_spec_of(node, context, inputs, given))
        self._state = self._operator.create_state(ExecutionContext(parallelism=1))

    def position_of(self, name: str) -> int:
        """Returns the position of a table by the name of its parameter."""
        return next(number for number, argument in enumerate(self._node.arguments) if argument.name == name)

    def process(self, table: int, rows: Sequence[Any]) -> list[Row]:
        """Returns what the function yields for rows of a table.

        Raises:
            TableRuntimeException: it fails, or a row is not of the columns of the table.
        """
        schema = self._node.tables[table].resolved_schema
        name, arrow = self._node.arguments[table].name, self._operator._spec.inputs[table].schema
        values = [list(row) if isinstance(row, (Row, tuple, list)) else [row] for row in rows]
        columns = [
            write_values([row[position] for row in values], column.data_type, f"the column '{column.name}' of the table '{name}'")
            for position, column in enumerate(schema.columns)
        ]
        kinds = [row.get_row_kind().value if isinstance(row, Row) else 0 for row in rows]
        batch = ChangeBatch(make_batch(columns, arrow, len(values)), np.array(kinds, np.int8) if any(kinds) else None)
        out: list[ChangeBatch] = []
        self._operator.process(batch, table, self._state, out.append)
        return self._rows(out)

    def advance(self, watermark: int) -> list[Row]:
        """Returns what the function yields for a watermark."""
        out: list[ChangeBatch] = []
        self._operator.on_watermark(watermark, self._state, out.append)
        self._state.watermark = max(self._state.watermark, watermark)
        return self._rows(out)

    def finish(self) -> list[Row]:
        """Returns what the function yields at the end of its tables."""
        return self.advance(END_OF_TIME)

    def state(self, name: str, key: Sequence[Any]) -> Any:
        """Returns a state entry of a partition; None if there is none."""
        names = [entry.name for entry in self._operator._spec.signature.states]
        return self._state.columns[names.index(name)].value_of(self._slot(key))

    def timers(self, key: Sequence[Any]) -> list[tuple[str | None, int]]:
        """Returns names and times of the timers of a partition, in the order in which they will fire."""
        return [(name, time) for time, name in self._state.timers.of(self._slot(key))]

    def restore(self) -> None:
        """Writes state and timers as a checkpoint does, and continues with what is read from it."""
        snapshot, old = self._state.snapshot(), self._state
        self._state = self._operator.create_state(ExecutionContext(parallelism=1))
        self._state.restore([snapshot])
        self._state.count_on(old)
        self._state.call_context.watermark = old.call_context.watermark

    def set_time(self, now: int) -> None:
        """Sets the clock by which state expires, in milliseconds."""
        self._state.set_time(now, (0,))

    @property
    def watermark(self) -> int | None:
        """The watermark so far; None before the first one."""
        return None if self._state.watermark == NO_WATERMARK else self._state.watermark

    def _slot(self, key: Sequence[Any]) -> int:
        keys = self._state.keys
        if keys is None or not keys.types:
            return 0
        columns = [pa.array([value], type_) for value, type_ in zip(key, keys.types, strict=True)]
        return int(keys.find(columns, 1)[0])

    def _rows(self, batches: Sequence[ChangeBatch]) -> list[Row]:
        found = []
        schema = self._node.resolved_schema
        for batch in batches:
            for row, kind in zip(to_python_rows([batch.rows], schema.to_row_type()), batch.all_kinds.tolist(), strict=True):
                found.append(Row.of_names(schema.column_names, list(row), RowKind(kind)))
        return found


def _updates(mode: ChangelogMode) -> UpdateKind:
    if RowKind.UPDATE_AFTER not in mode.kinds:
        return UpdateKind.NONE
    return UpdateKind.BEFORE_AND_AFTER if RowKind.UPDATE_BEFORE in mode.kinds else UpdateKind.ONLY_UPDATE_AFTER


def _deletes(kinds: frozenset[RowKind]) -> DeleteKind:
    return DeleteKind.FULL_DELETE if RowKind.DELETE in kinds else DeleteKind.NONE
