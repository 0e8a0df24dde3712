from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from sql_client.pager import PagedOutput, pager_command


def test_a_short_text_needs_no_pager() -> None:
    terminal = io.StringIO()
    output = PagedOutput(["/nowhere"], terminal, 3)
    output.write("a\nb\n")
    output.close()
    assert terminal.getvalue() == "a\nb\n"


def test_a_long_text_goes_to_the_pager(tmp_path: Path) -> None:
    program = f"import sys; open({str(tmp_path / 'seen')!r}, 'w').write(sys.stdin.read())"
    output = PagedOutput([sys.executable, "-c", program], io.StringIO(), 3)
    output.writelines(f"{number}\n" for number in range(5))
    output.close()
    assert (tmp_path / "seen").read_text() == "0\n1\n2\n3\n4\n"


def test_leaving_the_pager_breaks_the_pipe() -> None:
    output = PagedOutput([sys.executable, "-c", "import sys; sys.stdin.readline()"], io.StringIO(), 1)
    with pytest.raises(BrokenPipeError):
        output.writelines("a long line\n" * 100 for _ in range(100_000))
    output.close()


def test_the_pager_is_chosen_by_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQL_CLIENT_PAGER", raising=False)
    monkeypatch.setenv("PAGER", f"{sys.executable} -u")
    assert pager_command() == [sys.executable, "-u"]
    monkeypatch.setenv("PAGER", "cat")
    assert pager_command() is None
    monkeypatch.setenv("SQL_CLIENT_PAGER", "/nowhere/less")
    assert pager_command() is None
