"""Values that are not shown: which keys have them, and what is shown instead."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["HIDDEN_CONTENT", "is_secret_key", "mask_options", "mask_text"]

HIDDEN_CONTENT = "******"
"""Stands for a secret."""

_SECRET_WORDS = (
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "api-key",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
    # Beyond Flink's list, what connectors and file systems of Python call theirs:
    "credential",
    "private-key",
    "access-key",
    "account-key",
    "passwd",
    "passphrase",
    "pwd",
)
_OPTION = re.compile(r"'((?:[^']|'')*)'(\s*=\s*)'((?:[^']|'')*)'")


def is_secret_key(key: str) -> bool:
    """Returns whether the value of an option with this key must be masked wherever it would be shown."""
    lowered = key.lower().replace("_", "-")
    return any(word in lowered for word in _SECRET_WORDS)


def mask_options(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options with the values of secret keys masked."""
    return {key: HIDDEN_CONTENT if is_secret_key(key) else value for key, value in options.items()}


def mask_text(text: str, offset: int = 0) -> tuple[str, int]:
    """Returns a part of a statement with the values of its ``'key' = 'value'`` masked where the key is secret, and where ``offset`` is now.

    A value that the text cuts off is masked too.
    """
    parts, end, moved = [], 0, offset
    for match in _OPTION.finditer(text + ("'" if text.count("'") % 2 else "")):
        if not is_secret_key(match[1]):
            continue
        start, stop = match.span(3)
        stop = min(stop, len(text))
        parts += [text[end:start], HIDDEN_CONTENT]
        end = stop
        if offset >= stop:
            moved += len(HIDDEN_CONTENT) - (stop - start)
        elif offset > start:
            moved -= offset - start
    return "".join((*parts, text[end:])), moved
