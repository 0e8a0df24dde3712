"""Rows of joins expire one by one, each input after its own retention. The clock is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph import state_expiry
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.state import state_rows
from table_runtime.streaming.time import clock
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
Batch = tuple[int, int, list["Change"]]
"""A time, the number of an input, and its changes."""


def join(kind: JoinKind, *, retracts: bool = True, upsert_key: Sequence[int] | None = None) -> Join:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)]

    side = JoinSide(SCHEMA, keys, has_retractions=retracts, upsert_key=upsert_key)
    schema = SCHEMA if kind in (JoinKind.SEMI, JoinKind.ANTI) else pa.schema([*SCHEMA, *SCHEMA])
    return Join(schema, kind, (side, side), [pa.int64()], [False])


class Model:
    """The same row by row: for each input the rows that are there, as lists of [row, partners, time]. Rows of one input all differ."""

    def __init__(self, kind: JoinKind, retentions: tuple[int, int]) -> None:
        self._kind = kind
        self._retentions = retentions
        self._rows: tuple[list[list[Any]], list[list[Any]]] = ([], [])
        self._outer = {JoinKind.LEFT: (True, False), JoinKind.RIGHT: (False, True), JoinKind.FULL: (True, True)}.get(kind, (False, False))

    def at(self, time: int, side: int, changes: Sequence[Change]) -> list[Change]:
        """Takes the changes of one batch; returns those that follow."""
        for rows, retention in zip(self._rows, self._retentions, strict=True):
            rows[:] = [row for row in rows if not retention or row[2] + retention > time]
        given: list[Change] = []
        for kind, row in changes:
            self._push(time, side, kind, row, given)
        return given

    def _push(self, time: int, side: int, kind: str, row: Any, given: list[Change]) -> None:
        def emit(kind: str, own: Any, other: Any) -> None:
            left, right = (own, other) if side == 0 else (other, own)
            given.append((kind, (*(left or (None, None)), *(right or (None, None)))))

        adds = kind == "+I"
        there = [entry for entry in self._rows[side] if entry[0] == row]
        if not adds and not there:
            return
        found = [entry for entry in self._rows[1 - side] if entry[0][0] == row[0]]
        if adds:
            self._rows[side].append([row, len(found), time])
        else:
            self._rows[side].remove(there[0])
        is_left_only = self._kind in (JoinKind.SEMI, JoinKind.ANTI)
        if is_left_only and side == 0:
            if bool(found) == (self._kind is JoinKind.SEMI):
                given.append((kind, row))
            return
        counts = self._outer[1 - side] or is_left_only
        if not found and self._outer[side]:
            emit(kind, row, None)
        for entry in found if counts else ():
            entry[1] += 1 if adds else -1
            entry[2] = time
            is_changed = entry[1] == (1 if adds else 0)
            if is_changed and is_left_only:
                given.append(("+I" if adds == (self._kind is JoinKind.SEMI) else "-D", entry[0]))
            elif is_changed and adds:
                emit("-D", None, entry[0])
        for entry in () if is_left_only else found:
            emit(kind, row, entry[0])
        for entry in found if counts and not adds and not is_left_only else ():
            if entry[1] == 0:
                emit("+I", None, entry[0])


def random_batches(seed: int, *, retracts: bool) -> list[Batch]:
    chance = random.Random(seed)
    there: tuple[list[Any], list[Any]] = ([], [])
    result: list[Batch] = []
    time = number = 0
    for _ in range(40):
        time += chance.choice([1, 60, 100, 299, 300, 400, 1599, 1600])
        side = chance.randrange(2)
        changes: list[Change] = []
        for _ in range(chance.randint(1, 4)):
            if retracts and there[side] and chance.random() < 0.3:
                changes.append(("-D", there[side].pop(chance.randrange(len(there[side])))))
            else:
                number += 1
                row = (chance.randint(0, 3), number)
                there[side].append(row)
                changes.append(("+I", row))
        result.append((time, side, changes))
    return result


@pytest.mark.sampled(2)
@pytest.mark.parametrize("checks", [16, 1])
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("retentions", [(1600, 300), (300, 0), (0, 1600)], ids=str)
@pytest.mark.parametrize("kind", list(JoinKind))
def test_rows_that_expired_are_as_if_they_had_not_been_there(
    kind: JoinKind,
    retentions: tuple[int, int],
    restarts: bool,
    checks: int,
    context: ExecutionContext,
    monkeypatch: pytest.MonkeyPatch,
    change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch],
) -> None:
    monkeypatch.setattr(state_expiry, "_CHECKS", checks)
    monkeypatch.setattr(state_rows, "_FEW", 3)
    given: list[Change] = []

    def receive(batch: ChangeBatch) -> None:
        kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
        rows = zip(*(column.to_pylist() for column in batch.rows.columns), strict=True)
        given.extend((RowKind(int(kind)).short_string, row) for kind, row in zip(kinds, rows, strict=True))

    for seed in rounds(4):
        # Rows that are identified by all columns, by an upsert key, and not at all.
        operator = join(kind, retracts=seed != 3, upsert_key=[1] if seed == 2 else None)
        graph = Graph([], [Node(operator, 2, [Edge(None, 0)], retentions)])
        run, snapshots = GraphRun(graph, context, [receive]), []
        model = Model(kind, retentions)
        for number, (time, side, changes) in enumerate(random_batches(seed, retracts=seed != 3)):
            given.clear()
            monkeypatch.setattr(clock, "processing_time", lambda time=time: time)
            run.push([Edge(0, side)], change_batch(changes, SCHEMA))
            assert given == model.at(time, side, changes), f"seed {seed}, {time} ms"
            if restarts and number % 6 == 5:
                snapshots.insert(0, run.snapshot(changes_only=True))
                run = GraphRun(graph, context, [receive])
                run.restore(snapshots)
