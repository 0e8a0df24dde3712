"""Redacts the fields of nodes for ``repr``: secrets of options and statements are masked."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.secrets.keys import is_secret_key
from table_common.secrets.option_values import HIDDEN_CONTENT, mask_options, mask_value
from table_common.secrets.statement_text import mask_text


def shown_field(name: str, value: object) -> object:
    """Returns a field of a node as its ``repr`` shows it: options, as a map or as pairs, are masked."""
    if (
        name.endswith(("options", "properties"))
        and isinstance(value, Mapping)
        and all(isinstance(part, str) for pair in value.items() for part in pair)
    ):
        return mask_options(value)
    if name.endswith("options") and isinstance(value, tuple):
        return tuple(
            (item[0], HIDDEN_CONTENT if is_secret_key(item[0]) else mask_value(item[1])) if _is_option(item) else item for item in value
        )
    if name.endswith(("query", "text")) and isinstance(value, str) and "'" in value:
        return mask_text(value)[0]
    return value


def _is_option(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and all(isinstance(part, str) for part in item)
