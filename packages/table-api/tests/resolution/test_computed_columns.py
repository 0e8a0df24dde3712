"""What stands above the scan of a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.plan.explain import plan_text

TABLES = {
    "stored": "id INT, w TIMESTAMP(3), twice AS id * 2, WATERMARK FOR w AS w - INTERVAL '5' SECOND",
    "computed": "twice AS id * 2, id INT, s STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
    "plain": "id INT, w TIMESTAMP(3), WATERMARK FOR w AS w",
}


def environment(settings: EnvironmentSettings) -> TableEnvironment:
    made = TableEnvironment.create(settings)
    for name, columns in TABLES.items():
        made.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'datagen')")
    return made


@pytest.fixture
def streaming() -> Iterator[TableEnvironment]:
    with environment(EnvironmentSettings.in_streaming_mode()) as made:
        yield made


def lines(env: TableEnvironment, table: str) -> list[str]:
    return [line.strip() for line in plan_text(env.from_path(table).query_operation).splitlines()]


def test_the_watermark_is_below_the_columns_that_it_does_not_need(streaming: TableEnvironment) -> None:
    assert lines(streaming, "stored") == [
        "Project(select=[id, w, (id * 2) AS twice])",
        "+- WatermarkAssigner(rowtime=[w], watermark=[(w - INTERVAL '5' SECOND)])",
        "+- TableScan(table=[default_catalog.default_database.stored], fields=[id, w])",
    ]


def test_the_columns_that_the_watermark_needs_are_below_it(streaming: TableEnvironment) -> None:
    assert [line.partition("(")[0] for line in lines(streaming, "computed")] == [
        "Project",
        "+- WatermarkAssigner",
        "+- Project",
        "+- TableScan",
    ]
    assert "twice" in lines(streaming, "computed")[0]
    assert "twice" not in lines(streaming, "computed")[2]


def test_a_table_of_stored_columns_has_nothing_above_its_watermark(streaming: TableEnvironment) -> None:
    assert [line.partition("(")[0] for line in lines(streaming, "plain")] == ["WatermarkAssigner", "+- TableScan"]


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_are_those_of_the_table_in_their_order(streaming: TableEnvironment, table: str) -> None:
    declared = streaming.session.tables.find_table((table,))
    assert declared is not None
    assert declared.table.resolved_schema.column_names == streaming.from_path(table).query_operation.resolved_schema.column_names


@pytest.mark.parametrize("table", TABLES)
def test_batch_mode_has_no_event_time(table: str) -> None:
    with environment(EnvironmentSettings.in_batch_mode()) as batch:
        assert "Watermark" not in plan_text(batch.from_path(table).query_operation)
