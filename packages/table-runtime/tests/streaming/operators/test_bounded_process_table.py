"""Process table functions over bounded tables: rows in the order of time, timers at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from process_functions import SCHEMA, Machine, Machines, call_of

from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.streaming.operators import bounded_process_table
from table_runtime.streaming.operators.bounded_process_table import BoundedProcessTable, divided_by_table
from table_runtime.streaming.operators.process_table import ProcessTable


class Rows(Operator):
    """Yields batches."""

    def __init__(self, *batches: list[tuple[Any, ...]]) -> None:
        super().__init__(SCHEMA)
        self._batches = batches

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for rows in self._batches:
            columns = [
                pa.array(values, pa.timestamp("ms")).cast(field.type) if pa.types.is_timestamp(field.type) else pa.array(values, field.type)
                for values, field in zip(map(list, zip(*rows, strict=True)), SCHEMA, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def rows_of(operator: Operator) -> list[tuple[Any, ...]]:
    found = []
    for batch in operator.batches(ExecutionContext(parallelism=1)):
        found += [tuple(row.values()) for row in batch.to_pylist()]
    return found


def test_rows_come_in_the_order_of_time_and_timers_after_them() -> None:
    operator = BoundedProcessTable(call_of(Machine()), [Rows([(1, 30, 2), (2, 10, 2)], [(1, 20, 4)])], "text")
    what = [(row[0], row[1]) for row in rows_of(operator)]
    rows, timers = [(2, "row"), (2, "even"), (1, "row"), (1, "even"), (1, "row"), (1, "even")], what[6:]
    assert what[:6] == rows
    assert timers == [(2, "timer"), (2, "end v2"), (1, "timer"), (1, "timer"), (1, "end v2")]
    assert (operator.name, operator.details()) == ("ProcessTable", "text")


def test_tables_with_a_time_are_merged_by_it_and_others_are_read_in_turn() -> None:
    one, other = Rows([(1, 10, 1), (1, 30, 3)]), Rows([(1, 20, 2)])
    timed = BoundedProcessTable(call_of(Machines(), "one", "other"), [one, other])
    assert [row[2] for row in rows_of(timed)] == ["one 1 1", "other 2 2", "one 3 3"]
    in_turn = BoundedProcessTable(call_of(Machines(), "one", "other", time=-1), [one, other])
    assert [row[2] for row in rows_of(in_turn)] == ["one 1 1", "one 3 2", "other 2 3"]


def test_rows_of_several_tables_that_come_together_are_divided() -> None:
    one, other = pa.schema([("a", pa.int64())]), pa.schema([("b", pa.string()), ("c", pa.int64())])
    columns = [[0, 0, 1, 0], [7, 7, 7, 8], [1, 2, None, 3], [None, None, "x", None], [None, None, 9, None]]
    batch = pa.RecordBatch.from_arrays([pa.array(values) for values in columns], ["number", "key", "a", "b", "c"])
    (found,) = divided_by_table([batch, batch.slice(0, 0)], [one, other], 2)
    assert {number: part.to_pylist() for number, part in found.parts.items()} == {
        0: [{"a": 1}, {"a": 2}, {"a": 3}],
        1: [{"b": "x", "c": 9}],
    }
    assert found.owners.tolist() == [0, 0, 1, 0]


def test_rows_of_tables_that_alternate_are_given_in_batches() -> None:
    given = []

    class Counted(ProcessTable):
        def process_merged(self, parts: Any, owners: Any, state: Any, out: Any) -> None:
            given.append(len(owners))
            super().process_merged(parts, owners, state, out)

    one, other = Rows([(1, at, at) for at in range(0, 3000, 2)]), Rows([(1, at, at) for at in range(1, 3000, 2)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_process_table, "process_table", Counted)
        found = rows_of(BoundedProcessTable(call_of(Machines(), "one", "other"), [one, other]))
    assert [row[2] for row in found] == [f"{'other' if at % 2 else 'one'} {at} {at + 1}" for at in range(3000)]
    assert given == [3000]
