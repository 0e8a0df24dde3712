"""Redacts secrets and resolved values in errors, and in the errors of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.redaction.errors_of_statements import secrets_hidden
    from table_common.redaction.hidden_values import HiddenValues, has_hidden_values, hidden_text, redact_error

__all__ = [
    "HiddenValues",
    "has_hidden_values",
    "hidden_text",
    "redact_error",
    "secrets_hidden",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.redaction.errors_of_statements": ("secrets_hidden",),
        "table_common.redaction.hidden_values": (
            "HiddenValues",
            "has_hidden_values",
            "hidden_text",
            "redact_error",
        ),
    },
)
