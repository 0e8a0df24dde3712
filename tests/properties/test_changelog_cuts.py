"""The changes of a streaming query do not depend on the batch boundaries of its input; the long form is ``proofs/changelog_cuts.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).resolve().parents[2] / "proofs" / "changelog_cuts.py"


def test_changes_do_not_depend_on_batch_boundaries_and_produce_the_table_of_batch_mode(seed: int, size: int) -> None:
    command = [sys.executable, str(PROOF), "--count", str(150 * size), "--seed", str(seed)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=1200 * size, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
