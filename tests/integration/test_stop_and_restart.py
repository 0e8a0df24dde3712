"""Runs ``proofs/stop_and_restart.py`` with a few seeds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "stop_and_restart.py"


@pytest.mark.parametrize("options", [["--seed", "1", "--count", "8"], ["--seed", "40", "--count", "3", "--small-pieces"]])
def test_a_stopped_job_goes_on_exactly_once(options: list[str]) -> None:
    command = [sys.executable, str(PROOF), "--seconds", "20", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "jobs made the tables of batch mode" in done.stdout
