"""The programs of docs/guide/unbounded-queries.md, and examples/unbounded_orders.py."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_programs_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "guide" / "unbounded-queries.md").read_text(encoding="utf-8")
    programs = [program for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "add_metrics_listener" not in program]
    assert len(programs) == 4
    names: dict[str, Any] = {}
    for program in programs:
        exec(compile(program, "unbounded-queries.md", "exec"), names)
    names["env"].close()
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 3
    assert names["first"].num_rows == 100
    assert names["soon"].num_rows > 0
    assert len(names["top"]) == 10
    version, rows = map(int, shown[1].split())
    assert version >= 3
    assert 1 <= rows <= 3, "a shop may have no order yet"


def test_the_example_shows_a_live_table_and_archives_the_rows(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    command = [sys.executable, str(ROOT / "examples" / "unbounded_orders.py"), "--seconds", "1.5", "--archive", str(folder)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    lines = finished.stdout.splitlines()
    assert len(lines) >= 2
    versions = [int(line.split()[1].rstrip(":")) for line in lines]
    assert versions == sorted(set(versions))
    assert sorted(path.name for path in folder.iterdir() if "=" in path.name) == [f"shop={shop}" for shop in range(1, 6)]
    assert pq.read_table(folder, partitioning=None).num_rows > 100
