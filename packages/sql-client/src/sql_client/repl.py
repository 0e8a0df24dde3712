"""The prompt: multi-line statements, history, syntax highlighting and completion."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output
from pygments.lexers.sql import SqlLexer

from sql_client.commands import is_prompt_command
from sql_client.completion import SqlCompleter
from sql_client.failure import StatementFailed
from sql_client.script import Script
from sql_client.session import ClientSession
from table_api.sql import split_statements
from table_common.secrets import make_private, mask_text

PROMPT = "SQL> "
_BARE_COMMANDS = ("QUIT", "EXIT", "HELP", "CLEAR")


def run_prompt(
    session: ClientSession,
    history_file: str | None = None,
    is_terminated: Callable[[], bool] = lambda: False,
    *,
    terminal_input: Input | None = None,
    terminal_output: Output | None = None,
) -> int:
    """Reads and runs statements until QUIT or the end of input; returns the exit code.

    Raises:
        KeyboardInterrupt: SIGTERM ended the client, as ``is_terminated`` says; Ctrl-C only clears the input or cancels the statement.
    """
    prompt: PromptSession[str] = PromptSession(
        history=open_history(history_file),
        lexer=PygmentsLexer(SqlLexer),
        completer=SqlCompleter(session.env),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        multiline=True,
        key_bindings=_key_bindings(),
        prompt_continuation=_continuation,
        rprompt=lambda: _hint(prompt.default_buffer.text),
        input=terminal_input,
        output=terminal_output,
    )
    engine = session.env.get_config().get("table.planner")
    print(f"SQL on the engine '{engine}'. Statements end with a semicolon; HELP lists the commands, QUIT ends.\n")
    session.uses_pager = sys.stdout.isatty()
    while True:
        try:
            text = prompt.prompt(PROMPT, default=session.next_input)
            session.next_input = ""
        except KeyboardInterrupt:  # clears what was typed
            if is_terminated():
                raise
            continue
        except EOFError:
            break
        if not handle(session, text):
            break
        if is_terminated():
            raise KeyboardInterrupt
    try:
        session.check_ended()
    except StatementFailed as failure:
        print(failure.reason, file=sys.stderr)
    return 0


def handle(session: ClientSession, text: str) -> bool:
    """Runs the statements of an input and prints their errors; returns False if one of them ends the client."""
    script = Script(text)
    try:
        return session.run_script(script)
    except StatementFailed as failure:
        several = len(list(script.statements())) > 1
        print(f"{failure if several else failure.reason}\n", file=sys.stderr)
    except KeyboardInterrupt:
        print("Cancelled.\n", file=sys.stderr)
    return True


def is_complete(text: str) -> bool:
    """Returns whether Enter runs the text: it is empty, a client command, or its last statement ends with a semicolon."""
    if text.strip().upper() in _BARE_COMMANDS or is_prompt_command(text):
        return True
    # More text begins a new statement only if nothing is open: no statement, string, comment or statement set.
    more = f"{text}\nx"
    spans = split_statements(more)
    return bool(spans) and more[spans[-1].start : spans[-1].end] == "x"


def open_history(path: str | None) -> History:
    """Returns the history in a file, by default in the user's state folder; in memory if the file cannot be written.

    Only the user can read the file, and secrets are redacted in it.
    """
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    file = Path(path).expanduser() if path is not None else state / "sql-client" / "history"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        make_private(file, create=True)
        file.open("a").close()
    except OSError as error:
        print(f"[WARN] The history is not saved: '{file}' cannot be written ({error.strerror}).", file=sys.stderr)
        return InMemoryHistory()
    return _MaskedHistory(str(file))


class _MaskedHistory(FileHistory):
    """Writes statements to the file with secrets redacted; in memory, the session's statements are as typed."""

    def store_string(self, string: str) -> None:
        super().store_string(mask_text(string)[0])


def open_part(text: str) -> str:
    """Returns what Enter waits for in an incomplete statement: a quote, a back-tick, the end of a comment, or a semicolon; empty if nothing is open."""
    if is_complete(text):
        return ""
    rest = _CLOSED.sub(lambda match: " " * len(match[0]), text)
    found = _OPENING.search(rest)
    return f"{_CLOSING[found[0]]}@{text.count(chr(10), 0, found.start()) + 1}" if found is not None else ";"


def _hint(text: str) -> str:
    """Returns a hint beside the first line of an input with several lines, whose last one does not end a statement."""
    part = open_part(text) if "\n" in text else ""
    if not part:
        return ""
    closing, _, line = part.partition("@")
    problem = f"{closing} is missing (line {line})" if line else "a semicolon ends the statement"
    return f"{problem}; Ctrl-C clears"


_CLOSED = re.compile(r"'(?:[^']|'')*+'(?!')|`[^`]*`|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_OPENING = re.compile(r"['`\"]|/\*")
_CLOSING = {"'": "'", "`": "`", '"': '"', "/*": "*/"}


def _continuation(width: int, number: int, wrapped: int) -> StyleAndTextTuples:
    return [("", " " * width if wrapped else "> ".rjust(width))]


def _key_bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None  # accepts the completion that is selected in the menu
        elif not buffer.document.text_after_cursor.strip() and is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @bindings.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings
