"""The sink that prints rows."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.connector import ArrowSinkProvider, ChangelogMode, DynamicTableSink, WriterContext
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.print import PrintTableFactory, PrintTableSink

TableContext = Callable[..., DynamicTableFactory.Context]
COLUMNS = {"a": "INT", "b": "STRING", "r": "ROW<x INT>"}
ROWS = [{"a": 1, "b": "x\ny", "r": {"x": None}}, {"a": None, "b": None, "r": None}]
PRINTED = "+I[1, x\ny, +I[null]]\n+I[null, null, null]\n"


def sink_of(context: DynamicTableFactory.Context) -> PrintTableSink:
    sink = PrintTableFactory().create_dynamic_table_sink(context)
    assert isinstance(sink, PrintTableSink)
    return sink


def batch() -> pa.RecordBatch:
    schema = to_arrow_schema(RowType.of([(name, parse_logical_type(text)) for name, text in COLUMNS.items()]))
    return pa.RecordBatch.from_pylist(ROWS, schema=schema)


def writer_of(context: DynamicTableFactory.Context) -> Any:
    provider = sink_of(context).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    assert provider.is_local
    return provider.create_writer(WriterContext("job"))


def test_rows_are_printed_as_they_come(table: TableContext, capsys: pytest.CaptureFixture[str]) -> None:
    writer = writer_of(table(COLUMNS, {"connector": "print"}))
    writer.write(batch())
    writer.write(batch().slice(0, 0))
    writer.write(batch().slice(1))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (PRINTED + "+I[null, null, null]\n", "")
    writer.abort()
    assert writer.prepare_commit() == ()
    assert capsys.readouterr().out == ""


def test_options_give_a_prefix_and_the_other_stream(table: TableContext, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"connector": "print", "print-identifier": "id", "standard-error": "true"}
    writer_of(table(COLUMNS, options)).write(batch().slice(1))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "id> +I[null, null, null]\n")
    assert sink_of(table(COLUMNS, options)).as_summary_string() == "print to standard error"
    assert sink_of(table(COLUMNS, {})).as_summary_string() == "print to standard out"


def test_the_stream_is_the_one_at_the_time_of_the_row(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_of(table(COLUMNS, {}))
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    writer.write(batch())
    assert stream.getvalue() == PRINTED


def test_all_changes_are_taken_and_partitions_change_nothing(table: TableContext, capsys: pytest.CaptureFixture[str]) -> None:
    sink = sink_of(table(COLUMNS, {}, ("a",)))
    assert sink.get_changelog_mode(ChangelogMode.all()) == ChangelogMode.all()
    sink.apply_static_partition({"a": "1"})
    provider: Any = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext())
    provider.create_writer(WriterContext("job")).write(batch())
    assert capsys.readouterr().out == PRINTED


@pytest.mark.parametrize(
    ("key", "value", "expected"), [("standard-error", "maybe", "standard-error"), ("identifier", "x", "unknown: 'identifier'")]
)
def test_wrong_options_are_refused(table: TableContext, key: str, value: str, expected: str) -> None:
    with pytest.raises(ValidationException, match=expected):
        sink_of(table(COLUMNS, {"connector": "print", key: value}))


def test_changes_are_printed_with_their_kinds(table: TableContext, capsys: pytest.CaptureFixture[str]) -> None:
    provider: Any = sink_of(table({"a": "INT"}, {"print-identifier": "id"})).get_sink_runtime_provider(
        DynamicTableSink.SinkContext(has_row_kinds=True)
    )
    rows = pa.RecordBatch.from_pydict({"a": pa.array([1, 1, 2, None], pa.int32()), "$row_kind": pa.array([0, 1, 2, 3], pa.int8())})
    provider.create_writer(WriterContext("job")).write(rows)
    assert capsys.readouterr().out == "id> +I[1]\nid> -U[1]\nid> +U[2]\nid> -D[null]\n"
