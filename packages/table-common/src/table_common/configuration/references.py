"""``${env:NAME}`` in options: looked up when something is made of them, never stored and never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from table_common.configuration.secrets import HIDDEN_CONTENT, is_secret_key
from table_common.exceptions import TableError, ValidationException

__all__ = ["has_hidden_values", "hidden_text", "hide_values", "resolve_references", "resolved_options"]

_REFERENCE = re.compile(r"\$\{env:([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORTEST_HIDDEN = 3
"""Shorter values say nothing, and are part of many words."""


@contextmanager
def resolved_options(options: Mapping[str, str], where: str) -> Iterator[dict[str, str]]:
    """Gives options with their references resolved; an error that leaves the context shows no value of them (``hide_values``)."""
    try:
        yield resolve_references(options, where)
    except TableError as error:
        hide_values(error, options)
        raise


def resolve_references(options: Mapping[str, str], where: str) -> dict[str, str]:
    """Returns the options with the variables of the environment in the places of their references.

    Args:
        options: as they were written and are stored.
        where: says in errors whose options they are.

    Raises:
        ValidationException: a variable is not set, or a reference has no name of one; the message has the option's key.
    """
    return {key: _resolved(key, value, where) for key, value in options.items()}


def hide_values(error: TableError, options: Mapping[str, str]) -> None:
    """Puts the references back into the text of an error wherever it shows their values, and masks the values of secret keys.

    Args:
        error: raised by something that was made of the resolved options.
        options: as they were written.
    """
    error.message = hidden_text(error.message, options)
    error.hint = hidden_text(error.hint, options) if error.hint is not None else None
    error.args = (error.message,)


def hidden_text(text: str, options: Mapping[str, str]) -> str:
    """Returns a text with the references, as they were written, in the places of their values, and the values of secret keys masked."""
    for shown, hidden in _hidden(options):
        text = text.replace(shown, hidden)
    return text


def has_hidden_values(options: Mapping[str, str]) -> bool:
    """Returns whether there is anything that a text made of the resolved options must not show."""
    return any("${env:" in value or is_secret_key(key) for key, value in options.items())


def _resolved(key: str, value: str, where: str) -> str:
    def variable(match: re.Match[str]) -> str:
        name = match[1]
        if not _NAME.fullmatch(name):
            raise ValidationException(
                f"Option '{key}' of {where} refers to '{match[0]}', which is no name of an environment variable.",
                hint="a name has letters, digits and underscores: ${env:DB_PASSWORD}",
            )
        if name not in os.environ:
            raise ValidationException(
                f"Option '{key}' of {where} refers to the environment variable '{name}', which is not set.",
                hint=f"export {name}=… before the program starts",
            )
        return os.environ[name]

    return _REFERENCE.sub(variable, value) if "${env:" in value else value


def _hidden(options: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns what an error may not show and what it shows instead, long texts first: one may be part of another."""
    pairs = []
    for key, written in options.items():
        value = _REFERENCE.sub(lambda match: os.environ.get(match[1], match[0]), written)
        if is_secret_key(key):
            pairs.append((value, HIDDEN_CONTENT))
        elif value != written:
            pairs.append((value, written))
        pairs += [(os.environ.get(match[1], ""), match[0]) for match in _REFERENCE.finditer(written)]
    known = {pair for pair in pairs if len(pair[0]) >= _SHORTEST_HIDDEN and pair[0].lower() not in ("true", "false")}
    return sorted(known, key=lambda pair: (-len(pair[0]), pair[1] != HIDDEN_CONTENT))
