"""Writes through a connector's writer and committer: rows appear at the commit of the run, and failures leave nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException
from table_runtime.batch.values import Values
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.arrow_sink import ArrowSink

SCHEMA = pa.schema([("a", pa.int64())])


class Recorder(ArrowSinkProvider):
    """Records all calls; ``failures`` are raised by the calls of their names."""

    def __init__(self, **failures: Exception) -> None:
        self.calls: list[Any] = []
        self.failures = failures

    def record(self, name: str, *values: Any) -> None:
        self.calls.append((name, *values) if values else name)
        if name in self.failures:
            raise self.failures[name]

    def create_writer(self, context: WriterContext) -> SinkWriter:
        self.record("create_writer", context.job_id)
        return Writer(self)

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        self.record("create_committer", context.job_id)
        return Committer(self)


class Writer(SinkWriter):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def write(self, batch: SupportsArrowArray) -> None:
        self._recorder.record("write", pa.record_batch(batch).column(0).to_pylist())

    def prepare_commit(self) -> CommitMessage:
        self._recorder.record("prepare_commit")
        return "message"

    def abort(self) -> None:
        self._recorder.record("abort writer")


class Committer(SinkCommitter):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def commit(self, messages: Sequence[CommitMessage]) -> None:
        self._recorder.record("commit", list(messages))

    def abort(self, messages: Sequence[CommitMessage]) -> None:
        self._recorder.record("abort", list(messages))


@pytest.fixture
def context() -> Iterator[ExecutionContext]:
    execution = ExecutionContext(job_id="job", parallelism=1)
    yield execution
    execution.close()


def sink(recorder: ArrowSinkProvider, batches: Callable[[], Sequence[pa.RecordBatch]]) -> ArrowSink:
    return ArrowSink(Values(SCHEMA, batches, 0), recorder, "db.t", "Recorder")


def batches_of(*values: list[int]) -> Callable[[], list[pa.RecordBatch]]:
    return lambda: [pa.RecordBatch.from_arrays([pa.array(part, pa.int64())], schema=SCHEMA) for part in values]


TWO_BATCHES = batches_of([1, 2], [3])
CREATED = [("create_writer", "job-0"), ("create_committer", "job-0")]


def rows_of(operator: ArrowSink, context: ExecutionContext) -> list[dict[str, int]]:
    return [row for batch in operator.batches(context) for row in batch.to_pylist()]


def test_a_sink_yields_the_number_of_its_rows(context: ExecutionContext) -> None:
    assert rows_of(sink(Recorder(), TWO_BATCHES), context) == [{"db.t": 3}]


def test_nothing_is_committed_before_the_run_commits(context: ExecutionContext) -> None:
    recorder = Recorder()
    rows_of(sink(recorder, TWO_BATCHES), context)
    assert recorder.calls == [*CREATED, ("write", [1, 2]), ("write", [3]), "prepare_commit"]


def test_the_run_commits_the_message_of_the_writer(context: ExecutionContext) -> None:
    recorder = Recorder()
    rows_of(sink(recorder, TWO_BATCHES), context)
    context.commit()
    assert recorder.calls[-1] == ("commit", ["message"])


def test_an_empty_input_is_committed_without_a_write(context: ExecutionContext) -> None:
    recorder = Recorder()
    assert rows_of(sink(recorder, batches_of([])), context) == [{"db.t": 0}]
    context.commit()
    assert recorder.calls == [*CREATED, "prepare_commit", ("commit", ["message"])]


def test_a_slice_is_written_without_its_neighbors(context: ExecutionContext) -> None:
    recorder = Recorder()
    (batch,) = batches_of([1, 2, 3])()
    rows_of(sink(recorder, lambda: [batch.slice(1, 1)]), context)
    assert ("write", [2]) in recorder.calls


def test_two_sinks_of_a_run_have_two_names(context: ExecutionContext) -> None:
    recorder = Recorder()
    for _ in range(2):
        rows_of(sink(recorder, TWO_BATCHES), context)
    assert [call[1] for call in recorder.calls if call[0] == "create_writer"] == ["job-0", "job-1"]


def test_a_run_that_is_closed_without_a_commit_aborts_the_message(context: ExecutionContext) -> None:
    recorder = Recorder()
    rows_of(sink(recorder, TWO_BATCHES), context)
    context.close()
    assert recorder.calls[-1] == ("abort", ["message"])


@pytest.mark.parametrize("name", ["create_writer", "create_committer", "write", "prepare_commit"])
def test_a_failure_of_the_connector_has_the_name_of_the_table(name: str, context: ExecutionContext) -> None:
    with pytest.raises(TableRuntimeException, match=r"^Writing db\.t failed: OSError: full$"):
        rows_of(sink(Recorder(**{name: OSError("full")}), TWO_BATCHES), context)


def test_a_failed_commit_has_the_name_of_the_table(context: ExecutionContext) -> None:
    rows_of(sink(Recorder(commit=OSError("full")), TWO_BATCHES), context)
    with pytest.raises(TableRuntimeException, match=r"^Writing db\.t failed: OSError: full$"):
        context.commit()


def test_an_error_with_a_message_of_its_own_is_not_changed(context: ExecutionContext) -> None:
    error = TableException("The table was dropped.")
    with pytest.raises(TableException) as caught:
        rows_of(sink(Recorder(write=error), TWO_BATCHES), context)
    assert caught.value is error


@pytest.mark.parametrize("name", ["write", "prepare_commit"])
def test_a_failed_write_is_aborted_by_writer_and_committer(name: str, context: ExecutionContext) -> None:
    recorder = Recorder(**{name: OSError("full")})
    with pytest.raises(TableRuntimeException):
        rows_of(sink(recorder, TWO_BATCHES), context)
    assert recorder.calls[-2:] == ["abort writer", ("abort", [])]


def test_a_writer_is_aborted_if_there_is_no_committer(context: ExecutionContext) -> None:
    recorder = Recorder(create_committer=OSError("full"))
    with pytest.raises(TableRuntimeException):
        rows_of(sink(recorder, TWO_BATCHES), context)
    assert recorder.calls[-1] == "abort writer"


def test_a_failing_abort_does_not_hide_the_failure(context: ExecutionContext) -> None:
    recorder = Recorder(**{"write": OSError("full"), "abort writer": OSError("second"), "abort": OSError("third")})
    with pytest.raises(TableRuntimeException, match="full"):
        rows_of(sink(recorder, TWO_BATCHES), context)
    assert recorder.calls[-1] == ("abort", [])


def test_a_failing_input_aborts_the_write(context: ExecutionContext) -> None:
    def fail() -> Sequence[pa.RecordBatch]:
        raise TableException("no input")

    recorder = Recorder()
    with pytest.raises(TableException, match="no input"):
        rows_of(sink(recorder, fail), context)
    assert recorder.calls == [*CREATED, "abort writer", ("abort", [])]


def test_a_job_that_is_cancelled_while_it_prepares_the_commit_aborts_its_message(context: ExecutionContext) -> None:
    class Cancelling(Recorder):
        def record(self, name: str, *values: Any) -> None:
            super().record(name, *values)
            if name == "prepare_commit":
                context.token.cancel()

    recorder = Cancelling()
    with pytest.raises(JobCancelledException):
        rows_of(sink(recorder, TWO_BATCHES), context)
    assert recorder.calls[-2:] == ["prepare_commit", ("abort", ["message"])]


def test_an_abort_after_the_registration_is_left_to_the_run(context: ExecutionContext) -> None:
    recorder = Recorder()
    write = sink(recorder, TWO_BATCHES).open(context)
    write.finish()
    write.abort()
    assert recorder.calls[-1] == "prepare_commit"


def test_plans_show_the_table_and_the_sink() -> None:
    assert sink(Recorder(), TWO_BATCHES).details() == "table=[db.t], sink=[Recorder]"
