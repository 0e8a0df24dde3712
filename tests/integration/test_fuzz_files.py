"""Runs ``proofs/fuzz_files.py`` on a few files of several formats."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FORMATS = ("avro", "csv", "json", "orc", "parquet", "raw", "protobuf", "debezium-json")
PROOF = Path(__file__).parents[2] / "proofs" / "fuzz_files.py"


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    formats = [argument for name in FORMATS for argument in ("--format", name)]
    command = [sys.executable, str(PROOF), *formats, "--files", "20", "--seed", "8", "--keep", str(tmp_path)]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("20 files, 0 failures") == len(FORMATS)
