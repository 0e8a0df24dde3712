"""Runs ``proofs/soak.py`` for some seconds: too few to say something about memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).parents[2] / "proofs" / "soak.py"


def test_the_sums_of_a_troubled_source_add_up() -> None:
    command = [sys.executable, str(PROOF), "--minutes", "0.25", "--rate", "300", "--growth", "1000", "--seed", "3"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rows of totals = rows of windows + late rows" in done.stdout
