"""Rows that are passed to a callable."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowSinkProvider, CommitContext, DynamicTableSink, WriterContext
from table_common.exceptions import TableRuntimeException
from table_runtime.connectors.python.sink import PythonTableSink
from table_runtime.connectors.python.user_code import UserCode


def sink_of(target: Any) -> PythonTableSink:
    return PythonTableSink(UserCode("mine", "c.d.t", target))


def provider_of(target: Any) -> ArrowSinkProvider:
    provider = sink_of(target).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    return provider


def test_the_callable_gets_each_batch_as_it_comes_and_none_without_rows() -> None:
    taken: list[pa.RecordBatch] = []
    writer = provider_of(taken.append).create_writer(WriterContext("job"))
    first, second = pa.record_batch({"a": [1], "b": ["x"]}), pa.record_batch({"a": [2, None], "b": [None, "y"]})
    writer.write(first)
    assert taken == [first]
    writer.write(first.slice(0, 0))
    writer.write(second)
    assert taken == [first, second]


def test_a_commit_or_an_abort_calls_nothing_more() -> None:
    taken: list[pa.RecordBatch] = []
    provider = provider_of(taken.append)
    writer = provider.create_writer(WriterContext("job"))
    writer.write(pa.record_batch({"a": [1]}))
    committer = provider.create_committer(CommitContext("job"))
    committer.commit([writer.prepare_commit()])
    committer.abort([writer.prepare_commit()])
    writer.abort()
    assert len(taken) == 1


def test_data_of_another_arrow_library_are_batches_of_pyarrow() -> None:
    class Other:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return pa.record_batch({"a": [1]}).__arrow_c_array__(requested_schema)

    taken: list[Any] = []
    provider_of(taken.append).create_writer(WriterContext("job")).write(Other())
    assert taken == [pa.record_batch({"a": [1]})]


def test_a_failure_names_the_callable_and_the_table() -> None:
    writer = provider_of(lambda batch: 1 // 0).create_writer(WriterContext("job"))
    with pytest.raises(TableRuntimeException, match=r"^The Python callable 'mine' of table c\.d\.t failed: ZeroDivisionError"):
        writer.write(pa.record_batch({"a": [1]}))


def test_the_callable_is_called_in_the_process_of_the_program() -> None:
    assert provider_of(print).is_local


def test_a_static_partition_changes_nothing_since_its_values_are_in_the_rows() -> None:
    taken: list[pa.RecordBatch] = []
    sink = sink_of(taken.append)
    sink.apply_static_partition({"a": "1"})
    provider: Any = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext())
    provider.create_writer(WriterContext("job")).write(pa.record_batch({"a": [1]}))
    assert taken == [pa.record_batch({"a": [1]})]
    assert sink.as_summary_string() == "python(mine)"
