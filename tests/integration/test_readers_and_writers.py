"""Runs ``proofs/readers_and_writers.py`` for some seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).parents[2] / "proofs" / "readers_and_writers.py"


def test_concurrent_reads_return_committed_states() -> None:
    command = [sys.executable, str(PROOF), "--seconds", "10", "--reads", "0", "--readers", "2", "--seed", "7"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert "each read one committed state" in done.stdout
