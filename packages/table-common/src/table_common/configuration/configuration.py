"""Options as text by key, read and written through typed ``ConfigOption``s."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self, TypeVar, overload

from table_common.configuration.config_option import ConfigOption, to_text

__all__ = ["Configuration", "ReadableConfig"]

_T = TypeVar("_T")


class ReadableConfig:
    """Options that can be read; iterating returns the keys that are set.

    Source: Flink's ``org.apache.flink.configuration.ReadableConfig``.

    Example:
        >>> from table_common.configuration import ConfigOptions
        >>> limit = ConfigOptions.key("limit").int_type().default_value(5)
        >>> ReadableConfig({"limit": "7"}).get(limit), ReadableConfig().get(limit)
        (7, 5)
    """

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._options: dict[str, str] = dict(options or {})

    @overload
    def get(self, option: ConfigOption[_T]) -> _T: ...

    @overload
    def get(self, option: str, default: str | None = None) -> str | None: ...

    def get(self, option: ConfigOption[Any] | str, default: str | None = None) -> Any:
        """Returns the option's value, its default if it is not set (None if it has none); with a plain key, its text."""
        if isinstance(option, str):
            return self._options.get(option, default)
        for key in option.all_keys:
            if key in self._options:
                return option.parse(self._options[key])
        return option.default

    def get_optional(self, option: ConfigOption[_T]) -> _T | None:
        """Returns the option's value if it is set, else None, whatever its default."""
        return self.get(option) if any(key in self._options for key in option.all_keys) else None

    def to_map(self) -> dict[str, str]:
        """Returns a copy of all options as text."""
        return dict(self._options)

    def __contains__(self, key: str) -> bool:
        return key in self._options

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._options)} options)"


class Configuration(ReadableConfig):
    """Options that can be read and changed.

    Source: Flink's ``org.apache.flink.configuration.Configuration``.

    Example:
        >>> Configuration().set("table.exec.timeout", "5 s").get("table.exec.timeout")
        '5 s'
    """

    def set(self, option: ConfigOption[Any] | str, value: Any) -> Self:
        """Sets an option.

        Raises:
            ValidationException: The value is not of the option's type.
        """
        text = to_text(value)
        if isinstance(option, ConfigOption):
            option.parse(text)
            option = option.key
        self._options[option] = text
        return self

    def set_string(self, key: str, value: str) -> Self:
        """Sets an option as text, as PyFlink names it."""
        return self.set(key, value)

    def get_string(self, key: str, default_value: str) -> str:
        """Returns an option as text, as PyFlink names it."""
        return self._options.get(key, default_value)

    def add_all(self, other: ReadableConfig | Mapping[str, str]) -> Self:
        """Sets every option of ``other``."""
        self._options.update(other if isinstance(other, Mapping) else other.to_map())
        return self

    def remove(self, key: str) -> bool:
        """Removes an option; returns whether it was set."""
        return self._options.pop(key, None) is not None

    def clear(self) -> None:
        """Removes all options."""
        self._options.clear()

    def copy(self) -> Configuration:
        """Returns an independent copy."""
        return Configuration(self._options)
