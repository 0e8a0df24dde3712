"""Runs ``proofs/kill_sinks.py`` at a few points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "kill_sinks.py"
SINKS = (
    *("files", "partitioned-files", "overwritten-files", "overwritten-partitions", "statement-set", "replaced-table", "files-of-spark"),
    *("sqlite", "sqlite-wal"),
)


@pytest.mark.parametrize("sink", SINKS)
def test_killed_commits_are_atomic(sink: str) -> None:
    command = [sys.executable, str(PROOF), "--points", "6", "--seed", "7", "--sink", sink]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{sink}: 6 points" in done.stdout
