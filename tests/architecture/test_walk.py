"""The walk of ARCHITECTURE.md: for one statement, each engine calls the listed functions in the listed order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

QUERY = "SELECT UPPER(name) FROM t WHERE age > 30"
PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
ROW = re.compile(r"^\| \d+ \| `([\w/]+\.py)` \| `(\w+)` \|", re.MULTILINE)
PACKAGES = {"arrow": "table_runtime/", "spark": "table_planner_spark/"}


def walk(planner: str) -> list[tuple[str, str]]:
    """Returns the files and functions of the page for an engine."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return [(file, function) for file, function in rows if file.startswith(("table_api/", PACKAGES[planner]))]


@pytest.fixture(params=PACKAGES)
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


def test_the_functions_of_the_walk_are_called_in_order(env: TableEnvironment, planner: str) -> None:
    steps = walk(planner)
    assert len(steps) > 10
    called: dict[tuple[str, str], int] = {}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            path = frame.f_code.co_filename
            for file, function in steps:
                if frame.f_code.co_name == function and path.endswith(f"/{file}"):
                    called.setdefault((file, function), len(called))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        rows = env.execute_sql(QUERY).to_arrow().column(0).to_pylist()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert rows == ["ANN"]
    assert list(called) == steps
