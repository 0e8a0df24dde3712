"""Type checkers verify that a handler accepts the class for which it is registered, and its further parameters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, SortQueryOperation
from table_runtime.run.operator import Operator
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower


@lower.register(FilterQueryOperation)
def right(node: FilterQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    return inputs[0]


@lower.register(FilterQueryOperation)
def of_another_node(node: SortQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    return inputs[0]


@lower.register(FilterQueryOperation)
def with_another_context(node: FilterQueryOperation, inputs: Sequence[Operator], context: str) -> Operator:
    return inputs[0]
"""


def test_wrong_handlers_fail_type_checking(tmp_path: Path) -> None:
    program = tmp_path / "handlers.py"
    program.write_text(PROGRAM)
    paths = ":".join(str(path) for path in sorted(ROOT.glob("packages/*/src")))
    options = ["--strict", "--follow-imports=silent", "--config-file", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "mypy", *options, str(program)]
    result = subprocess.run(command, cwd=tmp_path, env={"MYPYPATH": paths, "PATH": ""}, capture_output=True, text=True, check=False)
    wrong = [int(line) for line, code in re.findall(r"handlers\.py:(\d+): error: .*\[([a-z-]+)\]", result.stdout) if code == "arg-type"]
    lines = PROGRAM.splitlines()
    assert [lines[number - 1].split("(")[0] for number in wrong] == ["@lower.register"] * 2, result.stdout + result.stderr
    assert [lines[number].split("(")[0] for number in wrong] == ["def of_another_node", "def with_another_context"]
    assert result.stdout.count("error:") == 2
