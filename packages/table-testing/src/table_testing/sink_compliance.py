"""The contract of sinks: no row is visible before the commit, each row once after it, also if calls are repeated. Needs no engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from table_common.arrow import from_python_rows
from table_common.connector import ArrowSinkProvider, ChangelogMode, CommitContext, DynamicTableSink, RowKind, WriterContext
from table_common.connector.sink.abilities import SupportsTruncate
from table_common.secrets import is_secret_key
from table_common.types import BigIntType, IntType, SmallIntType, TinyIntType, VarCharType
from table_testing.connector_case import Row, repickled, same_rows, stored_message, write_rows
from table_testing.modification_compliance import ModificationCompliance
from table_testing.option_compliance import OptionCompliance


class SinkCompliance(OptionCompliance, ModificationCompliance):
    """The contract of every sink; engines commit declarative providers (files), and their tests cover that.

    ``is_visible_at_once`` is set for sinks without a commit, such as printing: they promise less.

    Example:
        >>> class TestPages(SinkCompliance):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     def create_table(self, folder, rows):
        ...         return store_pages(folder / "pages.db", rows)
        ...     def stored_rows(self, options):
        ...         return load_pages(options["path"])
        >>> TestPages.is_visible_at_once
        False
    """

    is_visible_at_once: ClassVar[bool] = False

    def test_sink_copies_are_independent(self, tmp_path: Path) -> None:
        sink = self.sink(self.create_table(tmp_path, []))
        copied = sink.copy()
        assert type(copied) is type(sink)
        assert copied is not sink
        assert copied.as_summary_string() == sink.as_summary_string()

    def test_sink_summary_is_one_line_without_secrets(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, [])
        summary = self.sink(options).as_summary_string()
        assert summary.strip()
        assert "\n" not in summary
        for key, value in options.items():
            assert not (is_secret_key(key) and value in summary), f"the summary shows the option '{key}'"

    def test_sink_takes_insertions_whatever_the_query_makes(self, tmp_path: Path) -> None:
        sink = self.sink(self.create_table(tmp_path, []))
        for requested in (ChangelogMode.insert_only(), ChangelogMode.upsert(), ChangelogMode.all()):
            assert sink.get_changelog_mode(requested).contains(RowKind.INSERT)

    def test_sink_provider_travels(self, tmp_path: Path) -> None:
        repickled(self.sink(self.create_table(tmp_path, [])).get_sink_runtime_provider(DynamicTableSink.SinkContext()))

    def test_sink_shows_nothing_before_the_commit_and_everything_after_it(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        messages = write_rows(provider, self.row_type, [self.rows[:2], self.rows[2:]])
        assert self.stored_rows(options) == []
        repickled(provider).create_committer(CommitContext("job")).commit(messages)
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_takes_tasks_without_rows(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        provider.create_committer(CommitContext("job")).commit(write_rows(provider, self.row_type, [[], self.rows, []]))
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_commits_once_however_often_it_is_told(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        messages = write_rows(provider, self.row_type, [self.rows])
        provider.create_committer(CommitContext("job")).commit(messages)
        repickled(provider).create_committer(CommitContext("job")).commit([stored_message(provider, message) for message in messages])
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_that_is_written_again_under_the_same_name_has_the_rows_once(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        write_rows(provider, self.row_type, [self.rows])
        again = write_rows(provider, self.row_type, [self.rows])
        provider.create_committer(CommitContext("job")).commit(again)
        provider.create_committer(CommitContext("job")).commit(write_rows(provider, self.row_type, [self.rows]))
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_adds_what_another_epoch_wrote(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        provider.create_committer(CommitContext("job", 0)).commit(write_rows(provider, self.row_type, [self.rows[:1]], epoch=0))
        provider.create_committer(CommitContext("job", 1)).commit(write_rows(provider, self.row_type, [self.rows[1:]], epoch=1))
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_commits_epochs_in_order_while_later_ones_are_prepared(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        epochs = [write_rows(provider, self.row_type, [[row]], epoch=epoch) for epoch, row in enumerate(self.rows)]
        for epoch, messages in enumerate(epochs):
            repickled(provider).create_committer(CommitContext("job", epoch)).commit(messages)
            assert same_rows(self.stored_rows(options), self.rows[: epoch + 1]), f"after the commit of epoch {epoch}"

    def test_sink_ignores_the_repeated_commit_of_an_earlier_epoch(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        first, last = self.rows[0], self.rows[1:]
        later = [(first[0], *self.rows[2][1:])] if self.primary_key else last  # an upsert changes the row of the earlier epoch
        epochs = [write_rows(provider, self.row_type, [[first]], epoch=0), write_rows(provider, self.row_type, [later], epoch=1)]
        for epoch in (0, 1, 0):
            repickled(provider).create_committer(CommitContext("job", epoch)).commit(epochs[epoch])
        assert same_rows(self.stored_rows(options), later if self.primary_key else self.rows)

    def test_sink_commits_nothing_that_another_run_of_the_epoch_staged(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        write_rows(provider, self.row_type, [self.rows[:1], self.rows[1:2], self.rows[2:]])  # this run was killed before its commit
        provider.create_committer(CommitContext("job")).commit(write_rows(provider, self.row_type, [self.rows[1:]]))
        assert same_rows(self.stored_rows(options), self.rows[1:])

    def test_sink_keeps_what_an_attempt_has_reported_while_others_write(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        reported = write_rows(provider, self.row_type, [self.rows])
        write_rows(provider, self.row_type, [self.rows[:1]], attempt=1)  # it ended later, and nobody asks for its message
        aborted = repickled(provider).create_writer(WriterContext("job", attempt=2))
        aborted.write(from_python_rows(self.rows[:1], self.row_type))
        aborted.abort()
        provider.create_committer(CommitContext("job")).commit(reported)
        assert same_rows(self.stored_rows(options), self.rows)

    def test_sink_adds_what_another_job_wrote(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        for job, rows in (("first", self.rows[:1]), ("second", self.rows[1:])):
            provider.create_committer(CommitContext(job)).commit(write_rows(provider, self.row_type, [rows], job))
        assert same_rows(self.stored_rows(options), self.rows), "a job replaces what another wrote"

    def test_sink_takes_many_rows_of_a_task(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        rows = self._many_rows()
        if found is None or not rows:
            return
        provider, options = found
        writer = repickled(provider).create_writer(WriterContext("job"))
        for start, stop in ((0, 1), (1, len(rows) // 2), (len(rows) // 2, len(rows))):
            writer.write(from_python_rows(rows[start:stop], self.row_type))
        provider.create_committer(CommitContext("job")).commit([stored_message(provider, writer.prepare_commit())])
        stored = self.stored_rows(options)
        assert same_rows(stored, rows), f"{len(rows)} rows were written, {len(stored)} are stored"

    def test_sink_leaves_nothing_of_a_job_that_is_aborted(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        before = self.traces(tmp_path, options)
        provider.create_committer(CommitContext("job")).abort(write_rows(provider, self.row_type, [self.rows[:2], self.rows[2:]]))
        left = sorted(self.traces(tmp_path, options) - before)
        assert not left, f"an aborted job leaves {', '.join(left)}"

    def test_sink_aborts_a_job_however_often_it_is_told(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        messages = write_rows(provider, self.row_type, [self.rows])
        provider.create_committer(CommitContext("job")).abort(messages)
        repickled(provider).create_committer(CommitContext("job")).abort([stored_message(provider, message) for message in messages])
        assert self.stored_rows(options) == []

    def test_sink_forgets_what_a_writer_aborts(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        writer = provider.create_writer(WriterContext("job"))
        writer.write(from_python_rows(self.rows, self.row_type))
        writer.abort()
        assert self.stored_rows(options) == []

    def test_sink_forgets_what_a_job_aborts(self, tmp_path: Path) -> None:
        found = self._sink_provider(tmp_path)
        if found is None:
            return
        provider, options = found
        provider.create_committer(CommitContext("job")).abort(write_rows(provider, self.row_type, [self.rows]))
        assert self.stored_rows(options) == []

    def test_sink_truncation_leaves_an_empty_table(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        sink = self.sink(options)
        if isinstance(sink, SupportsTruncate):
            sink.execute_truncation()
            assert self.stored_rows(options) == []

    def _many_rows(self) -> list[Row]:
        """Returns rows that differ in the first column: more than a page or a buffer holds. None if it is no whole number or text."""
        match self.row_type.fields[0].type:
            case TinyIntType():
                keys: list[object] = list(range(120))
            case SmallIntType() | IntType() | BigIntType():
                keys = list(range(2_500))
            case VarCharType(length=length) if length >= 8:
                keys = [f"key {number}" for number in range(2_500)]
            case _:
                keys = []
        return [(key, *self.rows[number % len(self.rows)][1:]) for number, key in enumerate(keys)]

    def _sink_provider(self, folder: Path) -> tuple[ArrowSinkProvider, Mapping[str, str]] | None:
        """Returns the provider that writes an empty table, and its options; None if only an engine can write it, or if it has no commit."""
        options = self.create_table(folder, [])
        provider = self.sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
        if self.is_visible_at_once or not isinstance(provider, ArrowSinkProvider):
            return None
        return provider, options
