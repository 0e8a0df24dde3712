"""Finding implementations by entry point: one group per kind, the name of an entry is the factory's identifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar, Self

from table_common.configuration import ConfigOption
from table_common.exceptions import ValidationException, closest
from table_common.factories.entry_point import InstalledEntry, installed_entries
from table_common.restrictions import current_restrictions

INSTALL_HINTS = {
    ("table.planners", "arrow"): "table-runtime[planner]",
    ("table.planners", "spark"): "table-planner-spark",
    ("table.connectors", "filesystem"): "table-runtime",
    ("table.formats", "avro"): "table-runtime[avro]",
    ("table.formats", "avro-confluent"): "table-runtime[avro]",
    ("table.formats", "csv"): "table-runtime",
    ("table.formats", "json"): "table-runtime",
    ("table.formats", "orc"): "table-runtime",
    ("table.formats", "parquet"): "table-runtime",
    ("table.formats", "protobuf"): "table-runtime[protobuf]",
    ("table.formats", "raw"): "table-runtime",
    ("table.connectors", "sqlite"): "connector-sqlite",
    ("table.connectors", "spark"): "table-api-bridge",
    ("table.catalogs", "spark"): "table-api-bridge",
    ("table.catalogs", "sqlite"): "table-api",
    ("table.modules", "hive"): "table-runtime",
    ("table.modules", "spark"): "table-planner-spark",
}
"""(group, identifier) to the distribution of ours that has it, for the error that says what to install.

It must not contain packages of other projects: a hint is typed as shown, and another owner could register a free name.
"""


def install_hint(group: str, identifier: str) -> str | None:
    """Returns the distribution of this project that provides a factory, or None.

    Example:
        >>> install_hint("table.connectors", "sqlite"), install_hint("table.connectors", "kafka")
        ('connector-sqlite', None)
    """
    return INSTALL_HINTS.get((group, identifier))


class Factory(ABC):
    """Creates instances of one kind from options. Discovery finds factories by entry point and loads only the requested one.

    Source: Flink's ``org.apache.flink.table.factories.Factory``.

    Example:
        >>> from table_common.factories import FormatFactory
        >>> FormatFactory.discover("csv").factory_identifier
        'csv'
    """

    GROUP: ClassVar[str] = ""
    """The entry point group of the kind."""
    KIND: ClassVar[str] = ""
    """The word for messages, such as ``connector``."""

    @property
    @abstractmethod
    def factory_identifier(self) -> str:
        """The name of the entry point, such as ``filesystem``, without a version."""

    @property
    def factory_version(self) -> str | None:
        """The version that tells factories with the same identifier apart: the part after ``@`` of the entry point's name, as in ``kafka@2``."""
        return None

    @property
    def required_options(self) -> Collection[ConfigOption[Any]]:
        """The options that must be set."""
        return ()

    @property
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        """The options that may be set."""
        return ()

    @classmethod
    def discover(cls, identifier: str, version: str | None = None) -> Self:
        """Loads the factory of this kind with this identifier and version.

        Without a version it loads the factory without a version, or the only one.

        Raises:
            ValidationException: no distribution or more than one provides it; the message lists the installed factories and what to install.
        """
        entries = cls._entries()
        named = [entry for entry in entries if _identifier_of(entry) == identifier]
        versions = {_version_of(entry): entry for entry in named}
        if not versions:
            raise cls._not_installed(identifier, entries)
        if version is None and None not in versions and len(versions) == 1:
            (version,) = versions
        if version not in versions:
            installed = ", ".join(f"'{one}'" if one is not None else "without version" for one in sorted(versions, key=str))
            problem = f"has no version '{version}'" if version is not None else "is installed in several versions"
            known = [one for one in versions if one is not None]
            raise ValidationException(
                f"The {cls.KIND} '{identifier}' {problem}. Installed: {installed}.",
                hint=f"'{cls.KIND}.version' = '{max(known)}'" if known else f"Remove '{cls.KIND}.version'.",
            )
        matching = [entry for entry in named if _version_of(entry) == version]
        if len(matching) > 1:
            providers = ", ".join(sorted(entry.distribution for entry in matching))
            raise ValidationException(f"The {cls.KIND} '{identifier}' is provided more than once: by {providers}. Uninstall all but one.")
        return cls._load(matching[0])

    @classmethod
    def _not_installed(cls, identifier: str, entries: Collection[InstalledEntry]) -> ValidationException:
        names = sorted({_identifier_of(entry) for entry in entries})
        message = f"No {cls.KIND} '{identifier}' is installed."
        suggestions = closest(identifier, names)
        if suggestions:
            message += f" Did you mean '{suggestions[0]}'?"
        message += f" Installed {cls.KIND}s: {', '.join(names) or 'none'}."
        package = install_hint(cls.GROUP, identifier)
        return ValidationException(
            message, hint=f"pip install {package}" if package else f"Install the distribution that has the {cls.KIND}."
        )

    @classmethod
    def identifiers(cls) -> list[str]:
        """Returns the identifiers of all installed factories of this kind, sorted; loads none of them."""
        return sorted({_identifier_of(entry) for entry in cls._entries()})

    @classmethod
    def _entries(cls) -> tuple[InstalledEntry, ...]:
        return installed_entries(cls.GROUP)

    @classmethod
    def _load(cls, entry: InstalledEntry) -> Self:
        current_restrictions().check_entry_point(cls.GROUP, entry.value, f"The {cls.KIND} '{entry.name}'")
        try:
            loaded = entry.load()
        except ImportError as error:
            raise ValidationException(
                f"The {cls.KIND} '{entry.name}' of {entry.distribution} cannot be loaded: {error}.",
                hint=f"{entry.distribution} is installed, but not all that it depends on.",
            ) from error
        if not callable(loaded):
            raise ValidationException(f"The entry point '{entry.name}' of {cls.GROUP} is {loaded!r}, which is not a class.")
        factory = loaded()
        if not isinstance(factory, cls):
            raise ValidationException(f"The entry point '{entry.name}' of {cls.GROUP} is {loaded!r}, which is not a {cls.__name__}.")
        return factory


def _identifier_of(entry: InstalledEntry) -> str:
    return entry.name.partition("@")[0].strip()


def _version_of(entry: InstalledEntry) -> str | None:
    return entry.name.partition("@")[2].strip() or None
