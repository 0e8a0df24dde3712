"""The short form of ``proofs/mutate_sql.py``: mutated statements end in results or in our errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from table_common.testing.rounds import rounds

PROOFS = Path(__file__).parents[2] / "proofs"


@pytest.mark.parametrize(("engine", "count"), [("arrow", 400), ("spark", 60)])
def test_mutated_statements_end_in_results_or_our_errors(engine: str, count: int) -> None:
    command = [
        sys.executable,
        str(PROOFS / "mutate_sql.py"),
        "--engine",
        engine,
        "--count",
        str(len(rounds(count))),
        "--seed",
        "7",
        "--patience",
        "60",
    ]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with_types = re.search(r"(\d+)% have types", done.stdout)
    assert with_types is not None
    assert int(with_types[1]) >= 50


def test_statements_with_mutated_text_end_in_results_or_our_errors() -> None:
    command = [sys.executable, str(PROOFS / "mutate_sql.py"), "--text", "--count", str(len(rounds(200))), "--seed", "7", "--patience", "60"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modified_compiled_plans_end_in_results_or_our_errors() -> None:
    command = [sys.executable, str(PROOFS / "tamper_plans.py"), "--count", str(len(rounds(600))), "--seed", "7", "--patience", "60"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
