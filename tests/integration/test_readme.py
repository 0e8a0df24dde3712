"""Runs the examples of the READMEs: Python in a fresh interpreter, SQL with the client."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

ROOT = Path(__file__).parents[2]
NEED_SERVERS = ("connector-jdbc", "connector-kafka", "connector-postgres-cdc")
"""Their examples run in ``test_jdbc.py``, ``test_kafka.py`` and ``test_postgres_cdc.py``."""
READMES = [ROOT / "README.md", *sorted(path for path in ROOT.glob("packages/*/README.md") if path.parent.name not in NEED_SERVERS)]


def _blocks(language: str) -> list[object]:
    found = []
    for path in READMES:
        blocks = re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)
        # Each example on Spark starts one: by day that of one page runs.
        marks = [pytest.mark.night] if path.parent.name in ("table-planner-spark", "table-engines") else []
        name = path.parent.name if path.parent != ROOT else "project"
        found += [pytest.param(block, id=f"{name}-{n}", marks=marks) for n, block in enumerate(blocks)]
    return found


@pytest.fixture
def folder_with_flights(tmp_path: Path) -> Path:
    """A folder with the files of the examples."""
    tables = tmp_path / "data" / "flights"
    tables.mkdir(parents=True)
    delays = pa.array([5, None, -3], pa.int32())
    flights = pa.table({"carrier": ["AA", "DL", "AA"], "origin": ["JFK", "JFK", "LGA"], "arr_delay": delays})
    pa.parquet.write_table(flights, tables / "flights.parquet")
    airlines = pa.table({"carrier": ["AA", "DL"], "name": ["American Airlines Inc.", "Delta Air Lines Inc."]})
    pa.parquet.write_table(airlines, tables / "airlines.parquet")
    return tmp_path


def _assert_succeeds(command: list[str], folder: Path) -> None:
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=180, check=False)
    assert finished.returncode == 0, finished.stderr + finished.stdout


def test_the_picture_of_the_client_is_what_the_client_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pty", reason="pseudo-terminals are of Unix")
    pytest.importorskip("pyte", reason="the emulator of terminals that draws the picture")
    monkeypatch.syspath_prepend(ROOT / "docs")
    drawing = importlib.import_module("client_picture")
    assert drawing.picture() == drawing.PICTURE.read_text(encoding="utf-8"), "draw it again: python docs/client_picture.py"


@pytest.mark.parametrize("block", _blocks("python"))
def test_python_example_runs(block: str, folder_with_flights: Path) -> None:
    _assert_succeeds([sys.executable, "-c", block], folder_with_flights)


@pytest.mark.parametrize("block", _blocks("sql"))
def test_sql_example_runs(block: str, folder_with_flights: Path) -> None:
    (folder_with_flights / "example.sql").write_text(block)
    client = Path(sys.executable).with_name("sql-client")
    _assert_succeeds([str(client), "-f", "example.sql"], folder_with_flights)
