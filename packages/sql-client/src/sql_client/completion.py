"""Completion at the prompt: what the SQL front end says may stand at the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from table_api import TableEnvironment

__all__ = ["SqlCompleter"]

_WORD = re.compile(r"[\w`.]*$")


class SqlCompleter(Completer):
    """Offers keywords, tables, columns and functions that fit."""

    def __init__(self, env: TableEnvironment) -> None:
        self._env = env

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yields what can replace the word before the cursor."""
        match = _WORD.search(document.text_before_cursor)
        word = match.group() if match else ""
        for hint in self._env.get_completion_hints(document.text, document.cursor_position):
            yield Completion(hint, start_position=-len(word.rpartition(".")[2]))
