"""Runs changelog operators on rows with kinds, and returns their output; and streaming environments with unbounded sources."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.delegation import JobClient
from table_common.connector import DynamicTableSource, RowKind
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.values import ValuesTableFactory
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph import state_copy
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.state_copy import CopiedState, StateCopy
from table_runtime.streaming.operators.operator import AnyOperator, OperatorState
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.state.snapshots import Snapshot
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_testing.line_log import LineLog, LineLogSource, append_lines

LIMIT_SECONDS = 20.0
Change = tuple[str, tuple[Any, ...]]
"""A row kind as ``+I``, and the values."""
Give = Callable[..., list[Change]]
Run = Callable[..., tuple[list[Change], int]]
"""Returns the changes, and the number of late rows."""


class Model(Protocol):
    """What an operator does with one row after the other, and at watermarks between them."""

    out: list[tuple[Any, ...]]
    late: int

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        """Takes a row of an input, which comes while a watermark is in force."""

    def fire(self, watermark: int) -> None:
        """Takes a new watermark."""


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

    The list, empty at first, holds the snapshots of a run, the newest first: the first is whole, those after it hold changes only. ``copy`` takes the place of one.
    """

    def restored(operator: AnyOperator, state: OperatorState, snapshots: list[Snapshot], copy: StateCopy | None = None) -> OperatorState:
        if copy is not None:
            (copied,) = copy.finish()
            rounds = [_through_ipc(snapshot) for snapshot in copied.snapshots()][::-1]
            snapshots[:] = rounds if rounds[-1].is_whole else [*rounds, *snapshots]
        else:
            snapshots.insert(0, _through_ipc(state.snapshot(changes_only=bool(snapshots))))
        fresh: OperatorState = operator.create_state(context)
        fresh.restore(snapshots)
        fresh.count_on(state)
        return fresh

    return restored


RESTORES = 12


