"""Type checkers verify that a handler accepts the class for which it is registered, and its further parameters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, SortQueryOperation
from table_runtime.operators.operator import Operator
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower


@lower.register({registered})
def handle(node: {taken}, inputs: Sequence[Operator], context: {context}) -> Operator:
    return inputs[0]
"""


@pytest.mark.parametrize(
    ("registered", "taken", "context", "is_right"),
    [
        ("FilterQueryOperation", "FilterQueryOperation", "LoweringContext", True),
        ("FilterQueryOperation", "SortQueryOperation", "LoweringContext", False),
        ("FilterQueryOperation", "FilterQueryOperation", "str", False),
    ],
)
def test_a_wrong_handler_fails_type_checking(tmp_path: Path, registered: str, taken: str, context: str, is_right: bool) -> None:
    program = tmp_path / "handler.py"
    program.write_text(PROGRAM.format(registered=registered, taken=taken, context=context))
    paths = ":".join(str(path) for path in sorted(ROOT.glob("packages/*/src")))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        str(program),
    ]
    result = subprocess.run(command, cwd=tmp_path, env={"MYPYPATH": paths, "PATH": ""}, capture_output=True, text=True, check=False)
    assert (result.returncode == 0) is is_right, result.stdout + result.stderr
    assert is_right or "arg-type" in result.stdout
