"""Options: typed keys and the maps that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.configuration.config_option import ConfigOption, ConfigOptions
    from table_common.configuration.configuration import Configuration, ReadableConfig
    from table_common.configuration.references import has_hidden_values, hidden_text, hide_values, resolve_references, resolved_options
    from table_common.configuration.secrets import HIDDEN_CONTENT, is_secret_key, mask_options, mask_text

__all__ = [
    "HIDDEN_CONTENT",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "ReadableConfig",
    "has_hidden_values",
    "hidden_text",
    "hide_values",
    "is_secret_key",
    "mask_options",
    "mask_text",
    "resolve_references",
    "resolved_options",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.configuration.config_option": ("ConfigOption", "ConfigOptions"),
        "table_common.configuration.configuration": ("Configuration", "ReadableConfig"),
        "table_common.configuration.references": (
            "has_hidden_values",
            "hidden_text",
            "hide_values",
            "resolve_references",
            "resolved_options",
        ),
        "table_common.configuration.secrets": ("HIDDEN_CONTENT", "is_secret_key", "mask_options", "mask_text"),
    },
)
