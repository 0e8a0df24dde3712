"""When group windows emit results, as the options ``table.exec.emit`` of a session say."""

from __future__ import annotations

from datetime import timedelta

from table_api.operations import WindowAssigner, WindowEmission
from table_common.configuration import ConfigOption, ExecutionConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException


def emission_of(window: WindowAssigner, configuration: ReadableConfig, *, is_proctime: bool) -> WindowEmission | None:
    """Returns when a group window emits results besides at its end; None: never.

    Raises:
        ValidationException: an option contradicts another one or the window.
    """
    options = ExecutionConfigOptions
    early = _delay(configuration, options.TABLE_EXEC_EMIT_EARLY_FIRE_ENABLED, options.TABLE_EXEC_EMIT_EARLY_FIRE_DELAY)
    late = _delay(configuration, options.TABLE_EXEC_EMIT_LATE_FIRE_ENABLED, options.TABLE_EXEC_EMIT_LATE_FIRE_DELAY)
    lateness = configuration.get(options.TABLE_EXEC_EMIT_ALLOW_LATENESS) // timedelta(milliseconds=1)
    if not window.is_aligned and (early is not None or late is not None):
        raise ValidationException(
            "A SESSION window of GROUP BY cannot emit results before or after its end.",
            hint=f"Unset '{_set_option(configuration).key}' for this query.",
        )
    if is_proctime:  # no row is late
        late = None
    if late is None:  # as in Flink, late rows are dropped without late-fire.enabled
        lateness = 0
    elif lateness <= 0:
        raise ValidationException(
            f"The option '{options.TABLE_EXEC_EMIT_LATE_FIRE_ENABLED.key}' needs late rows, but all of them are dropped.",
            hint=f"Set '{options.TABLE_EXEC_EMIT_ALLOW_LATENESS.key}', such as to '1 h'.",
        )
    return None if early is late is None else WindowEmission(early, late, lateness)


def check_window_function(configuration: ReadableConfig) -> None:
    """Checks that no option asks a window of a function in FROM for results besides at its end.

    Raises:
        ValidationException: an option does.
    """
    options = ExecutionConfigOptions
    if any(map(configuration.get, (options.TABLE_EXEC_EMIT_EARLY_FIRE_ENABLED, options.TABLE_EXEC_EMIT_LATE_FIRE_ENABLED))):
        raise ValidationException(
            f"The option '{_set_option(configuration).key}' is for windows in GROUP BY, but this query aggregates by a window function in FROM, "
            "which gives each result once.",
            hint="Write GROUP BY TUMBLE(ts, INTERVAL …), or unset the option.",
        )


def _set_option(configuration: ReadableConfig) -> ConfigOption[bool]:
    early = ExecutionConfigOptions.TABLE_EXEC_EMIT_EARLY_FIRE_ENABLED
    return early if configuration.get(early) else ExecutionConfigOptions.TABLE_EXEC_EMIT_LATE_FIRE_ENABLED


def _delay(configuration: ReadableConfig, enabled: ConfigOption[bool], delay: ConfigOption[timedelta]) -> int | None:
    if not configuration.get(enabled):
        return None
    value = configuration.get_optional(delay)
    if value is None or value < timedelta(0):
        raise ValidationException(
            f"The option '{enabled.key}' needs the option '{delay.key}'.",
            hint=f"SET '{delay.key}' = '10 s', or '0 s' for results at each row.",
        )
    return value // timedelta(milliseconds=1)