@pytest.fixture(autouse=True)
def no_operator_emits_before_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks that ``on_watermark`` emits nothing at a watermark before the one that ``next_due`` has returned."""
    reach = GraphRun._reach

    def checked(run: GraphRun, number: int, time: int) -> bool:
        due, emit = run._operators[number].next_due(run._states[number]), run._emitters[number]

        def emitted(changes: ChangeBatch) -> None:
            assert time >= due or not changes.num_rows, (
                f"{run._operators[number].name} emitted rows at {time}, and said that it is due at {due}"
            )
            emit(changes)

        run._emitters[number] = emitted
        try:
            return reach(run, number, time)
        finally:
            run._emitters[number] = emit

    monkeypatch.setattr(GraphRun, "_reach", checked)


@pytest.fixture(params=["kept", "restored"])
def give(
    request: pytest.FixtureRequest,
    context: ExecutionContext,
    restored: Callable[[AnyOperator, OperatorState, list[Snapshot], StateCopy | None], OperatorState],
    monkeypatch: pytest.MonkeyPatch,
) -> Give:
    """Pushes changes of one input, or pairs of an input's number and a change, in batches of ``size`` rows.

    The state is kept in one run of each test; in another it is written and read back about ``RESTORES`` times, copied in pieces while rows come or at once.
    """
    _copy_few(monkeypatch)

    def run(operator: AnyOperator, schema: pa.Schema | tuple[pa.Schema, ...], changes: Sequence[Any], size: int = 1000) -> list[Change]:
        state = operator.create_state(context)
        given: list[Change] = []
        snapshots: list[Snapshot] = []
        copy: StateCopy | None = None

        def receive(batch: ChangeBatch) -> None:
            given.extend(_changes_of(batch))

        numbered = [change if isinstance(change[0], int) else (0, change) for change in changes]
        cuts = list(_cuts([number for number, _ in numbered], size))
        for position, (start, end) in enumerate(cuts):
            number = numbered[start][0]
            of_input = schema[number] if isinstance(schema, tuple) else schema
            operator.process(_change_batch([change for _, change in numbered[start:end]], of_input), number, state, receive)
            if request.param == "restored" and position % (1 + len(cuts) // RESTORES) == 0:
                state = restored(operator, state, snapshots, copy)
                copy = StateCopy([state], changes_only=len(snapshots) < 6) if len(snapshots) >= 4 else None
            elif copy is not None:
                copy.step()
        return given

    return run


@pytest.fixture(params=["kept", "restored"])
def run_in_time(request: pytest.FixtureRequest, context: ExecutionContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs an operator after an assigner of watermarks for each input, over rows or pairs of an input's number and a row.

    The time is the column ``t``, and the watermark ``delay`` milliseconds less. Times of the result are in milliseconds. ``between`` are operators
    between the assigner and the operator. In one run of each test, the graph is written and read back about ``RESTORES`` times.
    """
    _copy_few(monkeypatch)

    def run(
        operator: AnyOperator,
        schema: pa.Schema | tuple[pa.Schema, ...],
        rows: Sequence[Any],
        size: int = 1000,
        *,
        interval: int = 0,
        delay: int = 0,
        between: Sequence[AnyOperator] = (),
    ) -> tuple[list[Change], int]:
        schemas = schema if isinstance(schema, tuple) else (schema,)
        graph = Graph(nodes=[_assigner(of_input, interval, delay) for of_input in schemas])
        last = len(schemas) + len(between)
        for number in range(len(schemas)):
            graph.nodes[number].edges.append(Edge(len(schemas) if between else last, number))
        for number, step in enumerate(between, len(schemas)):
            graph.nodes.append(Node(step, 1, [Edge(number + 1, 0)]))
        graph.nodes.append(Node(operator, len(schemas), [Edge(None, 0)]))
        states: list[OperatorState] = []
        create_state = type(operator).create_state

        def create(context: ExecutionContext) -> OperatorState:
            states.append(create_state(operator, context))
            return states[-1]

        operator.create_state = create  # type: ignore[method-assign]  # to read the counters of each state
        given: list[Change] = []
        runner = GraphRun(graph, context, [lambda batch: given.extend(_changes_of(batch))])
        runner.start()
        snapshots: list[list[Snapshot]] = []
        copy: StateCopy | None = None
        is_whole = True
        numbered = [row if isinstance(row[0], int) and isinstance(row[1], tuple) else (0, row) for row in rows]
        cuts = list(_cuts([number for number, _ in numbered], size))
        for position, (start, end) in enumerate(cuts):
            number = numbered[start][0]
            runner.push([Edge(number, 0)], _timed_batch([row for _, row in numbered[start:end]], schemas[number]))
            if request.param == "restored" and position % (1 + len(cuts) // RESTORES) == 0:
                if copy is not None:
                    rounds = _rounds(copy.finish(), runner.watermarks())
                    snapshots = rounds if is_whole else [*rounds, *snapshots]
                else:
                    snapshots.insert(0, runner.snapshot(changes_only=bool(snapshots)))
                runner = GraphRun(graph, context, [lambda batch: given.extend(_changes_of(batch))])
                runner.restore(snapshots)
                is_whole = len(snapshots) >= 6
                copy = runner.copy_state(changes_only=not is_whole) if len(snapshots) >= 4 else None
            elif copy is not None:
                copy.step()
        for number in range(len(schemas)):
            runner.end([Edge(number, 0)])
        return given, sum(metrics.late_rows for metrics in {state.metrics for state in states})

    return run


def _copy_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a step of a copy be one piece of a key or two."""
    for name, value in (("_STEP_SECONDS", 0.0), ("_FIRST_KEYS", 1), ("_MOST_KEYS", 2), ("_LEAST_KEYS", 1)):
        monkeypatch.setattr(state_copy, name, value)


def _rounds(copied: Sequence[CopiedState], watermarks: Sequence[tuple[int, ...]]) -> list[list[Snapshot]]:
    """Returns the rounds of a copy as snapshots of a run, the newest first."""
    columns = [list(state.snapshots())[::-1] for state in copied]
    longest = max(map(len, columns))
    rows = [[column[row] if row < len(column) else Snapshot({}, is_whole=False) for column in columns] for row in range(longest)]
    rows[0] = [snapshot._replace(watermarks=marks) for snapshot, marks in zip(rows[0], watermarks, strict=True)]
    return rows


def _assigner(schema: pa.Schema, interval: int, delay: int) -> Node:
    time = schema.get_field_index("t")

    def values(rows: pa.RecordBatch) -> pa.Array:
        return pa.array(np.asarray(rows.column(time).cast(pa.int64())) - delay * 1000).cast(schema.field(time).type)

    return Node(WatermarkAssigner(schema, time, values, interval=interval, table="t"), 1, [])


@pytest.fixture
def expected_in_time() -> Callable[..., tuple[list[tuple[Any, ...]], int]]:
    """Gives rows, or pairs of an input's number and a row, to a model, with the watermarks between them."""

    def expected(
        model: Model, rows: Sequence[Any], *, interval: int = 0, delay: int = 0, time: int = 1, inputs: int = 1
    ) -> tuple[list[tuple[Any, ...]], int]:
        greatest, emitted, reached = [NO_WATERMARK] * inputs, [NO_WATERMARK] * inputs, NO_WATERMARK
        for each in rows:
            number, row = each if isinstance(each[0], int) and isinstance(each[1], tuple) else (0, each)
            model.row(number, row, min(emitted))
            greatest[number] = max(greatest[number], row[time] - delay)
            if greatest[number] - emitted[number] > interval:
                emitted[number] = greatest[number]
            if min(emitted) > reached:
                reached = min(emitted)
                model.fire(reached)
        model.fire(END_OF_TIME)
        return model.out, model.late

    return expected


@pytest.fixture
def random_times() -> Callable[..., list[tuple[Any, ...]]]:
    """Makes rows (key, time, number of the row, value) whose times go forward, and sometimes back by up to ``spread`` milliseconds."""

    def make(seed: int, length: int = 50, *, spread: int = 30) -> list[tuple[Any, ...]]:
        chance = random.Random(seed)
        now, rows = 1000, []
        for number in range(length):
            now += chance.choice([0, 0, 1, 2, 5, 5, 20])
            time = now - chance.choice([0, 0, chance.randrange(5), chance.randrange(spread)])
            rows.append((chance.choice([None, "a", "a", "b"]), time, number, chance.choice([None, 1, 2, 3])))
        return rows

    return make


def _timed_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> ChangeBatch:
    """Returns insertions; times of the rows are in milliseconds."""
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(column, pa.timestamp("ms", field.type.tz)).cast(field.type)
        if pa.types.is_timestamp(field.type)
        else pa.array(column, field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def _changes_of(batch: ChangeBatch) -> Iterator[Change]:
    """Yields the changes of a batch; times are in milliseconds."""
    kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
    columns = [
        column.cast(pa.timestamp("ms", column.type.tz)).cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
        for column in batch.rows.columns
    ]
    for kind, row in zip(kinds, zip(*(column.to_pylist() for column in columns), strict=True), strict=True):
        yield RowKind(int(kind)).short_string, row


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


@pytest.fixture
def line_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the connector ``values`` whose ``data-id`` is a folder are line logs; ``changes:`` and ``bounded:`` before it say which."""

    def create(_: object, context: DynamicTableFactory.Context) -> DynamicTableSource:
        *kinds, folder = context.catalog_table.options["data-id"].split(":")
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        return LineLogSource(LineLog(folder, row_type, with_kinds="changes" in kinds, bounded="bounded" in kinds))

    monkeypatch.setattr(ValuesTableFactory, "create_dynamic_table_source", create)


@pytest.fixture
def is_away(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether line logs do not answer, as one item that tests change."""
    away = [False]
    latest = LineLog.latest_offset

    def flaky(self: LineLog, *arguments: Any) -> Any:
        if away[0]:
            raise ConnectionResetError("the source is away")
        return latest(self, *arguments)

    monkeypatch.setattr(LineLog, "latest_offset", flaky)
    return away


@pytest.fixture
def new_env(line_logs: None) -> Iterator[Callable[[], TableEnvironment]]:
    """Makes streaming environments, which are closed after the test."""
    made: list[TableEnvironment] = []

    def make() -> TableEnvironment:
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
        env = TableEnvironment.create(settings)
        env.get_config().set("table.local-time-zone", "UTC").set("table.exec.sink.commit-interval", "50 ms")
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()


@pytest.fixture
def env(new_env: Callable[[], TableEnvironment]) -> TableEnvironment:
    """A streaming environment."""
    return new_env()


@pytest.fixture
def log_table(tmp_path: Path) -> Callable[..., Path]:
    """Creates a table over a line log; returns the folder of its partitions."""

    def create(env: TableEnvironment, name: str, columns: str, kinds: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'values', 'data-id' = '{kinds}{folder}')")
        return folder

    return create


@pytest.fixture
def copy_job(env: TableEnvironment, log_table: Callable[..., Path], tmp_path: Path) -> Callable[[], JobClient]:
    """Starts a job that copies rows; it has one row to copy."""
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")

    def start() -> JobClient:
        job = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
        assert job is not None
        return job

    return start


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Waits until a condition holds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true"
            time.sleep(0.005)

    return wait
