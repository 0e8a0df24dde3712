"""Changed statements over a savepoint are refused or right; the long form is ``proofs/upgrades.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).resolve().parents[2] / "proofs" / "upgrades.py"


def test_state_is_used_only_if_it_means_the_same(seed: int, size: int) -> None:
    command = [sys.executable, str(PROOF), "--count", str(60 * size), "--seed", str(seed)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=600 * size, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
