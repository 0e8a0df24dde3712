"""A typed option key with its default, its text, and the keys it had before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Any, Generic, Self, TypeVar

from table_common.configuration.values import parse_boolean, parse_duration, parse_memory_size
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ConfigOption(Generic[_T]):
    """A typed option: key, parser of its text, default, description.

    Source: Flink's ``org.apache.flink.configuration.ConfigOption``.

    Example:
        >>> option = ConfigOptions.key("table.exec.timeout").duration_type().no_default_value()
        >>> option.parse("5 s")
        datetime.timedelta(seconds=5)
    """

    key: str
    parser: Callable[[str], _T]
    type_name: str
    default: _T | None = None
    description: str = ""
    fallback_keys: tuple[str, ...] = ()
    deprecated_keys: tuple[str, ...] = ()
    changes_expressions: bool = False
    """Whether expressions compute other values with another value of the option."""

    def with_description(self, text: str) -> Self:
        """Returns the option with a text for the reference."""
        return replace(self, description=text)

    def with_fallback_keys(self, *keys: str) -> Self:
        """Returns the option with keys that are read if its own is not set."""
        return replace(self, fallback_keys=(*self.fallback_keys, *keys))

    def with_deprecated_keys(self, *keys: str) -> Self:
        """Returns the option with keys that it had before."""
        return replace(self, deprecated_keys=(*self.deprecated_keys, *keys))

    def with_effect_on_expressions(self) -> Self:
        """Returns the option as one with whose values expressions compute other values: state that was kept under another value is not used."""
        return replace(self, changes_expressions=True)

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All keys that set this option, its own first."""
        return (self.key, *self.fallback_keys, *self.deprecated_keys)

    def parse(self, text: str) -> _T:
        """Reads the option's value from text.

        Raises:
            ValidationException: the text is not of the option's type.
        """
        try:
            return self.parser(text)
        except ValueError as error:
            from table_common.secrets import mask_options  # only where something is wrong

            shown = mask_options({self.key: text})[self.key]
            if shown != text:
                raise ValidationException(f"Option '{self.key}' takes {self.type_name}, but got {shown}.") from None
            raise ValidationException(f"Option '{self.key}' takes {self.type_name}, but got '{text}': {error}") from None


@dataclass(frozen=True, slots=True)
class _Typed(Generic[_T]):
    key: str
    parser: Callable[[str], _T]
    type_name: str

    def default_value(self, value: _T) -> ConfigOption[_T]:
        """Returns the option with this default."""
        return ConfigOption(self.key, self.parser, self.type_name, value)

    def no_default_value(self) -> ConfigOption[_T]:
        """Returns the option whose absence means None."""
        return ConfigOption(self.key, self.parser, self.type_name)


@dataclass(frozen=True, slots=True)
class _Builder:
    key: str

    def string_type(self) -> _Typed[str]:
        """Takes any text."""
        return _Typed(self.key, str, "text")

    def int_type(self) -> _Typed[int]:
        """Takes an integer."""
        return _Typed(self.key, int, "an integer")

    def float_type(self) -> _Typed[float]:
        """Takes a number."""
        return _Typed(self.key, float, "a number")

    def boolean_type(self) -> _Typed[bool]:
        """Takes true or false."""
        return _Typed(self.key, parse_boolean, "true or false")

    def duration_type(self) -> _Typed[timedelta]:
        """Takes a length of time such as ``10 s``, ``5 min`` or ``PT3M``."""
        return _Typed(self.key, parse_duration, "a duration such as '10 s' or '5 min'")

    def memory_type(self) -> _Typed[int]:
        """Takes a number of bytes such as ``64 kb`` or ``1 gb``."""
        return _Typed(self.key, parse_memory_size, "a size such as '64 kb'")

    def enum_type(self, *values: str) -> _Typed[str]:
        """Takes one of the words, compared without case; the value is spelled as in ``values``."""
        by_lower = {value.lower(): value for value in values}

        def parse(text: str) -> str:
            if text.lower() not in by_lower:
                raise ValueError("it is not one of these")
            return by_lower[text.lower()]

        return _Typed(self.key, parse, "one of " + ", ".join(f"'{value}'" for value in values))

    def list_type(self, *values: str) -> _Typed[tuple[str, ...]]:
        """Takes words separated by semicolons, each one of ``values``, compared without case; any words without them."""
        word = self.enum_type(*values) if values else self.string_type()

        def parse(text: str) -> tuple[str, ...]:
            return tuple(word.parser(part.strip()) for part in text.split(";") if part.strip())

        return _Typed(self.key, parse, f"a list, separated by semicolons{f', with each {word.type_name}' if values else ''}")


class ConfigOptions:
    """The start of every option: ``ConfigOptions.key("…").string_type().no_default_value()``.

    Source: Flink's ``org.apache.flink.configuration.ConfigOptions``.

    Example:
        >>> ConfigOptions.key("topic").string_type().default_value("events").default
        'events'
    """

    @staticmethod
    def key(key: str) -> _Builder:
        """Begins an option with this key."""
        return _Builder(key)


def to_text(value: Any) -> str:
    """Returns the text of an option value given as a Python value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return f"{value // timedelta(milliseconds=1)} ms"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, (list, tuple)):
        return ";".join(map(to_text, value))
    return str(value)
