"""What a table environment is created with: mode, planner, names of the built-in catalog, configuration."""

from __future__ import annotations

from typing import Self

from table_common.configuration import Configuration, TableConfigOptions

__all__ = ["EnvironmentSettings"]


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
        return self._configuration.get(TableConfigOptions.RUNTIME_MODE) == "streaming"

    @property
    def planner(self) -> str | None:
        """The planner asked for, or None."""
        return self._configuration.get(TableConfigOptions.PLANNER)

    def get_built_in_catalog_name(self) -> str:
        """Returns the name of the catalog that the session begins with."""
        return self._configuration.get(TableConfigOptions.TABLE_CATALOG_NAME) or "default_catalog"

    def get_built_in_database_name(self) -> str:
        """Returns the name of the database that the session begins with."""
        return self._configuration.get(TableConfigOptions.TABLE_DATABASE_NAME) or "default_database"

    def get_configuration(self) -> Configuration:
        """Returns a copy of all options."""
        return self._configuration.copy()

    class Builder:
        """Collects settings."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def in_batch_mode(self) -> Self:
            """Queries run over bounded data to their end."""
            self._configuration.set(TableConfigOptions.RUNTIME_MODE, "batch")
            return self

        def in_streaming_mode(self) -> Self:
            """Queries may follow unbounded data; the default."""
            self._configuration.set(TableConfigOptions.RUNTIME_MODE, "streaming")
            return self

        def with_planner(self, identifier: str) -> Self:
            """Chooses the engine: ``arrow`` or ``spark``."""
            self._configuration.set(TableConfigOptions.PLANNER, identifier)
            return self

        def with_built_in_catalog_name(self, built_in_catalog_name: str) -> Self:
            """Names the catalog that the session begins with."""
            self._configuration.set(TableConfigOptions.TABLE_CATALOG_NAME, built_in_catalog_name)
            return self

        def with_built_in_database_name(self, built_in_database_name: str) -> Self:
            """Names the database that the built-in catalog begins with."""
            self._configuration.set(TableConfigOptions.TABLE_DATABASE_NAME, built_in_database_name)
            return self

        def with_configuration(self, config: Configuration) -> Self:
            """Adds all options."""
            self._configuration.add_all(config)
            return self

        def build(self) -> EnvironmentSettings:
            """Returns the settings."""
            return EnvironmentSettings(self._configuration)
