from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from sql_client.cli import main
from sql_client.session import ClientSession

sys.path.insert(0, str(Path(__file__).parent))  # for the module ``client_terminal``

if TYPE_CHECKING:
    from client_terminal import Terminal


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def client(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Runs the client in this process with a command line and, perhaps, standard input."""

    def run(*arguments: str, stdin: str | bytes = "") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")  # not the configuration of whoever runs the tests
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        try:
            code = main(arguments)
        except SystemExit as end:  # argparse's way
            code = int(end.code or 0)
        return Outcome(code, *capfd.readouterr())

    return run


@pytest.fixture
def session() -> Iterator[ClientSession]:
    with ClientSession.open({}) as opened:
        yield opened


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()
