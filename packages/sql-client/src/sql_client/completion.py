"""Completion at the prompt, with the completions of the SQL front end."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from table_api import TableEnvironment

__all__ = ["SqlCompleter"]

_COMMANDS = ("CLEAR", "EXIT", "HELP", "QUIT")
_QUOTED_OR_WORD = re.compile(r"`[^`]*`|(`[^`]*|[\w$]+)\Z", re.DOTALL)


class SqlCompleter(Completer):
    """Offers keywords, names of tables, columns and functions, and the client's commands."""

    def __init__(self, env: TableEnvironment) -> None:
        self._env = env

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yields the completions of the word before the cursor."""
        word = _word_at_end(document.text_before_cursor)
        hints = self._env.get_completion_hints(document.text, document.cursor_position)
        if document.text_before_cursor.strip() == word:
            hints += [command for command in _COMMANDS if command.startswith(word.upper()) and command not in hints]
        for hint in hints:
            yield Completion(hint, start_position=-len(word))


def _word_at_end(text: str) -> str:
    """Returns the incomplete name before the cursor, with its opening back-tick; back-ticks in pairs are complete names."""
    return next((match.group(1) for match in _QUOTED_OR_WORD.finditer(text) if match.group(1)), "")
