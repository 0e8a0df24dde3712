"""The sink that discards all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowSinkProvider, ChangelogMode, CommitContext, DynamicTableSink, WriterContext
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.blackhole import BlackHoleTableFactory, BlackHoleTableSink

TableContext = Callable[..., DynamicTableFactory.Context]


def sink_of(context: DynamicTableFactory.Context) -> BlackHoleTableSink:
    sink = BlackHoleTableFactory().create_dynamic_table_sink(context)
    assert isinstance(sink, BlackHoleTableSink)
    return sink


def test_rows_of_any_partition_are_dropped_and_the_job_commits_or_aborts(table: TableContext) -> None:
    sink = sink_of(table({"a": "INT"}, {"connector": "blackhole"}, ("a",)))
    sink.apply_static_partition({"a": "1"})
    provider = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    writer: Any = provider.create_writer(WriterContext("job"))
    writer.write(pa.record_batch({"a": [1, 2]}))
    committer: Any = provider.create_committer(CommitContext("job"))
    message = writer.prepare_commit()
    committer.commit([message])
    committer.abort([message])
    writer.abort()
    assert message == ()


@pytest.mark.parametrize(
    ("requested", "mode"),
    [(ChangelogMode.insert_only(), ChangelogMode.insert_only()), (ChangelogMode.all(), ChangelogMode.upsert(key_only_deletes=False))],
)
def test_changes_are_taken_without_the_images_before_updates(table: TableContext, requested: ChangelogMode, mode: ChangelogMode) -> None:
    assert sink_of(table({"a": "INT"}, {"connector": "blackhole"})).get_changelog_mode(requested) == mode


def test_an_option_that_does_not_exist_is_refused_with_the_table(table: TableContext) -> None:
    assert sink_of(table({"a": "INT"}, {"connector": "blackhole", "property-version": "1"})).as_summary_string() == "blackhole"
    with pytest.raises(ValidationException, match=r"table c\.d\.t .*'property-versio' .did you mean 'property-version'"):
        sink_of(table({"a": "INT"}, {"connector": "blackhole", "property-versio": "1"}))
