"""Runs ``proofs/cdc_fuzz.py`` for some seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROOF = Path(__file__).parents[2] / "proofs" / "cdc_fuzz.py"


def test_a_mirrored_table_is_equal_after_kills_of_job_and_server() -> None:
    done = subprocess.run(
        [sys.executable, str(PROOF), "--minutes", "0.2", "--seed", "7"], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "were equal at" in done.stdout
