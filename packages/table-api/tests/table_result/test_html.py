"""Tests for table_api.table_result.html."""

from __future__ import annotations

from table_api.table_result.html import html_of_preview
from table_api.table_result.preview import Preview
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.types import IntType, VarCharType

SCHEMA = ResolvedSchema.physical([("a<b", IntType()), ("s", VarCharType())])


def test_names_types_and_cells_are_escaped() -> None:
    text = html_of_preview(Preview(SCHEMA, [Row(1, "<script>alert('x')</script>"), Row(None, "a\x1b[31m\nb")]))
    assert "a&lt;b<br><small>INT</small>" in text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "\x1b" not in text
    assert "<i>NULL</i>" in text
    assert text.endswith("<small>2 rows</small>")


def test_a_long_text_is_cut() -> None:
    text = html_of_preview(Preview(SCHEMA, [Row(1, "x" * 101)]))
    assert "x" * 99 + "…" in text
    assert "x" * 100 not in text


def test_the_summary_says_whether_all_rows_are_shown() -> None:
    assert "<small>The first 1 row; there are more</small>" in html_of_preview(Preview(SCHEMA, [Row(1, "a")], has_more=True))
    assert "0 rows so far; the query takes longer" in html_of_preview(Preview(SCHEMA, [], is_timed_out=True))
