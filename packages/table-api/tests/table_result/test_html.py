"""Tests for table_api.table_result.html."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableResult
from table_api.table_result.html import Preview, html_of_preview
from table_api.table_result.live_table import LiveTable
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.types import IntType, VarCharType


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment


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


def test_a_result_without_a_job_shows_its_rows(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE `<b>` (a INT) WITH ('connector' = 'datagen')")
    text = plain.execute_sql("SHOW TABLES")._repr_html_()
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert text.endswith("<small>1 row</small>")


def test_the_display_of_a_job_reads_none_of_its_rows() -> None:
    class _Job:
        is_unbounded = False

        def batches(self) -> None:
            raise AssertionError("the display reads rows")

    text = TableResult(SCHEMA, job=cast("Any", _Job()))._repr_html_()
    assert "a&lt;b" in text
    assert "to_pandas()" in text


def test_a_live_table_shows_its_rows_now() -> None:
    batch = pa.RecordBatch.from_pydict(
        {"a<b": pa.array(range(12), pa.int32()), "s": ["<i>"] * 12, "$row_kind": pa.array([0] * 12, pa.int8())}
    )
    with LiveTable(iter([batch]), SCHEMA) as live:
        assert live.wait_for_end(10)
        text = live._repr_html_()
    assert text.count("<tr>") == 11
    assert "&lt;i&gt;" in text
    assert text.endswith("<small>The first 10 of 12 rows</small>")
