"""Ctrl-C while the client starts: it ends with the code of an interruption, and Python prints no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sql_client.interruption import INTERRUPTED

PROGRAM = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})
        return None

sys.meta_path.insert(0, Interrupting())
from {package} import {command}
sys.argv[1:] = ["-e", "SELECT 1"]
sys.exit({command}())
"""
TABLE_ENGINES = Path(__file__).parents[2] / "table-engines"


def _interrupted(
    module: str, name: str = "SIGINT", package: str = "sql_client.cli", command: str = "main"
) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(module=module, signal=name, package=package, command=command)
    environment = {**os.environ, "XDG_CONFIG_HOME": "/nowhere"}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment, cwd=TABLE_ENGINES, check=False
    )


@pytest.mark.parametrize(
    "module", ["sql_client.command_line", "argparse", "sql_client.session", "table_api.execution.session", "sql_client.failure", "pyarrow"]
)
def test_ctrl_c_while_modules_are_imported(module: str) -> None:
    ended = _interrupted(module)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "\nInterrupted.\n")


def test_ctrl_c_while_the_command_of_table_engines_starts() -> None:
    ended = _interrupted("sql_client.command_line", package="table_engines", command="client")
    assert (ended.returncode, ended.stderr) == (INTERRUPTED, "\nInterrupted.\n")


def test_sigterm_while_modules_are_imported() -> None:
    ended = _interrupted("sql_client.session", "SIGTERM")
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, "\nTerminated.\n")


def test_ctrl_c_stays_ignored_in_the_background_of_a_shell() -> None:
    program = f"import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n{PROGRAM.format(module='sql_client.session', signal='SIGINT', package='sql_client.cli', command='main')}"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
