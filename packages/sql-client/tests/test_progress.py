from __future__ import annotations

import io
import re
import threading

import pytest

from sql_client.progress import ProgressLine


class Terminal(io.StringIO):
    """Records the output, and signals the first line."""

    def __init__(self) -> None:
        super().__init__()
        self.has_line = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.has_line.set()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_the_line_shows_elapsed_time_progress_and_activity() -> None:
    progress = ProgressLine(io.StringIO())
    progress.listener("reading flights.parquet", 0.25)
    assert re.fullmatch(r"- +0\.0 s  25% reading flights\.parquet \(Ctrl-C cancels\)", progress.line(0))


def test_without_a_share_there_is_no_percentage() -> None:
    progress = ProgressLine(io.StringIO())
    progress.listener("", None)
    assert re.fullmatch(r"\\ +0\.0 s running \(Ctrl-C cancels\)", progress.line(1))


def test_the_line_fits_the_terminal() -> None:
    progress = ProgressLine(io.StringIO())
    progress.listener("x" * 200)
    assert len(progress.line(0, width=40)) == 39


def test_the_line_disappears(terminal: Terminal) -> None:
    progress = ProgressLine(terminal, delay=0)
    progress.start()
    assert terminal.has_line.wait(10)
    progress.clear()
    assert "running" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")


def test_a_quick_statement_shows_nothing(terminal: Terminal) -> None:
    progress = ProgressLine(terminal, delay=60)
    progress.start()
    progress.clear()
    assert terminal.getvalue() == ""


def test_clearing_again_does_nothing(terminal: Terminal) -> None:
    progress = ProgressLine(terminal, delay=60)
    progress.start()
    progress.clear()
    progress.clear()
    assert terminal.getvalue() == ""


def test_no_progress_is_shown_unless_the_output_is_a_terminal() -> None:
    output = io.StringIO()
    progress = ProgressLine(output, delay=0)
    progress.start()
    progress.clear()
    assert output.getvalue() == ""


def test_a_dumb_terminal_gets_no_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    progress = ProgressLine(terminal, delay=0)
    progress.start()
    progress.clear()
    assert terminal.getvalue() == ""
