"""Runs ``proofs/catalog_processes.py`` for a few seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).resolve().parents[2] / "proofs" / "catalog_processes.py"


def test_processes_that_change_one_catalog_lose_no_update() -> None:
    command = [sys.executable, str(PROOF), "--seconds", "3", "--seed", "7"]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "integrity: ok; differences: 0" in finished.stdout
