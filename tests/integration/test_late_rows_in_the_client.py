"""The SQL client shows how many late rows an operator dropped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_late_rows_are_a_warning_behind_the_result(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("2024-01-01 00:00:01\n2024-01-01 00:00:30\n2024-01-01 00:00:02\n", encoding="utf-8")
    table = f"CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv')"
    statements = ["-e", table, "-e", "SELECT ts, COUNT(*) OVER (ORDER BY ts) AS n FROM t"]
    outcome = subprocess.run(
        [sys.executable, "-m", "sql_client", "--planner", "arrow", "--mode", "streaming", *statements],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stderr.startswith("[WARN] OverAggregate(")
    assert outcome.stderr.count("dropped 1 late row: ") == 1
