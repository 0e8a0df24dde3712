"""Queries and unbounded INSERTs in the client: rows until Ctrl-C, jobs that a script waits for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest
from client_terminal import Terminal

SET_UP = (
    "CREATE TABLE g (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '200', 'fields.k.min' = '0', 'fields.k.max' = '3');\n"
    "SET 'table.exec.sink.commit-interval' = '20 ms';\n"
)


class Client:
    """A client that runs a script in a process of its own."""

    def __init__(self, folder: Path, script: str, *arguments: str) -> None:
        path = folder / "script.sql"
        path.write_text(SET_UP + script)
        command = [sys.executable, "-m", "sql_client", "-D", "execution.runtime-mode=streaming", "-f", str(path), *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "XDG_CONFIG_HOME": "/nowhere"}
        )

    def read_until(self, text: str) -> str:
        """Reads lines of the output until one has the text; returns what was read."""
        read = []
        output: IO[str] | None = self.process.stdout
        assert output is not None
        for line in output:
            read.append(line)
            if text in line:
                return "".join(read)
        raise AssertionError(f"'{text}' is not in {''.join(read)} {self.process.stderr.read() if self.process.stderr else ''}")

    def interrupt(self) -> tuple[int, str, str]:
        """Presses Ctrl-C; returns the exit code and the rest of the output."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.mark.parametrize("mode", ["tableau", "table"])
def test_rows_are_shown_as_they_come_until_ctrl_c(tmp_path: Path, mode: str) -> None:
    client = Client(tmp_path, "SELECT k, COUNT(*) AS n FROM g GROUP BY k;", "--result-mode", mode)
    assert "| op |" in client.read_until("| +U |")
    code, out, err = client.interrupt()
    assert code == 130
    assert out.rstrip().splitlines()[-1].endswith("rows in set")
    assert "Interrupted" in err


def test_programs_read_rows_as_they_come(tmp_path: Path) -> None:
    client = Client(tmp_path, "SELECT k FROM g;", "--result-mode", "json")
    client.read_until('{"k": 1}')
    assert client.interrupt()[0] == 130


def test_a_script_waits_for_its_inserts_which_commit_at_ctrl_c(tmp_path: Path) -> None:
    table = tmp_path / "out"
    client = Client(
        tmp_path,
        f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{table}', 'format' = 'csv');\n"
        "INSERT INTO o SELECT k FROM g;\nSHOW JOBS;",
    )
    shown = client.read_until("RUNNING")
    assert "[INFO] Job " in shown
    deadline = time.monotonic() + 30
    while not list(table.glob("part-*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert client.process.poll() is None
    code, _, err = client.interrupt()
    assert code == 130, err
    assert sum(len(file.read_text().splitlines()) for file in table.glob("part-*")) > 0


def test_the_failure_of_an_insert_is_that_of_the_script(tmp_path: Path) -> None:
    client = Client(
        tmp_path,
        "CREATE TABLE o (k INT) WITH ('connector' = 'blackhole');\nINSERT INTO o SELECT 1 / (k - 2) FROM g;",
    )
    _, err = client.process.communicate(timeout=60)
    assert client.process.returncode == 1
    assert "ivision" in err
    assert "INSERT INTO o" in err


def test_the_prompt_shows_a_table_that_changes_on_the_whole_screen(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = Terminal("-D", "execution.runtime-mode=streaming", "--result-mode", "table", folder=tmp_path)
    terminals.append(terminal)
    terminal.wait_for("SQL>")
    terminal.type(SET_UP.splitlines()[0] + "\r")
    terminal.wait_for("succeeded")
    terminal.type("SELECT k, COUNT(*) AS n FROM g GROUP BY k;\r")
    terminal.wait_for("+---+")  # at once, or over the text that there are no rows yet
    terminal.type("q")
    terminal.wait_for("[INFO] The query ended with ")
    terminal.type("SELECT 10 / (k - 1) FROM g;\r")
    terminal.wait_for("Division by zero")
    terminal.wait_for("SQL>")
