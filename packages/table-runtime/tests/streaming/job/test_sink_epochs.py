from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.job.sink_epochs import SinkEpochs

BATCH = pa.record_batch({"a": [1, 2]})
LOG: list[str] = []


class Sink(ArrowSinkProvider, SinkWriter, SinkCommitter):
    """Records the calls."""

    def __init__(self, *, local: bool = False) -> None:
        LOG.clear()
        self.local = local

    @property
    def is_local(self) -> bool:
        return self.local

    def create_writer(self, context: WriterContext) -> SinkWriter:
        LOG.append(f"writer {context.job_id} {context.epoch}")
        return self

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        LOG.append(f"committer {context.job_id} {context.epoch}")
        return self

    def write(self, batch: Any) -> None:
        if batch.num_rows == 0:
            raise ValueError("an empty batch")

    def prepare_commit(self) -> Any:
        return "message"

    def commit(self, messages: Any) -> None:
        LOG.append(f"commit {list(messages)}")

    def abort(self, messages: Any = None) -> None:
        LOG.append(f"abort {messages}")


def epochs(sink: Sink) -> SinkEpochs:
    return SinkEpochs(sink, "t", "job", ExecutionContext())


def test_a_writer_is_opened_for_an_epoch_with_rows() -> None:
    sink = epochs(Sink())
    assert sink.prepare(1, None) == []
    sink.commit(1, [])
    assert LOG == []
    sink.write(BATCH, 2)
    sink.write(BATCH, 2)
    sink.commit(2, sink.prepare(2, None))
    assert LOG == ["writer job 2", "committer job 2", "commit ['message']"]
    assert (sink.rows, sink.take_rows(), sink.take_rows()) == (4, 4, 0)


def test_the_committer_of_a_local_sink_comes_first() -> None:
    sink = epochs(Sink(local=True))
    sink.write(BATCH, 1)
    sink.commit(1, sink.prepare(1, None))
    assert LOG == ["committer job 1", "writer job 1", "commit ['message']"]


def test_writes_and_messages_are_discarded() -> None:
    sink = epochs(Sink())
    sink.write(BATCH, 1)
    sink.abort()
    sink.abort()
    assert LOG == ["writer job 1", "abort None"]
    sink.discard(1, ["message"])
    assert LOG[2:] == ["committer job 1", "abort ['message']"]


def test_an_error_names_the_table() -> None:
    with pytest.raises(TableRuntimeException, match="Writing t failed: ValueError: an empty batch"):
        epochs(Sink()).write(BATCH.slice(2), 1)
