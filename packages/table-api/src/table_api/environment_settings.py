"""What a table environment is created with: mode, planner, names of the built-in catalog, configuration."""

from __future__ import annotations

from typing import Self

from table_common.configuration import ConfigOptions, Configuration

__all__ = ["EnvironmentSettings"]

RUNTIME_MODE = (
    ConfigOptions.key("execution.runtime-mode")
    .enum_type("batch", "streaming")
    .default_value("streaming")
    .with_description("Whether queries run over bounded data to their end or follow unbounded data.")
)
PLANNER = (
    ConfigOptions.key("table.planner")
    .string_type()
    .no_default_value()
    .with_description("The planner to use, by the name of its factory; unset: the only one installed, or 'spark' if both are.")
)
BUILT_IN_CATALOG_NAME = (
    ConfigOptions.key("table.builtin-catalog-name")
    .string_type()
    .default_value("default_catalog")
    .with_description("The name of the catalog that every session begins with.")
)
BUILT_IN_DATABASE_NAME = (
    ConfigOptions.key("table.builtin-database-name")
    .string_type()
    .default_value("default_database")
    .with_description("The name of the database that the built-in catalog begins with.")
)


class EnvironmentSettings:
    """Settings of a table environment, fixed when it is created.

    Example:
        >>> EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build().planner
        'arrow'
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration.copy()

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """Begins settings."""
        return EnvironmentSettings.Builder()

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Returns the settings of batch mode with all defaults."""
        return EnvironmentSettings.new_instance().in_batch_mode().build()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Returns the settings of streaming mode with all defaults."""
        return EnvironmentSettings.new_instance().in_streaming_mode().build()

    @property
    def is_streaming_mode(self) -> bool:
        """Whether queries may follow unbounded data."""
        return self._configuration.get(RUNTIME_MODE) == "streaming"

    @property
    def planner(self) -> str | None:
        """The planner asked for, or None."""
        return self._configuration.get(PLANNER)

    def get_built_in_catalog_name(self) -> str:
        """Returns the name of the catalog that the session begins with."""
        return self._configuration.get(BUILT_IN_CATALOG_NAME) or "default_catalog"

    def get_built_in_database_name(self) -> str:
        """Returns the name of the database that the session begins with."""
        return self._configuration.get(BUILT_IN_DATABASE_NAME) or "default_database"

    def get_configuration(self) -> Configuration:
        """Returns a copy of all options."""
        return self._configuration.copy()

    class Builder:
        """Collects settings."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def in_batch_mode(self) -> Self:
            """Queries run over bounded data to their end."""
            self._configuration.set(RUNTIME_MODE, "batch")
            return self

        def in_streaming_mode(self) -> Self:
            """Queries may follow unbounded data; the default."""
            self._configuration.set(RUNTIME_MODE, "streaming")
            return self

        def with_planner(self, identifier: str) -> Self:
            """Chooses the engine: ``arrow`` or ``spark``."""
            self._configuration.set(PLANNER, identifier)
            return self

        def with_built_in_catalog_name(self, built_in_catalog_name: str) -> Self:
            """Names the catalog that the session begins with."""
            self._configuration.set(BUILT_IN_CATALOG_NAME, built_in_catalog_name)
            return self

        def with_built_in_database_name(self, built_in_database_name: str) -> Self:
            """Names the database that the built-in catalog begins with."""
            self._configuration.set(BUILT_IN_DATABASE_NAME, built_in_database_name)
            return self

        def with_configuration(self, config: Configuration) -> Self:
            """Adds all options."""
            self._configuration.add_all(config)
            return self

        def build(self) -> EnvironmentSettings:
            """Returns the settings."""
            return EnvironmentSettings(self._configuration)
