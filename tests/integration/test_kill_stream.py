"""Runs ``proofs/kill_stream.py`` with a few kills."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).parents[2] / "proofs" / "kill_stream.py"


def test_a_killed_job_goes_on_exactly_once() -> None:
    command = [sys.executable, str(PROOF), "--points", "1", "--random", "4", "--seed", "7", "--seconds", "60"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the tables are those of batch mode" in done.stdout
