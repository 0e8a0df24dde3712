"""The client as a process on a pseudo-terminal, as a person has it, or on a pipe."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from client_terminal import CLIENT, PATIENCE, Terminal, pty


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A script with a query that takes hours."""
    (tmp_path / "numbers.csv").write_text("".join(f"{number}\n" for number in range(20_000)))
    script = tmp_path / "endless.sql"
    script.write_text(
        "CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'numbers.csv');\n"
        "SELECT COUNT(*) FROM numbers AS a, numbers AS b, numbers AS c WHERE a.n + b.n + c.n < 0;\n"
    )
    return script


def test_ctrl_c_ends_a_script_with_exit_code_130_and_clears_the_progress_line(terminals: list[Terminal], endless: Path) -> None:
    terminal = Terminal("-f", str(endless), folder=endless.parent)
    terminals.append(terminal)
    terminal.wait_for("(Ctrl-C cancels)")
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.wait_for("\x1b[K\r\nInterrupted.")
    # Of `python -m`, Python itself makes a death by the signal, which a shell shows as 130, too, if Ctrl-C came within an exec() of an import.
    assert terminal.process.wait(PATIENCE) in (130, -signal.SIGINT)


def test_ctrl_c_at_the_prompt_cancels_the_statement_only(terminals: list[Terminal], endless: Path) -> None:
    terminal = Terminal(folder=endless.parent)
    terminals.append(terminal)
    terminal.wait_for("SQL>")
    terminal.type(endless.read_text().replace("\n", " ") + "\r")
    terminal.wait_for("(Ctrl-C cancels)")
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.wait_for("Cancelled.")
    terminal.wait_for("SQL>")
    terminal.type("SELE\t")
    terminal.wait_for("CT")  # completed
    terminal.type(" 40 + 2 AS answer;\r")
    terminal.wait_for("|     42 |")
    terminal.wait_for("1 row in set (")
    terminal.wait_for("SQL>")
    terminal.type("quit\r")
    assert terminal.process.wait(PATIENCE) == 0


def test_the_prompt_takes_little_more_processor_time_than_the_import_of_its_libraries(terminals: list[Terminal], tmp_path: Path) -> None:
    byte_code = {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
    libraries = (sys.executable, "-c", "import pyarrow, prompt_toolkit.shortcuts, pygments.lexers.sql")
    prompt, imports = [], []
    for _ in range(5):  # the first compiles the modules; other processes can slow some of the others
        terminal = Terminal(folder=tmp_path, variables=byte_code)
        terminals.append(terminal)
        terminal.wait_for("SQL>")
        prompt.append(terminal.cpu_seconds())
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(libraries, env={**os.environ, **byte_code}, cwd=tmp_path, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        imports.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(prompt) <= 3 * min(imports), (prompt, imports)  # the environment of an engine costs as much again


def test_an_output_that_is_closed_ends_the_client_silently(tmp_path: Path) -> None:
    (tmp_path / "many.sql").write_text("SELECT 1 AS a;\n" * 3)
    process = subprocess.Popen(
        [*CLIENT, "-f", "many.sql"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait(PATIENCE) == 141


def test_the_prompt_refuses_an_output_that_is_no_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    try:
        finished = subprocess.run([*CLIENT], stdin=slave, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False)
    finally:
        os.close(slave)
        os.close(master)
    assert finished.returncode == 2
    assert "the prompt needs a terminal" in finished.stderr


def test_statements_load_neither_the_prompt_nor_all_of_pyarrow_compute(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,x\n2,y\n")
    program = (
        "import sys\nfrom sql_client.cli import main\n"
        "code = main(['-e', \"CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 't.csv')\", '-e',"
        " 'SELECT b, AVG(CAST(a AS DOUBLE)) FROM t WHERE a > 1 GROUP BY b ORDER BY b'])\n"
        "print(code, {'prompt_toolkit', 'pygments', 'pyarrow.compute', 'pandas', 'pyspark'} & set(sys.modules))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert finished.stdout.splitlines()[-1] == "0 set()", finished.stderr
