"""Redacts secrets in the errors of a statement."""

from __future__ import annotations

from types import TracebackType


class secrets_hidden:  # noqa: N801  # used as a function, and faster than a generator on the path of every statement
    """A context that redacts the secrets of a statement in the errors that leave it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Exception) and getattr(error, "shows_statement", True):
            from table_common.redaction.hidden_values import HiddenValues

            HiddenValues.of_statement(self._text).in_error(error)
