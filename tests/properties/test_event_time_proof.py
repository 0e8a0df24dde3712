"""Random queries of operators over event time do not depend on the batch boundaries of their input; the long form is ``proofs/event_time_cuts.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).resolve().parents[2] / "proofs" / "event_time_cuts.py"


def test_changes_and_late_rows_do_not_depend_on_batch_boundaries(seed: int, size: int) -> None:
    command = [sys.executable, str(PROOF), "--count", str(60 * size), "--seed", str(seed)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=1200 * size, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
