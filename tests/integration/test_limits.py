"""The short form of ``proofs/limits.py``: long and deep statements end in results or in our errors, and the process survives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from table_api import TableEnvironment

PROOF = Path(__file__).resolve().parents[2] / "proofs" / "limits.py"
CASES = [
    "union_all_1000",
    "union_400",
    "joins_100",
    "ctes_500",
    "array_nested",
    "doubling",
    "view_cycle",
    "values_100000",
    "in_100000_over",
    "raw_",
    "planning_",
    "memory_",
]


def test_long_and_deep_statements_end_in_results_or_our_errors() -> None:
    command = [sys.executable, str(PROOF), "--short", "--patience", "4", "--hang", "300", "--only", *CASES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("ok")) + done.stderr[-2000:]


def test_spark_accepts_the_maximum_nesting_depth_of_statements(make_env: Callable[[str], TableEnvironment]) -> None:
    result = make_env("spark").execute_sql(f"SELECT {'UPPER(' * 480}s{')' * 480} AS s FROM (VALUES 'a') AS t(s)")
    assert [row[0] for row in result.collect()] == ["A"]
