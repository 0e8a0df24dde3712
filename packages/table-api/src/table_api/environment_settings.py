"""The settings of a table environment: mode, planner, names of the built-in catalog and database, options."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self

from table_common.configuration import Configuration, TableConfigOptions
from table_common.exceptions import ValidationException

__all__ = ["PLANNER_HINT", "PLANNER_METHODS", "EnvironmentSettings"]

PLANNER_METHODS = ("use_blink_planner", "use_old_planner", "use_any_planner")
"""Methods of the builder that chose between planners of Flink, before 1.14."""
PLANNER_HINT = "leave it out: there is one planner of Flink's since 1.14; with_planner('arrow') or with_planner('spark') sets the engine"


class EnvironmentSettings:
    """The settings of a table environment, fixed when it is created.

    Example:
        >>> EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build().planner
        'arrow'

    Source: Flink's ``org.apache.flink.table.api.EnvironmentSettings``.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration.copy()

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """Returns a builder without any setting."""
        return EnvironmentSettings.Builder()

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Returns settings of batch mode, with defaults for the rest."""
        return EnvironmentSettings.new_instance().in_batch_mode().build()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Returns settings of streaming mode, with defaults for the rest."""
        return EnvironmentSettings.new_instance().in_streaming_mode().build()

    def is_streaming_mode(self) -> bool:
        """Returns whether queries may follow unbounded data."""
        return self._configuration.get(TableConfigOptions.RUNTIME_MODE) == "streaming"

    @property
    def planner(self) -> str | None:
        """The identifier of the chosen planner, or None for the installed one."""
        return self._configuration.get(TableConfigOptions.PLANNER)

    def get_built_in_catalog_name(self) -> str:
        """Returns the name of the session's initial catalog, which is in memory."""
        return self._configuration.get(TableConfigOptions.TABLE_CATALOG_NAME) or "default_catalog"

    def get_built_in_database_name(self) -> str:
        """Returns the name of the initial database."""
        return self._configuration.get(TableConfigOptions.TABLE_DATABASE_NAME) or "default_database"

    def get_configuration(self) -> Configuration:
        """Returns a copy of all options."""
        return self._configuration.copy()

    class Builder:
        """Builds ``EnvironmentSettings``."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def in_batch_mode(self) -> Self:
            """Sets batch mode: queries read bounded data and end."""
            self._configuration.set(TableConfigOptions.RUNTIME_MODE, "batch")
            return self

        def in_streaming_mode(self) -> Self:
            """Sets streaming mode, the default: queries may read unbounded data."""
            self._configuration.set(TableConfigOptions.RUNTIME_MODE, "streaming")
            return self

        if not TYPE_CHECKING:  # type checkers say which methods there are

            def __getattr__(self, name: str) -> NoReturn:
                if name in PLANNER_METHODS:
                    hint = PLANNER_HINT[0].upper() + PLANNER_HINT[1:] + "."
                    raise ValidationException(f"EnvironmentSettings.Builder.{name} does not exist here.", hint=hint)
                raise AttributeError(f"'Builder' object has no attribute '{name}'")

        def with_planner(self, identifier: str) -> Self:
            """Sets the engine: ``arrow``, ``spark`` or the identifier of another installed planner."""
            self._configuration.set(TableConfigOptions.PLANNER, identifier)
            return self

        def with_built_in_catalog_name(self, built_in_catalog_name: str) -> Self:
            """Sets the name of the initial catalog."""
            self._configuration.set(TableConfigOptions.TABLE_CATALOG_NAME, built_in_catalog_name)
            return self

        def with_built_in_database_name(self, built_in_database_name: str) -> Self:
            """Sets the name of the initial database."""
            self._configuration.set(TableConfigOptions.TABLE_DATABASE_NAME, built_in_database_name)
            return self

        def with_configuration(self, config: Configuration) -> Self:
            """Sets all options of a configuration."""
            self._configuration.add_all(config)
            return self

        def build(self) -> EnvironmentSettings:
            """Returns the settings."""
            return EnvironmentSettings(self._configuration)
