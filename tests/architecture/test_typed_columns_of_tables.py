"""Type checkers know what a table gives in brackets: a column for a name, a table for names, conditions and slices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from typing import assert_type

from table_api import Expression, Table


def use(table: Table) -> None:
    assert_type(table["a"], Expression)
    assert_type(table[["a", "b"]], Table)
    assert_type(table[table["a"] > 1], Table)
    assert_type(table[:10], Table)
    table[1]
"""


def test_items_of_tables_have_types(tmp_path: Path) -> None:
    program = tmp_path / "items.py"
    program.write_text(PROGRAM)
    paths = ":".join(str(path) for path in sorted(ROOT.glob("packages/*/src")))
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file", str(ROOT / "pyproject.toml")]
    environment = {"MYPYPATH": paths, "PATH": ""}
    result = subprocess.run([*command, str(program)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    errors = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, result.stdout
    assert errors[0].startswith("items.py:12:")
    assert "call-overload" in errors[0]
