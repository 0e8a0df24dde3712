"""Runs ``proofs/fuzz_files.py`` on a few files of several formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FORMATS = ("avro", "csv", "json", "orc", "parquet", "raw", "protobuf", "debezium-json")


def test_damaged_files_are_read_or_refused(run_proof: Callable[..., str], tmp_path: Path) -> None:
    formats = [argument for name in FORMATS for argument in ("--format", name)]
    printed = run_proof("fuzz_files.py", *formats, "--files", "20", "--seed", "8", "--keep", str(tmp_path))
    assert printed.count("20 files, 0 failures") == len(FORMATS)
