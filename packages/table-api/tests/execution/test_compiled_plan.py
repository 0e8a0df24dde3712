"""COMPILE PLAN, and the files that it writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableException, ValidationException
from table_api.plan.compiled import read_plan

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


def test_a_statement_set_is_one_plan(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO k SELECT a, b FROM s; INSERT INTO k VALUES (1, 'x'); END"
    ).as_json_string()
    assert len(read_plan(text, plain.session).operations) == 2


def test_compile_plan_writes_a_file_once(plain: TableEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    first = file.read_text(encoding="utf-8")
    plain.execute_sql(f"COMPILE PLAN '{file}' IF NOT EXISTS FOR INSERT INTO k VALUES (1, 'x')")
    assert file.read_text(encoding="utf-8") == first
    with pytest.raises(TableException, match="exists already"):
        plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_force_recompile_writes_over_a_file(plain: TableEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    plain.execute_sql("SET 'table.plan.force-recompile' = 'true'")
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR INSERT INTO k VALUES (1, 'x')")
    assert '"Values"' in file.read_text(encoding="utf-8")


def test_a_plan_that_is_a_pipe_is_refused(plain: TableEnvironment, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan.json")
    with pytest.raises(ValidationException, match=r"plan\.json' cannot be read: it is not a file"):
        plain.execute_sql(f"EXECUTE PLAN '{tmp_path / 'plan.json'}'")


def test_a_plan_file_that_is_not_there_is_named(plain: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"There is no compiled plan '/nowhere/plan\.json'"):
        plain.execute_sql("EXECUTE PLAN '/nowhere/plan.json'")


def test_only_inserts_are_compiled(plain: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Only INSERT statements and statement sets"):
        plain.compile_plan_sql("SELECT 1")
