"""Runs all code in the guide for authors of connectors, on both engines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "connectors.md"
MOST_LINES = 60
"""Maximum number of lines of the connector, without blank lines."""


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    """The connector, its pyproject.toml, a program, what it prints, the tests; the source with offsets and its tests; the SQL database and its tests; a commit message."""
    found = re.findall(r"^```\w+\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 10
    return found


@pytest.fixture(scope="module")
def installed(blocks: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the connector as pip would install it: the module and its metadata."""
    folder = tmp_path_factory.mktemp("shelf")
    connector, project, program, _, suite, journal, journal_suite, ledger, ledger_suite, _ = blocks
    (folder / "shelf.py").write_text(connector)
    (folder / "program.py").write_text(program)
    (folder / "test_shelf.py").write_text(suite)
    (folder / "journal.py").write_text(journal)
    (folder / "test_journal.py").write_text(journal_suite)
    (folder / "ledger.py").write_text(ledger)
    (folder / "test_ledger.py").write_text(ledger_suite)
    metadata = folder / "connector_shelf-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: connector-shelf\nVersion: 0.1.0\n")
    (group,) = re.findall(r'^\[project\.entry-points\."(.*)"\]$', project, re.MULTILINE)
    entries = re.findall(r'^(\w+) = "((?:shelf|journal|ledger):\w+)"$', project, re.MULTILINE)
    (metadata / "entry_points.txt").write_text("\n".join([f"[{group}]", *(" = ".join(entry) for entry in entries), ""]))
    return folder


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run([sys.executable, *command], env=environment, cwd=installed, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("block", "most"), [(0, MOST_LINES), (5, MOST_LINES), (7, 75)])
def test_connector_is_short(blocks: list[str], block: int, most: int) -> None:
    assert len([line for line in blocks[block].splitlines() if line.strip()]) <= most


@pytest.mark.parametrize("block", [0, 5, 7])
def test_connector_imports_only_table_common(blocks: list[str], block: int) -> None:
    imported = re.findall(r"^(?:from|import) (\w+)", blocks[block], re.MULTILINE)
    assert {name for name in imported if name.startswith("table_")} == {"table_common"}


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_program_prints_the_output_in_the_guide(engine: str, blocks: list[str], installed: Path, tmp_path: Path) -> None:
    done = run(installed, "program.py", engine, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == blocks[3].strip()


READING = """
import sys
from table_api import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(sys.argv[1]).build())
env.execute_sql(f"CREATE TABLE events (id INT, name STRING) WITH ('connector' = 'journal', 'path' = '{sys.argv[2]}')")
print([tuple(row) for row in env.execute_sql("SELECT name, id FROM events WHERE id > 1 ORDER BY id").collect()])
"""


@pytest.mark.parametrize("engine", ["arrow", pytest.param("spark", marks=pytest.mark.night)])
def test_both_engines_read_the_source_with_offsets(engine: str, installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[1, "a"]\n[3, null]\n')
    (tmp_path / "b.json").write_text('[2, "b"]\n')
    done = run(installed, "-c", READING, engine, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[('b', 2), (None, 3)]"


@pytest.mark.parametrize("name", ["shelf", "journal", "ledger"])
def test_suite_passes_and_reports_its_engine(name: str, installed: Path) -> None:
    # Spark is covered by the programs: here each test would start a session.
    (installed / "conftest.py").write_text("from table_testing import SqlCompliance\nSqlCompliance.engines = ('arrow',)\n")
    done = run(installed, "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", f"test_{name}.py")
    assert done.returncode == 0, done.stdout
    assert f"{name}: SQL ran on arrow" in done.stdout
