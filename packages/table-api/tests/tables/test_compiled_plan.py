"""Compiled plans of the Table API, and plans in files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, PlanReference, TableEnvironment
from table_api.expressions import col

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"


SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"


INSERT = "INSERT INTO k SELECT c, UPPER(b) FROM s WHERE a > 3"


def _environment(*statements: str) -> TableEnvironment:
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for statement in statements:
        environment.execute_sql(statement)
    return environment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables s and k."""
    with _environment(SOURCE, SINK) as environment:
        yield environment


def test_the_table_api_compiles_pipelines_and_sets(plain: TableEnvironment) -> None:
    pipeline = plain.from_path("s").select(col("a"), col("b")).insert_into("k")
    statements = plain.create_statement_set().add(pipeline)
    assert pipeline.compile_plan().as_json_string() == statements.compile_plan().as_json_string()


def test_a_plan_is_written_to_a_file_and_loaded(plain: TableEnvironment, tmp_path: Path) -> None:
    plan = plain.compile_plan_sql(INSERT)
    plan.write_to_file(tmp_path / "p.json")
    plan.write_to_file(tmp_path / "p.json", ignore_if_exists=True)
    assert plain.load_plan(PlanReference.from_file(tmp_path / "p.json")).as_json_string() == plan.as_json_string()
