"""Sinks whose tasks stage their rows and whose job publishes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from table_common.arrow import StagedTableSink, from_python_rows, to_python_rows
from table_common.connector import ArrowSinkProvider, ChangelogMode, CommitContext, DynamicTableSink, WriterContext
from table_common.types import BigIntType, RowType

ROW = RowType.of([("id", BigIntType())], nullable=False)


@dataclass
class Shelf(StagedTableSink):
    """Keeps what it is told."""

    events: list[tuple[Any, ...]] = field(default_factory=list)

    def stage(self, batches: Sequence[Any], context: WriterContext) -> Any:
        self.events.append(("stage", context.task, list(to_python_rows(batches, self.row_type))))
        return context.task

    def publish(self, staged: Any) -> None:
        self.events.append(("publish", staged))

    def discard(self, staged: Any) -> None:
        self.events.append(("discard", staged))


@pytest.fixture
def sink() -> Shelf:
    return Shelf(ROW)


@pytest.fixture
def provider(sink: Shelf) -> ArrowSinkProvider:
    found = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(found, ArrowSinkProvider)
    return found


def test_a_task_stages_all_its_rows_at_its_end(sink: Shelf, provider: ArrowSinkProvider) -> None:
    writer = provider.create_writer(WriterContext("job", task=3))
    for number in (1, 2):
        writer.write(from_python_rows([(number,)], ROW))
    assert sink.events == []
    assert writer.prepare_commit() == 3
    assert sink.events == [("stage", 3, [(1,), (2,)])]


def test_a_task_that_is_given_up_stages_nothing(sink: Shelf, provider: ArrowSinkProvider) -> None:
    writer = provider.create_writer(WriterContext("job"))
    writer.write(from_python_rows([(1,)], ROW))
    writer.abort()
    assert sink.events == []


def test_a_commit_publishes_what_each_task_staged(sink: Shelf, provider: ArrowSinkProvider) -> None:
    provider.create_committer(CommitContext("job")).commit([0, 1])
    assert sink.events == [("publish", 0), ("publish", 1)]


def test_an_abort_discards_what_each_task_staged(sink: Shelf, provider: ArrowSinkProvider) -> None:
    provider.create_committer(CommitContext("job")).abort([0, 1])
    assert sink.events == [("discard", 0), ("discard", 1)]


def test_a_sink_has_what_all_sinks_need(sink: Shelf) -> None:
    assert sink.copy() is not sink
    assert sink.as_summary_string() == "Shelf"
    assert sink.get_changelog_mode(ChangelogMode.all()) == ChangelogMode.insert_only()
