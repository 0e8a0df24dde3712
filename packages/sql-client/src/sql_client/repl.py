"""The prompt: several lines up to a semicolon, history, highlighting, completion."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from sql_client.completion import SqlCompleter
from sql_client.session import ClientSession, StatementFailed
from table_api.sql import split_statements

__all__ = ["run_prompt"]

HELP = """\
A statement may take several lines and ends with a semicolon. Beside SQL:
  HELP          shows this text
  CLEAR         clears the screen
  QUIT, EXIT    ends the client (also Ctrl-D)
Ctrl-C cancels a running statement, or clears what was typed. Tab completes. The arrow keys walk through the history.
SHOW TABLES, DESCRIBE t, EXPLAIN query and SET say what is there, what it looks like, how it runs and with which options."""


def run_prompt(session: ClientSession, history_file: str | None = None) -> int:
    """Reads and runs statements until QUIT or the end of input; returns the exit code."""
    prompt: PromptSession[str] = PromptSession(
        history=open_history(history_file),
        lexer=PygmentsLexer(SqlLexer),
        completer=SqlCompleter(session.env),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        multiline=True,
        key_bindings=_key_bindings(),
        prompt_continuation=lambda width, number, wrapped: " " * (width - 2) + "> ",
    )
    print("Statements end with ';'. HELP shows what there is, QUIT ends.")
    while True:
        try:
            text = prompt.prompt("SQL> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return 0
        if not handle(session, text):
            return 0


def handle(session: ClientSession, text: str) -> bool:
    """Runs what was typed; returns False if it ends the client."""
    word = text.strip().rstrip(";").strip().upper()
    match word:
        case "":
            return True
        case "QUIT" | "EXIT":
            return False
        case "HELP":
            print(HELP)
            return True
        case "CLEAR":
            print("\033[2J\033[H", end="")
            return True
    try:
        session.run_script(text, echo=False)
    except StatementFailed as failure:
        print(failure, file=sys.stderr)
    except KeyboardInterrupt:
        print("cancelled", file=sys.stderr)
    return True


def is_complete(text: str) -> bool:
    """Returns whether Enter runs the text: it is a command of the client, or its last statement ends with a semicolon."""
    stripped = text.strip()
    if not stripped or stripped.upper() in ("QUIT", "EXIT", "HELP", "CLEAR"):
        return True
    if not stripped.endswith(";"):
        return False
    # A semicolon inside a text, a comment or a statement set ends nothing: then the splitter sees it as part of a statement.
    spans = split_statements(stripped + "\n")
    return not spans or (stripped[spans[-1].end :].strip(";\n ") == "" and not stripped[spans[-1].start : spans[-1].end].endswith(";"))


def open_history(path: str | None) -> History:
    """Returns the history of a file, by default one in the user's state folder; in memory if that cannot be written."""
    default = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "sql-client" / "history"
    file = Path(path) if path is not None else default
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


def _key_bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.is_cursor_at_the_end and is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
