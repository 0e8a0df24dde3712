"""Runs changelog operators: rows in, rows with their kinds out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_runtime.changelog.batch import ChangeBatch
from table_runtime.changelog.operator import AnyOperator, OperatorState
from table_runtime.changelog.state.snapshots import Snapshot
from table_runtime.operators.execution import ExecutionContext

Change = tuple[str, tuple[Any, ...]]
"""A row kind as ``+I``, and the values."""
Give = Callable[..., list[Change]]

_KINDS = {kind.short_string: kind.value for kind in RowKind}


@pytest.fixture
def context() -> Iterator[ExecutionContext]:
    context = ExecutionContext(parallelism=1)
    yield context
    context.close()


@pytest.fixture
def random_changelog() -> Callable[..., list[Change]]:
    """Makes insertions of random rows and retractions of rows that are there."""
    return _random_changelog


@pytest.fixture
def table_of() -> Callable[[Sequence[Change]], list[str]]:
    """Returns the rows that remain, as sorted texts."""
    return _table_of


@pytest.fixture
def change_batch() -> Callable[[Sequence[Change], pa.Schema], ChangeBatch]:
    """Makes a batch of changes."""
    return _change_batch


@pytest.fixture
def restored(context: ExecutionContext) -> Callable[[AnyOperator, OperatorState, list[Snapshot]], OperatorState]:
    """Snapshots a state, and returns a fresh one restored from it through IPC bytes.

    The list, empty at first, holds the snapshots of a run, the newest first: every fourth is whole, those between hold changes only.
    """

    def restored(operator: AnyOperator, state: OperatorState, snapshots: list[Snapshot]) -> OperatorState:
        if len(snapshots) == 4:
            snapshots.clear()
        snapshots.insert(0, _through_ipc(state.snapshot(changes_only=bool(snapshots))))
        fresh: OperatorState = operator.create_state(context)
        fresh.restore(snapshots)
        fresh.ignored_retractions = state.ignored_retractions
        return fresh

    return restored


RESTORES = 12


@pytest.fixture(params=["kept", "restored"])
def give(
    request: pytest.FixtureRequest,
    context: ExecutionContext,
    restored: Callable[[AnyOperator, OperatorState, list[Snapshot]], OperatorState],
) -> Give:
    """Pushes changes of one input, or pairs of an input's number and a change, in batches of ``size`` rows.

    The state is kept in one run of each test; in another it is written and read back about ``RESTORES`` times.
    """

    def run(operator: AnyOperator, schema: pa.Schema | tuple[pa.Schema, ...], changes: Sequence[Any], size: int = 1000) -> list[Change]:
        state = operator.create_state(context)
        given: list[Change] = []
        snapshots: list[Snapshot] = []

        def receive(batch: ChangeBatch) -> None:
            kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
            rows = zip(*(column.to_pylist() for column in batch.rows.columns), strict=True)
            given.extend((RowKind(int(kind)).short_string, row) for kind, row in zip(kinds, rows, strict=True))

        numbered = [change if isinstance(change[0], int) else (0, change) for change in changes]
        cuts = list(_cuts([number for number, _ in numbered], size))
        for position, (start, end) in enumerate(cuts):
            number = numbered[start][0]
            of_input = schema[number] if isinstance(schema, tuple) else schema
            operator.process(_change_batch([change for _, change in numbered[start:end]], of_input), number, state, receive)
            if request.param == "restored" and position % (1 + len(cuts) // RESTORES) == 0:
                state = restored(operator, state, snapshots)
        return given

    return run


def _through_ipc(snapshot: Snapshot) -> Snapshot:
    """Writes the batches of each table as one stream, and reads them back."""
    result: dict[int, dict[str, pa.RecordBatch]] = {bucket: {} for bucket in snapshot.buckets}
    for name in next(iter(snapshot.buckets.values()), {}):
        target = pa.BufferOutputStream()
        parts = [tables[name] for tables in snapshot.buckets.values()]
        with pa.ipc.new_stream(target, parts[0].schema) as writer:
            for part in parts:
                writer.write_batch(part)
        for bucket, batch in zip(snapshot.buckets, pa.ipc.open_stream(target.getvalue()), strict=True):
            result[bucket][name] = batch
    return Snapshot(result, snapshot.is_whole)


def _change_batch(changes: Sequence[Change], schema: pa.Schema) -> ChangeBatch:
    """Returns the changes as a batch."""
    columns = zip(*(row for _, row in changes), strict=True) if changes else ((),) * len(schema)
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, schema, strict=True)]
    kinds = np.array([_KINDS[kind] for kind, _ in changes], np.int8)
    return ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=schema), kinds)


def _cuts(inputs: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    start = 0
    for position in range(1, len(inputs) + 1):
        if position == len(inputs) or inputs[position] != inputs[start] or position - start == size:
            yield start, position
            start = position


def _random_changelog(
    seed: int, row: Callable[[random.Random], tuple[Any, ...]], length: int = 60, retractions: float = 0.35
) -> list[Change]:
    """Returns insertions of random rows and retractions of rows that are there."""
    chance = random.Random(seed)
    present: list[tuple[Any, ...]] = []
    changes: list[Change] = []
    for _ in range(length):
        if present and chance.random() < retractions:
            old = present.pop(chance.randrange(len(present)))
            if chance.random() < 0.5:
                changes.append(("-D", old))
            else:
                new = row(chance)
                present.append(new)
                changes += [("-U", old), ("+U", new)]
        else:
            new = row(chance)
            present.append(new)
            changes.append(("+I", new))
    return changes


def _table_of(changes: Sequence[Change]) -> list[str]:
    """Returns the rows that remain, as sorted texts."""
    rows: list[str] = []
    for kind, row in changes:
        if kind[0] == "+":
            rows.append(repr(row))
        else:
            rows.remove(repr(row))
    return sorted(rows)
