"""A pseudo-terminal with the client in it, for tests."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are of Unix")

PATIENCE = 60.0
_COLORS = re.compile("\x1b\\[[0-9;]*m")
CLIENT = (sys.executable, "-m", "sql_client")


class Terminal:
    """A process whose input and output are a terminal."""

    def __init__(self, *arguments: str, folder: Path, variables: dict[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self.resize(24, 80)
        environment = {
            **os.environ,
            "TERM": "xterm",
            "XDG_STATE_HOME": str(folder),
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "XDG_CONFIG_HOME": "/nowhere",
        }
        environment |= {"PAGER": "cat", **(variables or {})}
        for name in ("COLUMNS", "LINES", "SQL_CLIENT_PAGER", "SQL_CLIENT_CONFIG", "SQL_CLIENT_INIT"):
            if name not in (variables or {}):
                environment.pop(name, None)
        self.process = subprocess.Popen(
            [*CLIENT, *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, lines: int, columns: int) -> None:
        """Changes the size of the terminal, of which the process is notified."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if hasattr(self, "process"):
            os.kill(self.process.pid, signal.SIGWINCH)  # the terminal does not control the process, so it does not say so itself

    def cpu_seconds(self) -> float:
        """Returns the processor time that the process has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for(self, text: str) -> None:
        """Reads until the text appears after the text of the previous call."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
            is_late = not ready or time.monotonic() > deadline
            assert not is_late, f"{text!r} was not shown, but {self.seen[-2000:]!r}"
            try:
                data = os.read(self._master, 4096)
            except OSError:  # the process ended
                data = b""
            assert data, f"the client ended without showing {text!r}: {self.seen!r}"
            self.seen = _COLORS.sub("", self.seen + data.decode(errors="replace"))
        self.seen = self.seen.partition(text)[2]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)
