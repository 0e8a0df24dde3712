"""Redacts values in errors, their causes, and plans: secrets, and resolved references such as ``${env:NAME}``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from types import TracebackType

from table_common.exceptions import TableError, TableRuntimeException
from table_common.secrets.keys import is_secret_key
from table_common.secrets.option_values import HIDDEN_CONTENT, mask_value

REFERENCE = re.compile(r"\$\{env:([^}]*)\}")
_SHORTEST_HIDDEN = 3
"""Shorter values are not redacted, because they occur in many words."""
_SHORTEST_PART = 6
"""Shorter values are replaced as whole words only."""
_AS_VALUE = r"(?<=['\"`=:@/])"
"""What stands before a value that is shown, but not before a word of a sentence."""
_NO_SECRETS = frozenset(("true", "false", "null", "none"))


class HiddenValues:
    """Texts to redact, each with its replacement."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        known = {pair for pair in pairs if len(pair[0]) >= _SHORTEST_HIDDEN and pair[0].lower() not in _NO_SECRETS and pair[0] != pair[1]}
        # Long texts first: one may contain another.
        self._pairs = sorted(known, key=lambda pair: (-len(pair[0]), pair[1] != HIDDEN_CONTENT))

    @classmethod
    def of_options(cls, *options: Mapping[str, str]) -> HiddenValues:
        """Returns the values to redact of options, as they were written."""
        return cls(pair for written in options for pair in _pairs(written))

    @classmethod
    def of_statement(cls, text: str) -> HiddenValues:
        """Returns the secrets in a statement."""
        from table_common.secrets.statement_text import secrets_of

        return cls((secret, HIDDEN_CONTENT) for secret in secrets_of(text))

    def __bool__(self) -> bool:
        return bool(self._pairs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The values with their replacements, the longest first."""
        return list(self._pairs)

    def in_text(self, text: str) -> str:
        """Returns a text with the values replaced."""
        for value, shown in self._pairs:
            if value in text:
                text = _replaced(text, value, shown)
        return text

    def in_own_text(self, text: str, quoted: Iterable[str] = ()) -> str:
        """Returns a text that this project made, with the values replaced; words of its own texts stay, unless they are shown as a value.

        Args:
            text: a message, a hint or a plan.
            quoted: texts of others in it, in which every word may be a value.

        Example:
            >>> HiddenValues([("value", "******")]).in_own_text("The value of 'a' is 'value'.")
            "The value of 'a' is '******'."
        """
        for foreign in quoted:
            hidden = self.in_text(foreign)
            if hidden != foreign:
                text = text.replace(foreign, hidden)
        from table_common.secrets.words_of_messages import is_of_messages  # only an error needs it

        for value, shown in self._pairs:
            if value in text:
                text = _replaced(text, value, shown, where=_AS_VALUE if is_of_messages(value) else "")
        return text

    def in_error(self, error: BaseException) -> None:
        """Redacts the values in an error, its notes, its cause and its context."""
        if self._pairs:
            self._clean(error, set())

    def in_errors(self) -> AbstractContextManager[None]:
        """Returns a context that redacts the values in the errors that leave it."""
        return _InErrors(self) if self._pairs else nullcontext()

    def _clean(self, error: BaseException, seen: set[int]) -> None:
        if id(error) in seen:
            return
        seen.add(id(error))
        self._clean_one(error)
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                self._clean(inner, seen)
        cause, context, suppressed = error.__cause__, error.__context__, error.__suppress_context__
        if cause is not None:
            self._clean(cause, seen)
            error.__cause__ = self._shown(cause)
        if context is not None:
            self._clean(context, seen)
            error.__context__ = error.__cause__ if context is cause else self._shown(context)
        error.__suppress_context__ = suppressed

    def _clean_one(self, error: BaseException) -> None:
        if isinstance(error, TableError):
            quoted = _texts_of_others(error)
            error.message = self.in_own_text(error.message, quoted)
            error.hint = self.in_own_text(error.hint, quoted) if error.hint is not None else None
            error.args = (error.message,)
        else:
            error.args = tuple(self._plain(argument) for argument in error.args)
            for name, value in list(vars(error).items()) if hasattr(error, "__dict__") else []:
                if isinstance(value, (str, bytes)) and name != "__notes__":
                    setattr(error, name, self._plain(value))
        if isinstance(error, OSError):
            for name in ("filename", "filename2", "strerror"):
                if getattr(error, name) is not None:
                    setattr(error, name, self._plain(getattr(error, name)))
        notes = getattr(error, "__notes__", None)
        if notes:
            error.__notes__ = [self.in_text(note) for note in notes]

    def _shown(self, error: BaseException) -> BaseException:
        """Returns the error, or a replacement if its text still shows a value."""
        if isinstance(error, TableError):  # its text was replaced, and its excerpt masks what it shows
            return error
        try:
            text = f"{error} {error!r}"
        except Exception:  # a third-party exception whose text is computed
            text = type(error).__name__
        if self.in_text(text) == text:
            return error
        stand_in = TableRuntimeException(f"{type(error).__name__}: {self.in_text(str(error))}")
        stand_in.__cause__, stand_in.__context__ = error.__cause__, error.__context__
        stand_in.__suppress_context__ = error.__suppress_context__
        return stand_in.with_traceback(error.__traceback__)

    def _plain(self, value: object) -> object:
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, bytes):
            text = value.decode(errors="replace")
            hidden = self.in_text(text)
            return value if hidden == text else hidden.encode()
        return value


def _replaced(text: str, value: str, shown: str, *, where: str = "") -> str:
    if len(value) >= _SHORTEST_PART and not where:
        return text.replace(value, shown)
    return re.sub(rf"{where}(?<!\w){re.escape(value)}(?!\w)", shown.replace("\\", r"\\"), text)


def _texts_of_others(error: TableError) -> list[str]:
    """Returns the texts of the exceptions of other libraries that an error may quote, the longest first."""
    found: set[str] = set()
    waiting: list[BaseException | None] = [error.__cause__, error.__context__]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        waiting += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        if not isinstance(one, TableError):
            with suppress(Exception):  # the text of a third-party exception is computed
                found.update(line for part in (str(one), *map(str, one.args)) for line in (part, *part.splitlines()) if line)
    return sorted(found, key=len, reverse=True)


class _InErrors:
    """Not a generator: it is on the path of every statement."""

    def __init__(self, hidden: HiddenValues) -> None:
        self._hidden = hidden

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            self._hidden.in_error(error)


def redact_error(error: BaseException, options: Mapping[str, str]) -> None:
    """Replaces resolved values in an error by their references, and masks the values of secret keys.

    Args:
        error: raised by an object that was created from the resolved options.
        options: as they were written.
    """
    HiddenValues.of_options(options).in_error(error)


def has_hidden_values(options: Mapping[str, str]) -> bool:
    """Returns whether the options have values to redact."""
    return any("${env:" in value or is_secret_key(key) or mask_value(value) != value for key, value in options.items())


def _pairs(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, written in options.items():
        value = REFERENCE.sub(lambda match: os.environ.get(match[1], match[0]), written)
        if is_secret_key(key):
            yield value, HIDDEN_CONTENT
        elif value != written:
            yield value, mask_value(written)
        shown = mask_value(value)
        if shown != value:
            yield value, mask_value(written)
            yield from ((secret, HIDDEN_CONTENT) for secret in _secrets_in(value))
        for match in REFERENCE.finditer(written):
            yield os.environ.get(match[1], ""), match[0]


def _secrets_in(value: str) -> Iterator[str]:
    from table_common.secrets.option_values import spans_in_value

    for start, stop in spans_in_value(value):
        yield value[start:stop]
        _, colon, password = value[start:stop].partition(":")
        if colon:
            yield password
