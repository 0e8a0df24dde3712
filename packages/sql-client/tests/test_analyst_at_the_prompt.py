"""What analysts do at the prompt, in a pseudo-terminal."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from client_terminal import PATIENCE, Terminal

WIDE = "SELECT " + ", ".join(f"{number} AS column_{number}" for number in range(10)) + ";"


@pytest.fixture
def terminal(terminals: list[Terminal], tmp_path: Path) -> Terminal:
    (tmp_path / "flights.csv").write_text("carrier,delay\nUA,5\nAA,7\n")
    opened = Terminal(folder=tmp_path)
    terminals.append(opened)
    opened.wait_for("SQL>")
    return opened


def _complete(terminal: Terminal, *parts: str) -> None:
    """Types a statement; of a part ``begin|end`` the begin and Tab are typed, and the end is awaited."""
    for part in parts:
        begin, bar, end = part.partition("|")
        terminal.type(begin + ("\t" if bar else ""))
        if bar:
            terminal.wait_for(end)


def test_completion_in_ten_contexts(terminal: Terminal) -> None:
    _complete(
        terminal,
        "CREA|TE",
        " TEMPORARY TABLE flights WITH ('conn|ector",
        "' = 'filesy|stem",
        "', 'form|at",
        "' = 'csv', 'path' = 'fli|ghts.csv",
        "');\r",
    )
    terminal.wait_for("Execute statement succeeded.")
    terminal.wait_for("SQL>")
    _complete(terminal, "SELECT UPP|ER", "(carrier) AS c FROM fli|ghts", " WHERE carr|ier", " = 'UA';\r")
    terminal.wait_for("| UA |")
    terminal.wait_for("SQL>")
    _complete(terminal, "WITH w AS (SELECT 42 AS waited) SELECT w.wa|ited", " FROM w;\r")
    terminal.wait_for("|     42 |")
    terminal.wait_for("SQL>")
    _complete(terminal, "SELECT COUNT(*) AS n FROM 'flig|hts.csv", "';\r")
    terminal.wait_for("| 2 |")
    terminal.wait_for("SQL>")
    _complete(terminal, "SET 'sql-client.display.print|-time-cost", "' = 'false';\r")
    terminal.wait_for("Execute statement succeeded.")
    terminal.wait_for("SQL>")
    _complete(terminal, "\\d fli|ghts", "\r")
    terminal.wait_for("| carrier | STRING |")
    terminal.wait_for("SQL>")
    _complete(terminal, "USE CATALOG default_|catalog", ";\r")
    terminal.wait_for("Execute statement succeeded.")


def test_lines_history_and_unicode(terminal: Terminal) -> None:
    terminal.type("SELECT 'Zoë 東京'\rAS city;\r")
    terminal.wait_for("| Zoë 東京 |")
    terminal.wait_for("SQL>")
    terminal.type("\x1b[A\r")  # the statement of two lines from the history
    terminal.wait_for("| Zoë 東京 |")


def test_an_open_quote_is_named_and_ctrl_c_clears_it(terminal: Terminal) -> None:
    terminal.type("SELECT 'abc;\r")
    terminal.wait_for("' is missing (line 1); Ctrl-C clear")  # the last column is written separately
    terminal.type("\x03")
    terminal.wait_for("SQL>")
    terminal.type(".tables\r")
    terminal.wait_for("Empty set")


def test_records_and_the_width_of_the_terminal(terminal: Terminal) -> None:
    terminal.type(WIDE + "\r")
    terminal.wait_for("-[ RECORD 1 ]")
    terminal.wait_for("column_9 | 9")
    terminal.wait_for("SQL>")
    terminal.resize(24, 200)
    terminal.type("\x1b[A\r")
    terminal.wait_for("| column_8 | column_9 |")
    terminal.wait_for("SQL>")
    terminal.type("\\x on\r")
    terminal.wait_for("Expanded display is on.")
    terminal.type("SELECT 'a\nb' AS t;\r".replace("\n", "' || U&'\\000a' || '"))
    terminal.wait_for(r"t | a\nb")


def test_long_results_are_paged_and_leaving_the_pager_ends_the_query(terminals: list[Terminal], tmp_path: Path) -> None:
    numbers = (
        "CREATE TEMPORARY TABLE n (a BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '100000000', 'fields.a.kind' = 'sequence', "
    )
    numbers += "'fields.a.start' = '1', 'fields.a.end' = '100000000');"
    terminal = Terminal(folder=tmp_path, variables={"SQL_CLIENT_PAGER": "sh -c 'head -n 5; echo left the pager'"})
    terminals.append(terminal)
    terminal.wait_for("SQL>")
    terminal.type(numbers + "\r")
    terminal.wait_for("succeeded.")
    terminal.wait_for("SQL>")
    terminal.type("SELECT * FROM n;\r")
    terminal.wait_for("left the pager")
    terminal.wait_for("SQL>")
    terminal.type("SELECT 40 + 2 AS answer;\r")
    terminal.wait_for("|     42 |")


def test_a_cancelled_join_stops_working_within_a_second(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "keys.csv").write_text("k,v\n" + "".join(f"{number % 40},{number}\n" for number in range(40_000)))
    terminal.type(
        "SELECT COUNT(*) FROM 'keys.csv' AS a JOIN 'keys.csv' AS b ON a.k = b.k AND a.v + b.v < 0 JOIN 'keys.csv' AS c ON b.k = c.k;\r"
    )
    terminal.wait_for("(Ctrl-C cancels)")
    before = terminal.cpu_seconds()
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.wait_for("Cancelled.")
    terminal.wait_for("SQL>")
    terminal.type("SELECT 40 + 2 AS answer;\r")
    terminal.wait_for("|     42 |")
    terminal.type("quit\r")
    assert terminal.cpu_seconds() - before < 2.0  # the cancelled job, and the query after it
    assert terminal.process.wait(PATIENCE) == 0
