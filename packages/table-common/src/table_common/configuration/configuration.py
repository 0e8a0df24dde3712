"""Options as text by key, read and written through typed ``ConfigOption``s."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Self, TypeVar, overload

from table_common.configuration.config_option import ConfigOption, ConfigOptions, to_text

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

    def __init__(self, other: Mapping[str, str] | ReadableConfig | None = None) -> None:
        self._options: dict[str, str] = dict(other._options if isinstance(other, ReadableConfig) else other or {})

    @overload
    def get(self, option: ConfigOption[_T]) -> _T: ...

    @overload
    def get(self, option: str, default: str | None = None) -> str | None: ...

    def get(self, option: ConfigOption[Any] | str, default: str | None = None) -> Any:
        """Returns the option's value, its default if it is not set (None if it has none); with a plain key, its text."""
        if isinstance(option, str):
            return self._options.get(option, default)
        text = self._options.get(option.key)
        if text is None and (option.fallback_keys or option.deprecated_keys):
            text = next((self._options[key] for key in option.all_keys if key in self._options), None)
        return option.default if text is None else option.parse(text)

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

    def get_integer(self, key: str, default_value: int) -> int:
        """Returns an option as an integer, ``default_value`` if it is not set.

        Raises:
            ValidationException: the value is not an integer.
        """
        return _or_default(self.get(ConfigOptions.key(key).int_type().no_default_value()), default_value)

    def set_integer(self, key: str, value: int) -> Self:
        """Sets an option to an integer."""
        return self.set(key, value)

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """Returns an option as true or false, ``default_value`` if it is not set.

        Raises:
            ValidationException: the value is not true or false.
        """
        return _or_default(self.get(ConfigOptions.key(key).boolean_type().no_default_value()), default_value)

    def set_boolean(self, key: str, value: bool) -> Self:
        """Sets an option to true or false."""
        return self.set(key, value)

    def get_float(self, key: str, default_value: float) -> float:
        """Returns an option as a number, ``default_value`` if it is not set.

        Raises:
            ValidationException: the value is not a number.
        """
        return _or_default(self.get(ConfigOptions.key(key).float_type().no_default_value()), default_value)

    def set_float(self, key: str, value: float) -> Self:
        """Sets an option to a number."""
        return self.set(key, value)

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """Returns an option as bytes, ``default_value`` if it is not set; its text is Base64.

        Raises:
            ValidationException: the text is not Base64.
        """
        return _or_default(self.get(ConfigOption(key, _bytes_of, "bytes in Base64")), default_value)

    def set_bytearray(self, key: str, value: bytearray) -> Self:
        """Sets an option to bytes; its text is their Base64."""
        return self.set(key, b64encode(value).decode())

    def key_set(self) -> AbstractSet[str]:
        """Returns the keys that are set."""
        return set(self._options)

    def contains_key(self, key: str) -> bool:
        """Returns whether an option is set."""
        return key in self._options

    def to_dict(self) -> dict[str, str]:
        """Returns all options as text, as PyFlink names it."""
        return self.to_map()

    def add_all_to_dict(self, target_dict: dict[str, str]) -> None:
        """Sets every option in ``target_dict``."""
        target_dict.update(self._options)

    def remove_config(self, key: str) -> bool:
        """Removes an option, as PyFlink names it; returns whether it was set."""
        return self.remove(key)

    def add_all(self, other: ReadableConfig | Mapping[str, str], prefix: str = "") -> Self:
        """Sets every option of ``other``, with ``prefix`` before its key."""
        options = other if isinstance(other, Mapping) else other.to_map()
        self._options.update({prefix + key: value for key, value in options.items()})
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

    @classmethod
    def from_dict(cls, map: Mapping[str, str]) -> Self:  # PyFlink's name
        """Returns a configuration of these options."""
        return cls(map)


def _or_default(value: _T | None, default: _T) -> _T:
    return default if value is None else value


def _bytes_of(text: str) -> bytearray:
    return bytearray(b64decode(text, validate=True))
