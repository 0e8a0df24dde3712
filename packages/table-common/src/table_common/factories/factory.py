"""Finding implementations by entry point: one group per kind, the entry's name is the factory's identifier."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Self

from table_common.configuration import ConfigOption
from table_common.exceptions import ValidationException, closest

__all__ = ["Factory", "install_hint"]

INSTALL_HINTS = {
    ("table.planners", "arrow"): "table-runtime[planner]",
    ("table.planners", "spark"): "table-planner-spark",
    ("table.connectors", "filesystem"): "table-runtime",
    ("table.formats", "csv"): "table-runtime",
    ("table.formats", "json"): "table-runtime",
    ("table.formats", "parquet"): "table-runtime",
    ("table.connectors", "kafka"): "connector-kafka",
    ("table.connectors", "jdbc"): "connector-jdbc",
}
"""(group, identifier) to the distribution that has it, for the error that says what to install."""


def install_hint(group: str, identifier: str) -> str | None:
    """Returns the distribution that is known to have a factory, or None."""
    return INSTALL_HINTS.get((group, identifier))


class Factory(ABC):
    """Makes instances of one kind from options; found by entry point, only the one asked for is loaded."""

    GROUP: ClassVar[str] = ""
    """The entry point group of the kind."""
    KIND: ClassVar[str] = ""
    """The word for messages, such as ``connector``."""

    @property
    @abstractmethod
    def factory_identifier(self) -> str:
        """The name of the entry point, such as ``filesystem``."""

    @property
    def required_options(self) -> Collection[ConfigOption[Any]]:
        """Options that must be given."""
        return ()

    @property
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        """Options that may be given."""
        return ()

    @classmethod
    def discover(cls, identifier: str) -> Self:
        """Loads the factory of this kind with this identifier.

        Raises:
            ValidationException: no or more than one distribution provides it; the message lists what is installed and what to install.
        """
        entries = cls._entries()
        matching = [entry for entry in entries if entry.name == identifier]
        if not matching:
            names = sorted({entry.name for entry in entries})
            message = f"No {cls.KIND} '{identifier}' is installed."
            suggestions = closest(identifier, names)
            if suggestions:
                message += f" Did you mean '{suggestions[0]}'?"
            message += f" Installed {cls.KIND}s: {', '.join(names) or 'none'}."
            package = install_hint(cls.GROUP, identifier)
            raise ValidationException(message, hint=f"pip install {package}" if package else None)
        if len(matching) > 1:
            providers = ", ".join(sorted(entry.dist.name if entry.dist else entry.value for entry in matching))
            raise ValidationException(f"The {cls.KIND} '{identifier}' is provided more than once: by {providers}. Uninstall all but one.")
        return cls._load(matching[0])

    @classmethod
    def identifiers(cls) -> list[str]:
        """Returns the identifiers of all installed factories of this kind, sorted; loads none of them."""
        return sorted({entry.name for entry in cls._entries()})

    @classmethod
    def _entries(cls) -> tuple[EntryPoint, ...]:
        return _installed(cls.GROUP, tuple(sys.path))

    @classmethod
    def _load(cls, entry: EntryPoint) -> Self:
        try:
            loaded = entry.load()
        except ImportError as error:
            source = f" of {entry.dist.name}" if entry.dist else ""
            raise ValidationException(
                f"The {cls.KIND} '{entry.name}'{source} cannot be loaded: {error}.",
                hint=f"pip install {entry.dist.name if entry.dist else entry.module} with all that it depends on",
            ) from error
        factory = loaded()
        if not isinstance(factory, cls):
            raise ValidationException(f"The entry point '{entry.name}' of {cls.GROUP} is {loaded!r}, which is no {cls.__name__}.")
        return factory


@cache
def _installed(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Returns the entry points of a group; reading the metadata of all that is installed takes long, so it is done once for a path."""
    # An editable install beside a wheel shows the same entry twice.
    return tuple({(entry.name, entry.value): entry for entry in entry_points(group=group)}.values())
