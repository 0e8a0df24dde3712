"""What leaves a task: cells are numbered, results have a writer or go to the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.shares.cut import cut
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.task_output import TaskOutput
from table_runtime.streaming.shares.wire import Kind, Mark, Target

SCHEMA = pa.schema([("k", pa.int64())])
ROWS = ChangeBatch(pa.record_batch([pa.array([1, 2, 3])], schema=SCHEMA))
LEVELS = cut(
    Graph([Source(None, SCHEMA, has_kinds=False, edges=[Edge(0, 0)])], [Node(KeepFirstRow(SCHEMA, [0]), 1, [Edge(None, 0)])]),  # type: ignore[arg-type]
    2,
).levels


class Writer:
    def __init__(self, epoch: int, origin: int, attempt: int) -> None:
        self.made_for = (epoch, origin, attempt)
        self.rows = 0
        self.is_aborted = False

    def write(self, changes: ChangeBatch) -> None:
        self.rows += changes.num_rows

    def finish(self) -> Sequence[Any]:
        return [{"rows": self.rows}]

    def abort(self) -> None:
        self.is_aborted = True


def test_rows_for_another_level_are_cells_for_its_shares() -> None:
    leaving = TaskOutput(LEVELS[0], 2, 3, 5, 9, {})
    leaving.receive(0, ROWS)
    leaving.finish_rows()
    leaving.mark(Target(0, 0), Mark([4]))
    leaving.note(Note(0, 5, 9))
    cells = list(leaving.take())
    assert [cell.number for cell in cells] == list(range(len(cells)))
    assert {(cell.level, cell.origin, cell.attempt) for cell in cells} == {(0, 5, 9)}
    assert [cell.kind for cell in cells if cell.kind != Kind.ROWS] == [Kind.MARK, Kind.MARK, Kind.SEEN, Kind.SEEN, Kind.NOTE]
    assert sorted(cell.part for cell in cells if cell.kind == Kind.MARK) == [0, 1]
    assert not list(leaving.take())


def test_results_without_a_writer_go_to_the_client() -> None:
    leaving = TaskOutput(LEVELS[1], 2, 3, 1, 9, {})
    leaving.receive(0, ROWS)
    leaving.finish_rows()
    (cell,) = leaving.take()
    assert (cell.kind, cell.part, cell.target) == (Kind.RESULT, 1, Target(-1, 0))
    assert leaving.rows == {0: 3}
    assert leaving.finish_writers() == {}


def test_a_writer_gets_the_rows_of_its_output_and_gives_messages() -> None:
    made: list[Writer] = []

    def make(epoch: int, origin: int, attempt: int) -> Writer:
        made.append(Writer(epoch, origin, attempt))
        return made[-1]

    leaving = TaskOutput(LEVELS[1], 2, 3, 1, 9, {0: make})
    assert not made, "a task without rows opens no writer"
    leaving.receive(0, ROWS)
    leaving.write(0, ROWS)
    leaving.finish_rows()
    assert not list(leaving.take())
    assert leaving.finish_writers() == {0: [{"rows": 6}]}
    assert leaving.rows == {0: 6}
    leaving.abort()
    assert (made[0].made_for, made[0].is_aborted) == ((3, 1, 9), True)
