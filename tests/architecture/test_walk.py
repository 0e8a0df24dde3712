"""The walk of ARCHITECTURE.md: one statement, and every file that it names takes part, on each engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

QUERY = "SELECT UPPER(name) FROM t WHERE age > 30"
SHARED = (
    "table_api/table_environment.py",
    "table_api/sql/parser.py",
    "table_api/sql/conversion/query.py",
    "table_api/operations/query/filter.py",
    "table_api/plan/optimizer.py",
    "table_api/delegation/planner_selection.py",
)
ENGINES = {
    "arrow": ("table_runtime/planner/lowering/filter.py", "table_runtime/expressions/evaluator.py"),
    "spark": ("table_planner_spark/lowering/filter.py", "table_planner_spark/expressions/converter.py"),
}


@pytest.fixture(params=ENGINES)
def planner(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def env(planner: str, tmp_path: Path) -> Iterator[TableEnvironment]:
    (tmp_path / "people.csv").write_text("ann,31\nbob,30\ncid,\n")
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()) as env:
        env.execute_sql(
            f"CREATE TABLE t (name STRING, age INT) WITH ('connector'='filesystem', 'format'='csv', 'path'='{tmp_path / 'people.csv'}')"
        )
        yield env


def test_all_files_of_the_walk_take_part(env: TableEnvironment, planner: str) -> None:
    files: set[str] = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            files.add("/".join(Path(frame.f_code.co_filename).parts[-5:]))

    sys.setprofile(note)
    try:
        rows = env.execute_sql(QUERY).to_arrow().column(0).to_pylist()
    finally:
        sys.setprofile(None)
    assert rows == ["ANN"]
    for expected in (*SHARED, *ENGINES[planner]):
        assert any(f"/{file}".endswith(f"/{expected}") for file in files), f"{expected} took no part"


def test_the_page_names_the_same_files() -> None:
    page = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for file in (*SHARED, *ENGINES["arrow"], *ENGINES["spark"]):
        assert f"`{file}`" in page
