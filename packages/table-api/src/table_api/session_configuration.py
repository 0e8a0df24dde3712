"""The options of a session; every assignment checks key and value."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Self

from table_common.annotation import override
from table_common.configuration import (
    FIXED_OPTIONS,
    OPTIONS_WITHOUT_EFFECT,
    SESSION_OPTIONS,
    ConfigOption,
    Configuration,
    PythonOptions,
    ReadableConfig,
    TableConfigOptions,
    time_zone_of,
)
from table_common.exceptions import TableException, ValidationException

_OWN_PACKAGES = ("table_api", "table_common", "table_api_bridge", "sql_client")


class SessionConfiguration(Configuration):
    """Options with checks: a wrong value is an error; an unknown key, or one without effect, is a warning, once per key."""

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._warned: set[str] = set()
        self._fixed: frozenset[str] = frozenset()
        self.add_all(options or {})

    @classmethod
    def of(cls, options: ReadableConfig | Mapping[str, str]) -> Self:
        """Returns ``options`` if they are a ``SessionConfiguration``, else a new one with a copy of them."""
        return options if isinstance(options, cls) else cls(options if isinstance(options, Mapping) else options.to_map())

    def fix(self) -> None:
        """Makes the options read-only that are read when an environment is made."""
        self._fixed = frozenset(key for option in FIXED_OPTIONS for key in option.all_keys)

    @override
    def set(self, option: ConfigOption[Any] | str, value: Any) -> Self:
        """Sets an option.

        Warns:
            ConfigurationWarning: the option is unknown or has no effect.

        Raises:
            ValidationException: the option does not accept the value.
            TableException: the option is read-only.
        """
        key = option if isinstance(option, str) else option.key
        if key in self._fixed and str(value) != self.get(key):
            raise TableException(
                f"The option '{key}' is fixed when an environment is created.", hint="set it in EnvironmentSettings or TableConfig"
            )
        text = Configuration().set(option, value).to_map()[key]
        _check_value(key, text)
        self._warn(key)
        self._options[key] = text
        return self

    @override
    def add_all(self, other: ReadableConfig | Mapping[str, str], prefix: str = "") -> Self:
        """Sets all options of ``other``, with ``prefix`` before each key; warnings and errors are those of ``set``."""
        for key, value in (other if isinstance(other, Mapping) else other.to_map()).items():
            self.set(prefix + key, value)
        return self

    def reset_to(self, options: Mapping[str, str]) -> None:
        """Replaces all options by earlier ones, which are not checked again."""
        self._options = dict(options)

    @override
    def copy(self) -> SessionConfiguration:
        """Returns an independent copy without read-only options."""
        copy = SessionConfiguration()
        copy._options, copy._warned = dict(self._options), set(self._warned)
        return copy

    def _warn(self, key: str) -> None:
        if key in self._warned or (key in SESSION_OPTIONS and key not in OPTIONS_WITHOUT_EFFECT):
            return
        from table_common.configuration import ConfigurationWarning, why_without_effect  # few programs set such keys

        message = why_without_effect(key)
        if message is not None:
            import warnings

            self._warned.add(key)
            warnings.warn(message, ConfigurationWarning, stacklevel=_levels_above())


def _check_value(key: str, text: str) -> None:
    option = SESSION_OPTIONS.get(key)
    if option is not None:
        option.parse(text)
        if option is TableConfigOptions.LOCAL_TIME_ZONE and text != "default":
            time_zone_of(text)
        elif option is PythonOptions.PYTHON_FILES:
            from table_api.python_files import make_importable

            make_importable(text)
        return
    from table_common.configuration import REFUSED_VALUES

    if key in REFUSED_VALUES and text.lower() not in REFUSED_VALUES[key][0]:
        accepted, reason = REFUSED_VALUES[key]
        raise ValidationException(f"The option '{key}' cannot be '{text}': {reason}. Accepted: {', '.join(sorted(accepted))}.")


def _levels_above() -> int:
    """Returns the stack level of the program's call, for a warning: frames of this project are skipped."""
    levels, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OWN_PACKAGES:
        levels, frame = levels + 1, frame.f_back
    return levels
