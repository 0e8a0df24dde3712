"""Draws the SQL client at work: runs it in a pseudo-terminal and writes its screen as an SVG image.

``python docs/client_picture.py`` writes docs/client.svg; it needs pyte, an emulator of terminals.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

import pyte

PICTURE = Path(__file__).with_name("client.svg")
LINES, COLUMNS = 33, 96
WIDTH, HEIGHT, PADDING = 8.4, 18, 14
"""The size of a character and the margin, in pixels."""
BACKGROUND, TEXT = "#f6f8fa", "#24292f"
COLORS = {
    "black": "#24292f",
    "red": "#b31d28",
    "green": "#116329",
    "brown": "#7d4e00",
    "blue": "#0550ae",
    "magenta": "#8250df",
    "cyan": "#1b7c83",
    "white": "#6e7781",
}
"""The colors of the emulator by their names."""
PATIENCE = 120.0
"""Seconds until a text must have appeared."""
FLIGHTS = "carrier,origin,delay\nUA,EWR,12\nAA,JFK,-3\nDL,JFK,4\nUA,LGA,31\nAA,LGA,8\nDL,JFK,\nB6,JFK,17\nUA,EWR,-5\nB6,EWR,40\n"
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SET 'sql-client.display.print-time-cost' = 'false';\r", ("succeeded.",)),
    ("\x0c", ()),
    (
        "SELECT carrier, COUNT(*) AS flights, MAX(delay) AS latest\rFROM 'flights.csv'\rGROUP BY carrier\rORDER BY latest DESC;\r",
        ("4 rows in set",),
    ),
    ("SELECT carier FROM 'flights.csv';\r", ("Did you mean",)),
    ("SELECT carrier, CONC\t", ("CONCAT_WS",)),
)
"""What is typed, and what the screen shows afterwards."""


class Client:
    """The client in a pseudo-terminal, whose screen is emulated."""

    def __init__(self, folder: Path) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        variables = {**os.environ, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "PROMPT_TOOLKIT_COLOR_DEPTH": "DEPTH_24_BIT"}
        variables |= {"XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "LANG": "C.UTF-8", "NO_COLOR": ""}
        for name in ("COLUMNS", "LINES", "NO_COLOR", "SQL_CLIENT_PAGER", "SQL_CLIENT_CONFIG", "SQL_CLIENT_INIT"):
            variables.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sql_client"], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=variables, start_new_session=True
        )
        os.close(slave)

    def type(self, text: str) -> None:
        """Types a text."""
        os.write(self._master, text.encode())

    def wait_for(self, *texts: str) -> None:
        """Waits until the screen shows the texts and the client has nothing more to draw.

        Raises:
            TimeoutError: the screen does not show them.
        """
        deadline = time.monotonic() + PATIENCE
        while not self._is_quiet() or not all(any(text in line for line in self.screen.display) for text in texts):
            if time.monotonic() > deadline:
                raise TimeoutError(f"The screen does not show {texts}:\n" + "\n".join(self.screen.display))

    def _is_quiet(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 0.5)
        if ready:
            self._stream.feed(os.read(self._master, 65536))
        return not ready

    def close(self) -> None:
        """Ends the client."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def picture() -> str:
    """Runs the client and returns the image of its screen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "flights.csv").write_text(FLIGHTS)
        client = Client(folder)
        try:
            client.wait_for("SQL>")
            for typed, shown in STEPS:
                client.type(typed)
                client.wait_for("SQL>", *shown)
            return svg(client.screen)
        finally:
            client.close()


def svg(screen: pyte.Screen) -> str:
    """Returns the image of a screen, without the empty lines at its end."""
    rows = [[screen.buffer[line][column] for column in range(COLUMNS)] for line in range(LINES)]
    while rows and all(character.data == " " and character.bg == "default" and not character.reverse for character in rows[-1]):
        rows.pop()
    width, height = round(COLUMNS * WIDTH + 2 * PADDING), len(rows) * HEIGHT + 2 * PADDING
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        "<title>The SQL client: a query over a CSV file, an error with its position, and completion</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
        f'<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="{TEXT}" xml:space="preserve" style="white-space: pre">',
    ]
    for number, row in enumerate(rows):
        lines += _line(row, PADDING + number * HEIGHT)
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _line(row: Sequence[pyte.screens.Char], top: int) -> Iterator[str]:
    """Yields the elements of a line: for each run of characters of one style its background and its text."""
    column = 0
    for (foreground, background, bold), run in groupby(row, _style):
        text = "".join(character.data for character in run)
        if background is not None:
            yield f'<rect x="{_x(column)}" y="{top}" width="{_x(len(text), 0)}" height="{HEIGHT}" fill="{background}"/>'
        if shown := text.strip():
            left = column + len(text) - len(text.lstrip())
            style = (f' fill="{foreground}"' if foreground != TEXT else "") + (' font-weight="bold"' if bold else "")
            yield f'<text x="{_x(left)}" y="{top + 13}" textLength="{_x(len(shown), 0)}"{style}>{escape(shown)}</text>'
        column += len(text)


def _x(columns: int, start: float = PADDING) -> float:
    return round(start + columns * WIDTH, 1)


def _style(character: pyte.screens.Char) -> tuple[str, str | None, bool]:
    """Returns the color, the color of the background (None: none) and whether the character is bold."""
    foreground, background = _color(character.fg), _color(character.bg)
    if character.reverse:
        foreground, background = background or BACKGROUND, foreground or TEXT
    return foreground or TEXT, background, bool(character.bold)


def _color(name: str) -> str | None:
    if name == "default":
        return None
    return COLORS.get(name.removeprefix("bright"), f"#{name}")


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
