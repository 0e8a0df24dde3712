"""What the tests of all folders share: the programs of ``proofs`` in processes of their own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

PROOFS = Path(__file__).resolve().parents[1] / "proofs"


@pytest.fixture
def run_proof() -> Callable[..., str]:
    """Returns a function that runs a program of ``proofs`` with arguments, and returns what it printed.

    The program leads a process group, which is killed at the end, so that no process that it started remains. Its output goes to a file,
    because a pipe stays open, and a reader waits, as long as one of these processes lives.

    Raises:
        pytest.fail.Exception: The program returned another code than 0, or ran for longer than `seconds`.
    """

    def run(name: str, *arguments: str, seconds: float = 300) -> str:
        command = [sys.executable, str(PROOFS / name), *arguments]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _kill_group(process)
            output.seek(0)
            text = output.read()
        if code != 0:
            ended = f"did not end within {seconds:g} s" if code is None else f"returned {code}"
            pytest.fail(f"{name} {' '.join(arguments)} {ended}\n{text}", pytrace=False)
        return text

    return run


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
