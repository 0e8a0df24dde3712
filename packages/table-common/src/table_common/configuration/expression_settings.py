"""The settings that expressions depend on: the values of all options that declare so."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.configuration.config_option import to_text
from table_common.configuration.configuration import ReadableConfig
from table_common.configuration.session_options import SESSION_OPTIONS, TableConfigOptions
from table_common.configuration.time_zone import session_time_zone


def expression_settings(configuration: ReadableConfig) -> Mapping[str, str]:
    """Returns the values, by key, of the options that declare an effect on expressions: the time zone, and the others where they differ from their defaults.

    Raises:
        ValidationException: an option has an invalid value.

    Example:
        >>> from table_common.configuration import Configuration
        >>> expression_settings(Configuration({"table.local-time-zone": "UTC", "table.exec.legacy-cast-behaviour": "enabled"}))
        {'table.local-time-zone': 'UTC', 'table.exec.legacy-cast-behaviour': 'ENABLED'}
    """
    settings = {TableConfigOptions.LOCAL_TIME_ZONE.key: session_time_zone(configuration)}
    for option in SESSION_OPTIONS.values():
        if option.changes_expressions and option.key not in settings:
            value = configuration.get(option)
            if value != option.default:
                settings[option.key] = to_text(value)
    return settings
