"""Completion at the prompt; the candidates come from table-api."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from sql_client.commands import COMMANDS
from sql_client.options import OPTIONS, PREFIX
from table_api import TableEnvironment
from table_api.sql import open_string

_COMMANDS = ("CLEAR", "EXIT", "HELP", "QUIT")
_QUOTED_OR_WORD = re.compile(r"`[^`]*`|(`[^`]*|[\w$]+)\Z", re.DOTALL)
_OF_TABLES = ("\\d", "\\ddl", "\\summary")
_SET = re.compile(r"(?:SET|RESET)\s*'\Z", re.IGNORECASE)


class SqlCompleter(Completer):
    """Offers keywords, names of tables, columns and functions, keys and values of options, paths, and the client's commands."""

    def __init__(self, env: TableEnvironment) -> None:
        self._env = env

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yields the completions of the word, or of the string, before the cursor."""
        before = document.text_before_cursor
        if before.lstrip().startswith("\\"):
            yield from self._of_command(before.lstrip())
            return
        quote = open_string(before)
        word = before[quote + 1 :] if quote is not None else _word_at_end(before)
        hints = self._env.get_completion_hints(document.text, document.cursor_position)
        if quote is not None and _SET.search(before[: quote + 1]):
            hints += [key for key in OPTIONS if key.startswith(word) and word.startswith(PREFIX[:4])]
        if before.strip() == word:
            hints += [command for command in _COMMANDS if command.startswith(word.upper()) and command not in hints]
        for hint in hints:
            yield Completion(hint, start_position=-len(word))

    def _of_command(self, text: str) -> Iterable[Completion]:
        name, space, argument = text.partition(" ")
        if not space:
            for command in COMMANDS:
                if command.name.startswith(name):
                    yield Completion(command.name, start_position=-len(name), display=command.usage, display_meta=command.text)
        elif name in _OF_TABLES:
            query = f"SELECT * FROM {argument.lstrip()}"
            word = _word_at_end(query)
            for hint in self._env.get_completion_hints(query, len(query)):
                if not hint.isupper():  # keywords are no tables
                    yield Completion(hint, start_position=-len(word))


def _word_at_end(text: str) -> str:
    """Returns the incomplete name before the cursor, with its opening back-tick; back-ticks in pairs are complete names."""
    return next((match.group(1) for match in _QUOTED_OR_WORD.finditer(text) if match.group(1)), "")
