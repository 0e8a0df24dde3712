"""The command line of the tool: what it writes, what it says, and its exit codes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from table_api.migrate.command import main


def run(*arguments: str | Path) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    code = main([str(argument) for argument in arguments], output, errors)
    return code, output.getvalue(), errors.getvalue()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_bytes(b"# coding: latin-1\r\nfrom pyflink.table import Row  # \xe4\r\n")
    return file


def test_files_are_rewritten_with_their_encoding_and_line_ends(program: Path) -> None:
    assert run(program) == (0, f"{program}: rewritten\n", "")
    assert program.read_bytes() == b"# coding: latin-1\r\nfrom table_api import Row  # \xe4\r\n"
    assert run(program) == (0, "", "")


def test_check_and_diff_change_no_file(program: Path) -> None:
    before = program.read_bytes()
    assert run("--check", program) == (1, f"{program}: would be rewritten\n", "")
    code, output, _ = run("--diff", program)
    assert code == 0
    assert "-from pyflink.table import Row  # ä\n+from table_api import Row  # ä\n" in output
    assert run("--check", "--diff", program)[0] == 1
    assert program.read_bytes() == before


def test_folders_are_searched(program: Path) -> None:
    (program.parent / "inner").mkdir()
    (program.parent / "inner" / "other.py").write_text("import pyflink.table as t\n")
    code, output, _ = run(program.parent)
    assert (code, output.count("rewritten")) == (0, 2)


def test_findings_have_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("from pyflink.java_gateway import get_gateway\n")
    code, output, errors = run(file)
    assert (code, output) == (1, "")
    assert errors.startswith(f"{file}, line 1: pyflink.java_gateway.get_gateway: there is no Java virtual machine")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.py", None, "cannot be read: No such file"),
        ("broken.py", "from pyflink import (\n", ", line 1: is not Python"),
        ("null.py", "a\0", "is not Python"),
        ("note.ipynb", "{}", "notebooks are not read; hint: jupyter nbconvert"),
        ("empty", "", "the folder has no Python file"),
    ],
)
def test_what_cannot_be_read_has_exit_code_2(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    path = tmp_path / name
    if name == "empty":
        path.mkdir()
    elif content is not None:
        path.write_text(content)
    code, _, errors = run(path)
    assert code == 2
    assert message in errors
