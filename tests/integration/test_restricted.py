"""A short form of ``proofs/restricted.py``: statements and commands of a restricted session do not get out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "restricted.py"


@pytest.mark.parametrize(("engine", "count"), [("arrow", 120), ("spark", 12)])
def test_nothing_gets_out_of_the_restricted_mode(engine: str, count: int) -> None:
    command = [sys.executable, str(PROOF), "--count", str(count), "--seed", "5", "--engine", engine, "--no-control"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} tries" in done.stdout
    assert "0 through" in done.stdout
