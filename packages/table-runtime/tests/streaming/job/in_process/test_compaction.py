from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job.in_process import compaction
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.operators.group_aggregate import GroupAggregate

Eventually = Callable[[Callable[[], bool]], None]
SCHEMA = pa.schema([("k", pa.int64())])
COUNT = AggregateColumn(make_accumulator(aggregates.COUNT, AggregateSpec("COUNT", (), BigIntType(nullable=False), ())))


class Counts:
    """A count per key, and the files of its state."""

    def __init__(self, folder: JobFolder) -> None:
        operator = GroupAggregate(SCHEMA.append(pa.field("n", pa.int64())), SCHEMA, [0], [COUNT], retracted=[True], gives_before=True)
        self.graph = Graph([], [Node(operator, 1, [Edge(None, 0)])])
        self.folder = folder
        self.changes: list[ChangeBatch] = []
        self.run = GraphRun(self.graph, ExecutionContext(), [self.changes.append])
        self.files: tuple[StateFile, ...] = ()

    def push(self, *keys: int) -> None:
        self.run.push([Edge(0, 0)], ChangeBatch(pa.record_batch([pa.array(keys, pa.int64())], schema=SCHEMA)))

    def save(self, epoch: int) -> Manifest:
        (snapshot,) = self.run.snapshot(changes_only=True)
        self.files = (write_state(self.folder.store, f"states/{epoch}", snapshot), *self.files)
        return Manifest("job", epoch, "run", 0, 0, {}, {"a": OperatorFiles(self.files, ())}, {}, {})


@pytest.fixture
def counts(tmp_path: Path) -> Counts:
    return Counts(JobFolder.open(str(tmp_path), "job", "arrow"))


def test_files_are_replaced_by_one_that_says_the_same(counts: Counts, eventually: Eventually, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_MOST_FILES", 3)
    compacted = Compaction(counts.folder, "run", {"a": counts.graph.nodes[0]}, ExecutionContext())
    for epoch in range(4):
        counts.push(*range(epoch, 10 * epoch + 5), 77)
        manifest = counts.save(epoch)
        compacted.consider(manifest)
    eventually(lambda: not compacted.is_busy)
    counts.push(1000)
    later = counts.save(4)
    files = compacted.replaced("a", later.states["a"].files)
    assert [file.is_base for file in files] == [False, True]
    assert compacted.replaced("a", files) == files
    results = []
    for state in (counts.files, files):
        run = GraphRun(counts.graph, ExecutionContext(), [results.append])
        run.restore([[read_state(counts.folder.store, file)] for file in state])
        run.push([Edge(0, 0)], ChangeBatch(pa.record_batch([pa.array([1, 20, 77, 999, 1000])], schema=SCHEMA)))
    assert results[0].rows.equals(results[1].rows)


def test_few_rows_in_few_files_are_left_alone(counts: Counts) -> None:
    compacted = Compaction(counts.folder, "run", {"a": counts.graph.nodes[0]}, ExecutionContext())
    for epoch in range(3):
        counts.push(epoch)
        compacted.consider(counts.save(epoch))
    assert not compacted.is_busy
    assert compacted.replaced("a", counts.files) == counts.files
