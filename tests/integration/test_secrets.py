"""The proof that secrets are shown nowhere, with a few keys, and what it found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment

PROOF = Path(__file__).parents[2] / "proofs" / "secrets.py"


@pytest.mark.parametrize(("engine", "keys"), [("arrow", "6"), ("spark", "1")])
def test_secrets_are_shown_nowhere(engine: str, keys: str) -> None:
    command = [sys.executable, str(PROOF), "--engine", engine, "--keys", keys, "--seed", "8"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout.strip()[-12:]) == (0, ", 0 failures"), done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_path_of_a_file_has_references_as_they_were_written(
    engine: str, make_env: Callable[[str], TableEnvironment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSTOMER", "customer 42")
    (tmp_path / "customer 42").mkdir()
    (tmp_path / "customer 42" / "t.csv").write_text("1\n")
    environment = make_env(engine)
    environment.execute_sql(
        "CREATE TEMPORARY TABLE t (a INT, p STRING METADATA FROM 'file.path', n STRING METADATA FROM 'file.name')"
        f" WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/${{env:CUSTOMER}}')"
    )
    rows = [tuple(row) for row in environment.execute_sql("SELECT * FROM t WHERE n <> 'x'").collect()]
    assert rows == [(1, f"{tmp_path}/${{env:CUSTOMER}}/t.csv", "t.csv")]
