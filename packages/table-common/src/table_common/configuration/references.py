"""``${env:NAME}`` in options: resolved when a factory uses the options; the values are never stored and never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from table_common.exceptions import ValidationException
from table_common.redaction.hidden_values import REFERENCE, HiddenValues
from table_common.restrictions import current_restrictions

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@contextmanager
def resolved_options(options: Mapping[str, str], where: str) -> Iterator[dict[str, str]]:
    """A context with the resolved options. Errors that leave it do not show the resolved values (``HiddenValues``).

    Example:
        >>> with resolved_options({"topic": "orders"}, "table t") as options:
        ...     options["topic"]
        'orders'
    """
    with HiddenValues.of_options(options).in_errors():
        yield resolve_references(options, where)


def resolve_references(options: Mapping[str, str], where: str) -> dict[str, str]:
    """Returns the options with each reference replaced by the value of its environment variable.

    Args:
        options: as written and stored, with references.
        where: the owner of the options, for error messages.

    Raises:
        ValidationException: a variable is not set, or a reference does not name one (the message has the option's key); or the session
            is restricted and an option has a path that statements must not use.

    Example:
        >>> import os
        >>> os.environ["EXAMPLE_TOPIC"] = "orders"
        >>> resolve_references({"topic": "${env:EXAMPLE_TOPIC}"}, "table t")
        {'topic': 'orders'}
    """
    resolved = {key: _resolved(key, value, where) for key, value in options.items()}
    current_restrictions().check_options(resolved, where)
    return resolved


def _resolved(key: str, value: str, where: str) -> str:
    def variable(match: re.Match[str]) -> str:
        name = match[1]
        if not _NAME.fullmatch(name):
            raise ValidationException(
                f"Option '{key}' of {where} refers to '{match[0]}', which is not the name of an environment variable.",
                hint="a name has letters, digits and underscores: ${env:DB_PASSWORD}",
            )
        if name not in os.environ:
            raise ValidationException(
                f"Option '{key}' of {where} refers to the environment variable '{name}', which is not set.",
                hint=f"export {name}=… before the program starts",
            )
        return os.environ[name]

    return REFERENCE.sub(variable, value) if "${env:" in value else value
