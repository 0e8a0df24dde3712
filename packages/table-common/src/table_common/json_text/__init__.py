"""JSON text: its limit of nesting, a strict parser and a compact writer, and the canonical text of a VARIANT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.json_text.depth import MOST_LEVELS, MOST_LEVELS_OF_TYPES, PLAIN_LEVELS, as_deep_as_it_is, require_levels
    from table_common.json_text.double_text import double_text
    from table_common.json_text.values import JsonNumber, NumberText, parse, plain_quote, write
    from table_common.json_text.variant import variant_text

__all__ = [
    "MOST_LEVELS",
    "MOST_LEVELS_OF_TYPES",
    "PLAIN_LEVELS",
    "JsonNumber",
    "NumberText",
    "as_deep_as_it_is",
    "double_text",
    "parse",
    "plain_quote",
    "require_levels",
    "variant_text",
    "write",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.json_text.depth": ("MOST_LEVELS", "MOST_LEVELS_OF_TYPES", "PLAIN_LEVELS", "as_deep_as_it_is", "require_levels"),
        "table_common.json_text.double_text": ("double_text",),
        "table_common.json_text.values": ("JsonNumber", "NumberText", "parse", "plain_quote", "write"),
        "table_common.json_text.variant": ("variant_text",),
    },
)
