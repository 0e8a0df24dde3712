"""Options: typed keys and the maps that hold them."""

from table_common.configuration.config_option import ConfigOption, ConfigOptions, is_secret_key
from table_common.configuration.configuration import Configuration, ReadableConfig

__all__ = ["ConfigOption", "ConfigOptions", "Configuration", "ReadableConfig", "is_secret_key"]
