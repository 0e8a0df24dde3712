"""The writes of one or several sinks are finished together, or aborted together."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import Sink, SinkWrite, row_counts, write_to

SCHEMA = pa.schema([pa.field("n", pa.int64())])


class _Input(Operator):
    def __init__(self, *batches: list[int]) -> None:
        super().__init__(SCHEMA, ())
        self._batches = batches

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for values in self._batches:
            yield pa.RecordBatch.from_arrays([pa.array(values, pa.int64())], schema=SCHEMA)


class _Write(SinkWrite):
    def __init__(self, context: ExecutionContext, name: str, log: list[str]) -> None:
        super().__init__(context, name)
        self._name = name
        self._log = log

    @override
    def _write(self, batch: pa.RecordBatch) -> None:
        values = batch.column(0).to_pylist()
        self._log.append(f"{self._name} writes {values}")
        if 13 in values:
            raise TableRuntimeException("13 is not accepted.")

    @override
    def finish(self) -> None:
        self._log.append(f"{self._name} finishes")
        if self._name == "bad end":
            raise TableRuntimeException("The end failed.")

    @override
    def abort(self) -> None:
        self._log.append(f"{self._name} aborts")


class _Sink(Sink):
    def __init__(self, name: str, log: list[str], child: Operator | None = None) -> None:
        super().__init__(child if child is not None else _Input(), name)
        self._name = name
        self._log = log

    @override
    def open(self, context: ExecutionContext) -> SinkWrite:
        if self._name == "closed":
            raise TableRuntimeException("It cannot be opened.")
        return _Write(context, self._name, self._log)


def test_a_sink_writes_each_batch_with_rows_and_yields_their_number() -> None:
    log: list[str] = []
    (result,) = _Sink("t", log, _Input([1, 2], [], [3])).batches(ExecutionContext())
    assert result.to_pylist() == [{"t": 3}]
    assert log == ["t writes [1, 2]", "t writes [3]", "t finishes"]


def test_a_sink_without_rows_is_finished() -> None:
    log: list[str] = []
    (result,) = _Sink("t", log).batches(ExecutionContext())
    assert result.to_pylist() == [{"t": 0}]
    assert log == ["t finishes"]


def test_a_write_that_fails_is_aborted_and_not_finished() -> None:
    log: list[str] = []
    with pytest.raises(TableRuntimeException, match="13"):
        list(_Sink("t", log, _Input([1], [13], [2])).batches(ExecutionContext()))
    assert log == ["t writes [1]", "t writes [13]", "t aborts"]


def test_a_sink_that_cannot_be_opened_aborts_the_writes_before_it() -> None:
    log: list[str] = []
    with (
        pytest.raises(TableRuntimeException, match="opened"),
        write_to([_Sink("first", log), _Sink("closed", log), _Sink("last", log)], ExecutionContext()),
    ):
        raise AssertionError
    assert log == ["first aborts"]


def test_a_write_that_fails_at_its_end_aborts_all_of_them() -> None:
    log: list[str] = []
    with (
        pytest.raises(TableRuntimeException, match="end failed"),
        write_to([_Sink("good", log), _Sink("bad end", log)], ExecutionContext()),
    ):
        pass
    assert log == ["good finishes", "bad end finishes", "good aborts", "bad end aborts"]


def test_a_cancelled_run_writes_no_more_and_aborts() -> None:
    log: list[str] = []
    context = ExecutionContext()
    context.token.cancel()
    with pytest.raises(JobCancelledException):
        list(_Sink("t", log, _Input([1])).batches(context))
    assert log == ["t aborts"]


def test_row_counts_has_one_column_per_write() -> None:
    log: list[str] = []
    with write_to([_Sink("a", log), _Sink("b", log)], ExecutionContext()) as writes:
        writes[1].write(pa.RecordBatch.from_arrays([pa.array([1, 2])], schema=SCHEMA))
    schema = pa.schema([pa.field("a", pa.int64()), pa.field("b", pa.int64())])
    assert row_counts(writes, schema).to_pylist() == [{"a": 0, "b": 2}]
