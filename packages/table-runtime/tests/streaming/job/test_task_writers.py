"""Writers of sinks in tasks."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.arrow_sink import ArrowSink
from table_runtime.steps.not_null import NotNull
from table_runtime.steps.pipeline import Pipeline
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.sink_epochs import SinkEpochs
from table_runtime.streaming.job.task_writers import TaskWriters

SCHEMA = pa.schema([("k", pa.int64())])
KINDS = SCHEMA.append(pa.field("$row_kind", pa.int8()))
LOG: list[str] = []


class Provider(ArrowSinkProvider):
    """Notes what is done."""

    def __init__(self, *, commits_empty_epochs: bool = False) -> None:
        self.commits_empty = commits_empty_epochs

    @property
    def commits_empty_epochs(self) -> bool:
        return self.commits_empty

    def create_writer(self, context: WriterContext) -> SinkWriter:
        LOG.append(f"writer {context}")
        return Writer(context.task)

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        LOG.append(f"committer {context.epoch}")
        return Committer()


class Writer(SinkWriter):
    def __init__(self, task: int) -> None:
        self.content: list[Any] = [task]

    def write(self, batch: Any) -> None:
        rows = batch.to_pydict()
        if 13 in rows["k"]:
            raise ValueError("the row 13 is refused")
        self.content.append(list(zip(*rows.values(), strict=True)))

    def write_watermark(self, watermark: int) -> None:
        self.content.append(f"watermark {watermark}")

    def prepare_commit(self) -> Any:
        return self.content

    def abort(self) -> None:
        LOG.append("writer aborted")


class Committer(SinkCommitter):
    def commit(self, messages: Sequence[Any]) -> None: ...

    def abort(self, messages: Sequence[Any]) -> None:
        LOG.append(f"abort {list(messages)}")


@pytest.fixture(autouse=True)
def log() -> list[str]:
    LOG.clear()
    return LOG


def rows(*values: int | None, kinds: Sequence[int] | None = None) -> ChangeBatch:
    batch = pa.record_batch([pa.array(values, pa.int64())], schema=SCHEMA)
    return ChangeBatch(batch, None if kinds is None else np.array(kinds, np.int8))


def writers(provider: Provider, *, has_kinds: bool = False, drop: bool = False) -> TaskWriters:
    scan = object()  # cannot be pickled
    graph = Graph([], [], clock=None)  # type: ignore[arg-type]
    graph.nodes.append(lambda: scan)  # type: ignore[arg-type]
    output = GraphOutput(graph, KINDS if has_kinds else SCHEMA, has_kinds=has_kinds, before_is_deletion=True)
    above = ArrowSink(Pipeline.over(output, NotNull(output.schema, [0], "table t", drop=drop)), provider, "t", "sink")
    made = SinkEpochs(provider, "t", "job", ExecutionContext()).writers_of(OutputRows(above))
    assert made is not None
    return pickle.loads(pickle.dumps(made))  # type: ignore[no-any-return]


def test_a_task_writes_what_the_sink_gets() -> None:
    writer = writers(Provider(), has_kinds=True, drop=True)(3, 5, 7)
    writer.write(rows(None))
    assert (LOG, writer.rows) == ([], 0)
    writer.write(rows(1, None, 2, kinds=[1, 2, 2]))
    assert LOG == ["writer WriterContext(job_id='job', epoch=3, task=5, attempt=7)"]
    assert (writer.finish(), writer.rows) == ([[5, [[1, 3], [2, 2]]]], 2)


def test_a_task_without_rows_gives_no_message() -> None:
    assert writers(Provider())(3, 5, 7).finish() == ()


def test_a_failure_names_the_table() -> None:
    writer = writers(Provider())(3, 5, 7)
    with pytest.raises(TableRuntimeException, match="Writing t failed: ValueError: the row 13 is refused"):
        writer.write(rows(1, 13))
    writer.abort()
    assert LOG[-1] == "writer aborted"
    with pytest.raises(TableRuntimeException, match="Column 'k' of table t is declared NOT NULL"):
        writer.write(rows(None))


def test_rows_that_are_durable_are_not_given_up_by_their_task() -> None:
    writer = writers(Provider())(3, 5, 7)
    writer.write(rows(1))
    writer.finish()
    writer.abort()
    assert "writer aborted" not in LOG


def test_messages_of_tasks_are_in_their_order() -> None:
    sink = SinkEpochs(Provider(), "t", "job", ExecutionContext())
    sink.take({4: ["d"], 1: ["a", "b"]}, 9)
    assert (sink.prepare(3, 1000), sink.take_rows()) == (["a", "b", "d"], 9)
    assert sink.prepare(4, 1000) == []


def test_the_watermark_of_all_tasks_comes_by_a_writer_without_rows() -> None:
    sink = SinkEpochs(Provider(commits_empty_epochs=True), "t", "job", ExecutionContext())
    sink.take({4: ["d"], 1: ["a"]}, 2)
    assert sink.prepare(3, 1000) == ["a", "d", [5, "watermark 1000"]]
    assert sink.prepare(4, None) == [[0]]


def test_what_is_staged_and_not_decided_is_discarded_by_the_owner() -> None:
    sink = SinkEpochs(Provider(), "t", "job", ExecutionContext())
    sink.take({1: ["a"]}, 1)
    sink.discard_staged(3)
    assert LOG == ["committer 3", "abort []"]
    assert sink.prepare(3, None) == []
