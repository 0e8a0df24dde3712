"""A statement up to a savepoint, and another one that resumes after it: all in memory, by the code that jobs run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple
from unittest import mock

from random_changelogs.plans import Change, Session, collector, content_of, graph_of, reading
from random_changelogs.restoring import through_ipc

from random_upgrades.tables import Rows
from table_api.plan.optimizer import optimize_stream
from table_runtime.planner.streaming import translate_stream
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_compatibility import Upgrade
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job import recovery
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.job.upgrade_check import describe_upgrade, positions_of, upgrade_of

__all__ = ["Savepoint", "Statement", "Turn"]

SINK = "sink"


class Turn(NamedTuple):
    """Rows of one table that come together."""

    table: str
    start: int
    end: int


class File(NamedTuple):
    """The state of an operator, by its name."""

    operator: str
    rows: int = 0


class Savepoint(NamedTuple):
    """What a run has left: a manifest whose files are in ``snapshots``."""

    manifest: Manifest
    snapshots: Mapping[str, Any]


class Statement:
    """A query in streaming mode, lowered to a graph."""

    def __init__(self, session: Session, query: str) -> None:
        plan = optimize_stream(session.operations([query]), session.session, session.planner)
        self.graph: Graph | None = None
        if plan is not None:
            self.graph = graph_of(translate_stream(plan, session.planner._lowering_context()))
            self.layout = layout_of(self.graph, [SINK])

    @property
    def keeps_state(self) -> bool:
        """Whether an operator keeps rows."""
        return self.graph is not None and bool(self.layout.signatures)

    def upgrade(self, manifest: Manifest) -> Upgrade:
        """Returns what the statement uses of the state of another one."""
        return upgrade_of(manifest, self.layout)

    def describe(self, manifest: Manifest) -> str:
        """Returns that in words."""
        return describe_upgrade(manifest, self.layout, self.upgrade(manifest))

    def manifest(self, tables: Mapping[str, Rows] | None = None, run: GraphRun | None = None) -> Manifest:
        """Returns the manifest of a run at its savepoint; without a run, one that can be compared."""
        assert self.graph is not None
        watermarks = [()] * len(self.graph.nodes) if run is None else run.watermarks()
        states = {
            name: OperatorFiles((File(name),), given, self.layout.signatures.get(name), str(node.operator), self.layout.operator_ids[name])  # type: ignore[arg-type]
            for name, node, given in zip(self.layout.operators, self.graph.nodes, watermarks, strict=True)
        }
        sources = {name: {"offset": _rows_of(tables, name).cut} for name in self.layout.sources} if tables is not None else {}
        return Manifest("job", 0, "run", 0, 0, sources, states, {}, {}, 0, self.layout.scans)

    def begin(self, tables: Mapping[str, Rows], turns: Sequence[Turn]) -> tuple[Savepoint, list[Change]]:
        """Runs the statement over the first rows; returns its savepoint and its changes."""
        assert self.graph is not None
        changes: list[Change] = []
        with closing(ExecutionContext(parallelism=1)) as context:
            run = GraphRun(self.graph, context, [collector(changes)])
            run.start()
            self._push(run, tables, turns, [0] * len(self.graph.sources))
            snapshots = dict(zip(self.layout.operators, (through_ipc(one) for one in run.snapshot()), strict=True))
            return Savepoint(self.manifest(tables, run), snapshots), changes

    def go_on(self, savepoint: Savepoint, tables: Mapping[str, Rows], turns: Sequence[Turn]) -> list[Change]:
        """Runs the statement after a savepoint, over the other rows and to the end; returns its changes."""
        assert self.graph is not None
        manifest, changes = savepoint.manifest, list[Change]()
        restore_point = RestorePoint(1, manifest, None, upgrade=self.upgrade(manifest))  # type: ignore[arg-type]  # no files are read
        positions = positions_of(manifest, self.layout)
        starts = [manifest.sources[positions[name]]["offset"] if name in positions else 0 for name in self.layout.sources]
        with (
            closing(ExecutionContext(parallelism=1)) as context,
            mock.patch.object(recovery, "read_states", lambda _, files: [savepoint.snapshots[file.operator] for file in files]),
        ):
            run = GraphRun(self.graph, context, [collector(changes)])
            run.restore(restore_point.state(self.layout, context))
            self._push(run, tables, turns, starts)
            for source in self.graph.sources:
                run.end(source.edges)
        return changes

    def _push(self, run: GraphRun, tables: Mapping[str, Rows], turns: Sequence[Turn], starts: list[int]) -> None:
        graph = self.graph
        assert graph is not None
        with reading(tables), closing(ExecutionContext(parallelism=1)) as context:
            contents: list[ChangeBatch] = [content_of(source, context) for source in graph.sources]
        for turn in turns:
            for number, source in enumerate(graph.sources):
                if source.table.rpartition(".")[2] == turn.table:
                    if turn.end > starts[number]:
                        run.push(source.edges, contents[number].slice(starts[number], turn.end - starts[number]))
                    starts[number] = max(turn.end, starts[number])


def _rows_of(tables: Mapping[str, Rows], source: str) -> Rows:
    return tables[source.rpartition("#")[0].rpartition(".")[2]]


def difference(found: Counter[Any], expected: Counter[Any]) -> list[str]:
    """Returns the rows that one table has and the other has not."""
    rows = sorted({row for row in (*found, *expected) if found[row] != expected[row]}, key=repr)
    return [f"{row}: {found[row]} found, {expected[row]} expected" for row in rows[:12]]
