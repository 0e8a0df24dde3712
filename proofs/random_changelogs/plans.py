"""Plans of queries over the random tables, lowered once and run over several tables, with chosen batch boundaries and restores."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from unittest import mock

import numpy as np
import pyarrow as pa

from random_changelogs.restoring import through_ipc
from random_changelogs.tables import CREATE
from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation, ModifyOperation, QueryOperation
from table_api.plan.optimizer import optimize, optimize_stream
from table_common.connector import RowKind
from table_runtime.columns.batches import BATCH_ROWS, cast_to_schema
from table_runtime.planner.streaming import translate_stream
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.scans.scan_files import ScanFiles
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.graph.graph_run import GraphOutput, GraphRun
from table_runtime.streaming.graph.statement_set import StatementSet

__all__ = [
    "BatchPlan",
    "Change",
    "Content",
    "Piece",
    "Session",
    "StreamingPlan",
    "collector",
    "content_of",
    "cut_at_random",
    "cut_into_rows",
    "graph_of",
    "random_order",
    "reading",
    "table_of",
]

Change = tuple[int, tuple[Any, ...]]
"""The value of a row kind, and the values of the row."""

MOST_QUERIES = 4
"""Maximum number of queries in a statement set."""


class Content(Protocol):
    """The rows of a table; those of a log have the column ``$change``."""

    def batch(self) -> pa.RecordBatch: ...


class Piece(NamedTuple):
    """Consecutive rows of a source."""

    source: int
    start: int
    rows: int


class Session:
    """A session with tables, by default those of ``random_changelogs``, in one mode; sources read files only in ``changes``.

    ``tables`` has the columns and the format of each.
    """

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, tuple[str, str]] = CREATE,
        *,
        streaming: bool = True,
        shares: bool = False,
        mini_batch: bool = False,
        planner: str = "arrow",
    ) -> None:
        builder = EnvironmentSettings.new_instance().with_planner(planner)
        self._env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
        self.session = self._env.session
        self.planner: Any = self.session.planner
        configuration = self._env.get_config().set("table.optimizer.source.predicate-pushdown-enabled", "false")
        configuration.set("table.optimizer.reuse-sub-plan-enabled", str(shares).lower())
        configuration.set("table.exec.mini-batch.enabled", str(mini_batch).lower()).set("table.exec.mini-batch.size", "7")
        for name, (columns, format_) in tables.items():
            path = folder / f"{name}.json"
            options = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}'"
            self._env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({options})")
            path.touch()
        for number in range(MOST_QUERIES):
            self._env.execute_sql(f"CREATE TABLE sink{number} (k INT, v BIGINT, s STRING) WITH ('connector' = 'blackhole')")

    def set(self, key: str, value: str) -> None:
        """Sets an option."""
        self._env.get_config().set(key, value)

    def explain(self, query: str) -> str:
        """Returns the plan of a query as text."""
        return self._env.explain_sql(query)

    def execute(self, statement: str) -> None:
        """Executes a statement without a result."""
        self._env.execute_sql(statement)

    def operations(self, queries: Sequence[str]) -> list[ModifyOperation]:
        """Returns the operation that collects a single query, or those that write several queries to tables."""
        if len(queries) == 1:
            query = self.session.parse(queries[0])
            assert isinstance(query, QueryOperation)
            return [CollectModifyOperation(query)]
        inserts = [
            self.session.parse(f"INSERT INTO sink{number} SELECT CAST(k AS INT), CAST(v AS BIGINT), s FROM ({query})")
            for number, query in enumerate(queries)
        ]
        return [insert for insert in inserts if isinstance(insert, ModifyOperation)]

    def changes(self, query: str) -> list[Change]:
        """Runs a query as users do, over the files of the tables; returns its changes."""
        with self._env.execute_sql(query).collect() as rows:
            return [(row.get_row_kind().value, tuple(row)) for row in rows]

    def close(self) -> None:
        """Ends the session."""
        self._env.close()


class BatchPlan:
    """A query in batch mode."""

    def __init__(self, session: Session, query: str) -> None:
        (self._root,) = session.planner._lower(optimize(session.operations([query]), session.session, session.planner))

    def rows(self, tables: Mapping[str, Content]) -> Counter[tuple[Any, ...]]:
        """Returns the rows of the result."""
        return Counter(self.ordered_rows(tables))

    def ordered_rows(self, tables: Mapping[str, Content]) -> list[tuple[Any, ...]]:
        """Returns the rows of the result in their order."""
        with reading(tables), closing(ExecutionContext(parallelism=1)) as context:
            return [row for batch in self._root.batches(context) for row in _rows(batch)]


class StreamingPlan:
    """One or several queries in streaming mode, in one graph."""

    def __init__(self, session: Session, queries: Sequence[str]) -> None:
        plan = optimize_stream(session.operations(queries), session.session, session.planner)
        self._outputs = len(queries)
        self._graph: Graph | None = None
        self.late_rows: list[int] = []
        if plan is not None:
            self._graph = graph_of(translate_stream(plan, session.planner._lowering_context()))

    @property
    def keeps_state(self) -> bool:
        """Whether the queries run on changelogs; those that need no state run as in batch mode."""
        return self._graph is not None

    @property
    def graph(self) -> Graph:
        """The graph of the queries."""
        assert self._graph is not None
        return self._graph

    @property
    def shares_nodes(self) -> bool:
        """Whether a node has several readers. It passes each batch to one after the other, so if it is read after other sources, the order depends on the cuts."""
        assert self._graph is not None
        return any(len(part.edges) > 1 for part in (*self._graph.sources, *self._graph.nodes))

    def inputs(self, tables: Mapping[str, Content]) -> list[ChangeBatch]:
        """Returns the content of each source."""
        assert self._graph is not None
        with reading(tables), closing(ExecutionContext(parallelism=1)) as context:
            return [content_of(source, context) for source in self._graph.sources]

    def run(self, inputs: Sequence[ChangeBatch], pieces: Sequence[Piece], *, restores: bool = False) -> list[list[Change]]:
        """Returns the changes of each query; with ``restores`` all state is saved and restored after each piece.

        ``late_rows`` has then the number of late rows that each operator of the run dropped.
        """
        graph = self._graph
        assert graph is not None
        changes: list[list[Change]] = [[] for _ in range(self._outputs)]
        outputs = [collector(part) for part in changes]
        waiting = Counter(piece.source for piece in pieces)
        with closing(ExecutionContext(parallelism=1)) as context:
            run = GraphRun(graph, context, outputs)
            run.start()
            for source in [source for number, source in enumerate(graph.sources) if not waiting[number]]:
                run.end(source.edges)
            snapshots: list[Any] = []
            for piece in pieces:
                edges = graph.sources[piece.source].edges
                run.push(edges, inputs[piece.source].slice(piece.start, piece.rows))
                if restores:
                    if len(snapshots) == 3:
                        snapshots.clear()
                    snapshots.insert(0, [through_ipc(snapshot) for snapshot in run.snapshot(changes_only=bool(snapshots))])
                    run.restore(snapshots)
                waiting[piece.source] -= 1
                if not waiting[piece.source]:
                    run.end(edges)
            self.late_rows = [state.metrics.late_rows for state in run._states]
        return changes


def random_order(chance: random.Random, inputs: Sequence[ChangeBatch], *, in_turns: bool = True) -> list[Piece]:
    """Returns an order in which the rows of the sources arrive: source by source as in a graph that runs, or also in turns."""
    starts = [0] * len(inputs)
    pieces: list[Piece] = []
    longest = chance.choice([2, 8, BATCH_ROWS]) if in_turns else BATCH_ROWS
    while waiting := [number for number, batch in enumerate(inputs) if starts[number] < batch.num_rows]:
        source = waiting[0] if longest == BATCH_ROWS else chance.choice(waiting)
        rows = min(inputs[source].num_rows - starts[source], chance.randrange(longest) + 1 if longest < BATCH_ROWS else longest)
        if pieces and pieces[-1].source == source:
            pieces[-1] = pieces[-1]._replace(rows=pieces[-1].rows + rows)
        else:
            pieces.append(Piece(source, starts[source], rows))
        starts[source] += rows
    return pieces


def cut_at_random(chance: random.Random, pieces: Sequence[Piece], shares: Sequence[float] = (0.1, 0.3, 0.7)) -> list[Piece]:
    """Cuts pieces at a random share of all places."""
    share = chance.choice(shares)
    return [part for piece in pieces for part in _cut(piece, [n for n in range(1, piece.rows) if chance.random() < share])]


def cut_into_rows(pieces: Sequence[Piece]) -> list[Piece]:
    """Cuts pieces into single rows."""
    return [part for piece in pieces for part in _cut(piece, range(1, piece.rows))]


def _cut(piece: Piece, places: Sequence[int]) -> Iterator[Piece]:
    for start, end in zip([0, *places], [*places, piece.rows], strict=True):
        yield Piece(piece.source, piece.start + start, end - start)


def table_of(changes: Sequence[Change]) -> Counter[tuple[Any, ...]]:
    """Returns the count of each remaining row."""
    count: Counter[tuple[Any, ...]] = Counter()
    for kind, row in changes:
        count[row] += 1 if kind in (RowKind.INSERT.value, RowKind.UPDATE_AFTER.value) else -1
    return Counter({row: number for row, number in count.items() if number})


def graph_of(root: Operator) -> Graph:
    """Returns the graph that a physical plan runs."""
    while not isinstance(root, (GraphOutput, StatementSet)):
        (root,) = root.inputs
    return root.graph


def content_of(source: Source, context: ExecutionContext) -> ChangeBatch:
    """Returns all rows of a source."""
    table = pa.Table.from_batches(source.scan.batches(context), source.scan.schema).combine_chunks()
    batch = table.to_batches()[0] if len(table) else pa.RecordBatch.from_pylist([], table.schema)
    return ChangeBatch.of_numbered(batch, source.schema) if source.has_kinds else ChangeBatch(batch)


def collector(changes: list[Change]) -> Callable[[ChangeBatch], None]:
    """Returns an output that adds what it gets to a list."""

    def collect(batch: ChangeBatch) -> None:
        kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
        changes.extend(zip(kinds.tolist(), _rows(batch.rows), strict=True))

    return collect


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


@contextmanager
def reading(tables: Mapping[str, Content]) -> Iterator[None]:
    """Makes scans of files yield the rows of tables instead."""

    def batches(scan: ScanFiles, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield cast_to_schema(tables[scan.table.rpartition(".")[2]].batch().select(scan.schema.names), scan.schema)

    with mock.patch.object(ScanFiles, "batches", batches):
        yield
