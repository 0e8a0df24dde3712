"""Shows long output page by page in the user's pager, which reads as it scrolls."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import IO, TextIO


def pager_command() -> list[str] | None:
    """Returns the command of ``$SQL_CLIENT_PAGER``, ``$PAGER`` or ``less``; None if there is no pager, or its variable is empty or ``cat``."""
    chosen = os.environ.get("SQL_CLIENT_PAGER", os.environ.get("PAGER"))
    command = shlex.split(chosen) if chosen is not None else ["less"]
    if not command or command == ["cat"] or shutil.which(command[0]) is None:
        return None
    if os.path.basename(command[0]) == "less" and len(command) == 1:
        command.append("-SRFX")  # long lines are not wrapped, colors are shown, and a short text needs no key
    return command


class PagedOutput:
    """A text output that starts the pager once it has more lines than the terminal; the writer waits while the pager does not read.

    Like a file for what renders results: ``write``, ``writelines``, ``flush`` and ``isatty``.
    """

    def __init__(self, command: list[str], terminal: TextIO, lines: int, before_pager: Callable[[], None] = lambda: None) -> None:
        self._command = command
        self._terminal = terminal
        self._lines = lines
        self._before_pager = before_pager
        self._held: list[str] = []
        self._count = 0
        self._process: subprocess.Popen[str] | None = None
        self._pipe: IO[str] | None = None

    def write(self, text: str) -> int:
        """Writes a text.

        Raises:
            BrokenPipeError: the user has left the pager.
        """
        if self._pipe is None:
            self._held.append(text)
            self._count += text.count("\n")
            if self._count >= self._lines:
                self._start()
        else:
            self._pipe.write(text)
        return len(text)

    def writelines(self, texts: object) -> None:
        """Writes several texts."""
        for text in texts:  # type: ignore[attr-defined]  # any iterable of texts
            self.write(text)

    def flush(self) -> None:
        """Does nothing: the end of the output flushes it."""

    def isatty(self) -> bool:
        """Returns True: a person reads it."""
        return True

    def close(self) -> None:
        """Shows what fits on the screen, or waits until the user leaves the pager."""
        if self._pipe is None:
            self._terminal.write("".join(self._held))
            self._terminal.flush()
            self._held = []
            return
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        assert self._process is not None
        while True:
            try:
                self._process.wait()
                break
            except KeyboardInterrupt:  # it is for the pager
                continue

    def _start(self) -> None:
        self._before_pager()
        sys.stdout.flush()
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, text=True, encoding="utf-8", errors="backslashreplace")
        self._pipe = self._process.stdin
        assert self._pipe is not None
        held, self._held = "".join(self._held), []
        self._pipe.write(held)
