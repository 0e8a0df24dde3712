"""Table sinks: their context and their defaults."""

from __future__ import annotations

from table_common.connector import ChangelogMode, DynamicTableSink


class Pages(DynamicTableSink):
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written here")


def test_a_sink_context_has_target_columns_and_row_kinds() -> None:
    context = DynamicTableSink.SinkContext(target_columns=((0,),), has_row_kinds=True)
    assert (context.is_bounded, context.target_columns, context.has_row_kinds) == (True, ((0,),), True)


def test_a_sink_accepts_only_insertions_by_default() -> None:
    assert Pages().get_changelog_mode(ChangelogMode.all()) == ChangelogMode.insert_only()
    assert Pages().as_summary_string() == "Pages"
