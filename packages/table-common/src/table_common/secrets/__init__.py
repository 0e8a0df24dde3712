"""Secrets: which keys have secrets, where secrets occur in options and statements, and files that only their owner can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.secrets.keys import is_secret_key
    from table_common.secrets.option_values import HIDDEN_CONTENT, mask_options, mask_value
    from table_common.secrets.private_files import make_private, open_private
    from table_common.secrets.shown_fields import shown_field
    from table_common.secrets.statement_text import mask_hints, mask_line, mask_text, secret_spans

__all__ = [
    "HIDDEN_CONTENT",
    "is_secret_key",
    "make_private",
    "mask_hints",
    "mask_line",
    "mask_options",
    "mask_text",
    "mask_value",
    "open_private",
    "secret_spans",
    "shown_field",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.secrets.keys": ("is_secret_key",),
        "table_common.secrets.option_values": ("HIDDEN_CONTENT", "mask_options", "mask_value"),
        "table_common.secrets.shown_fields": ("shown_field",),
        "table_common.secrets.private_files": ("make_private", "open_private"),
        "table_common.secrets.statement_text": ("mask_hints", "mask_line", "mask_text", "secret_spans"),
    },
)
