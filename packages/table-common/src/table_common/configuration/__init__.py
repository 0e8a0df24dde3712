"""Options: typed keys and the maps that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.configuration.config_option import ConfigOption, ConfigOptions, is_secret_key
    from table_common.configuration.configuration import Configuration, ReadableConfig

__all__ = ["ConfigOption", "ConfigOptions", "Configuration", "ReadableConfig", "is_secret_key"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.configuration.config_option": ("ConfigOption", "ConfigOptions", "is_secret_key"),
        "table_common.configuration.configuration": ("Configuration", "ReadableConfig"),
    },
)
