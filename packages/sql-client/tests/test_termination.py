"""SIGTERM ends the client as Ctrl-C does, also where it is process 1: jobs commit, and write savepoints."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sql_client.termination import TERMINATED, Termination

SCRIPT = """
SET 'execution.checkpointing.dir' = '{folder}/ckpt';
SET 'execution.checkpointing.interval' = '1 h';
CREATE TABLE g (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '200');
CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{folder}/out', 'format' = 'csv');
INSERT INTO o SELECT k FROM g;
SHOW JOBS;
"""
AS_FIRST_PROCESS = ["unshare", "--pid", "--fork"]
LONGEST = 10.0


def _may_be_first() -> bool:
    return (
        shutil.which("unshare") is not None and not subprocess.run([*AS_FIRST_PROCESS, "true"], capture_output=True, check=False).returncode
    )


@pytest.mark.parametrize("prefix", [[], AS_FIRST_PROCESS] if _may_be_first() else [[]], ids=lambda prefix: "first" if prefix else "plain")
def test_sigterm_ends_with_a_last_epoch_and_a_savepoint(tmp_path: Path, prefix: list[str]) -> None:
    (tmp_path / "script.sql").write_text(SCRIPT.format(folder=tmp_path))
    command = [sys.executable, "-m", "sql_client", "-D", "execution.runtime-mode=streaming", "-f", str(tmp_path / "script.sql")]
    command += ["--stop-with-savepoint", str(tmp_path / "saved")]
    environment = {**os.environ, "XDG_CONFIG_HOME": "/nowhere"}
    process = subprocess.Popen([*prefix, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    for line in process.stdout:
        if "RUNNING" in line:
            break
    deadline = time.monotonic() + 30
    while not list((tmp_path / "out").rglob("*part-*")):  # rows wait for the first epoch
        assert time.monotonic() < deadline
        time.sleep(0.01)
    started = time.monotonic()
    os.kill(_client_of(process.pid) if prefix else process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - started < LONGEST
    assert process.returncode == TERMINATED
    assert "Terminated." in err
    (savepoint,) = (tmp_path / "saved").iterdir()
    assert f"Its savepoint is '{savepoint}'" in err
    rows = [row for file in (tmp_path / "out").glob("part-*") for row in file.read_text().split()]
    assert rows


def _client_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def test_a_waiting_prompt_or_query_is_interrupted_once() -> None:
    with pytest.raises(KeyboardInterrupt), Termination() as termination:
        signal.raise_signal(signal.SIGTERM)
    assert termination.is_requested
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert termination._timer is not None
    termination._timer.cancel()


def test_the_handler_of_ctrl_c_is_called() -> None:
    noted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        with Termination() as termination:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
    assert noted == [signal.SIGINT]
    assert termination._timer is not None
    termination._timer.cancel()


def test_a_client_on_another_thread_sets_no_handler() -> None:
    def run() -> None:
        with Termination():
            found.append(signal.getsignal(signal.SIGTERM))

    found: list[object] = []
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]
