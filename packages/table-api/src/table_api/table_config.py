"""``TableConfig``: the options of a session, live."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import Any, Self, TypeVar, overload

from table_api.session_configuration import SessionConfiguration
from table_common.configuration import (
    ConfigOption,
    Configuration,
    ExecutionConfigOptions,
    PipelineOptions,
    PythonOptions,
    ReadableConfig,
    TableConfigOptions,
    session_time_zone,
)
from table_common.exceptions import ValidationException

__all__ = ["SqlDialect", "TableConfig"]

_T = TypeVar("_T")


class SqlDialect(Enum):
    """The dialects that PyFlink names."""

    DEFAULT = "default"
    HIVE = "hive"


class TableConfig:
    """The options of a session; changes are seen by the next statement.

    Example:
        >>> TableConfig.builder().in_batch_mode().with_local_time_zone("UTC").build().get_local_timezone()
        'UTC'
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = SessionConfiguration.of(configuration or {})

    @staticmethod
    def get_default() -> TableConfig:
        """Returns a configuration in which nothing is set."""
        return TableConfig()

    @staticmethod
    def builder() -> TableConfig.Builder:
        """Begins a configuration (FLIP-32)."""
        return TableConfig.Builder()

    @overload
    def get(self, key: ConfigOption[_T]) -> _T: ...

    @overload
    def get(self, key: str, default_value: str) -> str: ...

    @overload
    def get(self, key: str) -> str | None: ...

    def get(self, key: ConfigOption[Any] | str, default_value: str | None = None) -> Any:
        """Returns an option: of a typed option its value or default, of a plain key its text or the default given."""
        return self._configuration.get(key) if isinstance(key, ConfigOption) else self._configuration.get(key, default_value)

    def set(self, key: ConfigOption[Any] | str, value: object) -> Self:
        """Sets an option.

        Warns:
            ConfigurationWarning: the option is not known, or has no effect here.

        Raises:
            ValidationException: the value is not one that the option takes.
            TableException: the option is fixed when an environment is created.
        """
        self._configuration.set(key, value)
        return self

    def get_configuration(self) -> SessionConfiguration:
        """Returns the options themselves; what is set there is set here."""
        return self._configuration

    def add_configuration(self, configuration: ReadableConfig) -> None:
        """Sets every option of another configuration."""
        self._configuration.add_all(configuration)

    def to_map(self) -> dict[str, str]:
        """Returns a copy of all options that are set, as text."""
        return self._configuration.to_map()

    def get_local_timezone(self) -> str:
        """Returns the session's time zone: an IANA name or an offset."""
        return session_time_zone(self._configuration)

    def set_local_timezone(self, timezone_id: str) -> None:
        """Sets the session's time zone: an IANA name or an offset such as ``+02:00``.

        Raises:
            ValidationException: there is no such time zone.
        """
        self.set(TableConfigOptions.LOCAL_TIME_ZONE, timezone_id)

    def get_idle_state_retention(self) -> timedelta:
        """Returns how long state that is not touched is kept at least."""
        return self.get(ExecutionConfigOptions.IDLE_STATE_RETENTION)

    def set_idle_state_retention(self, duration: timedelta) -> None:
        """Sets how long state that is not touched is kept at least; 0 is for ever."""
        self.set(ExecutionConfigOptions.IDLE_STATE_RETENTION, duration)

    def get_sql_dialect(self) -> SqlDialect:
        """Returns the SQL dialect."""
        return SqlDialect(self.get(TableConfigOptions.TABLE_SQL_DIALECT))

    def set_sql_dialect(self, sql_dialect: SqlDialect) -> None:
        """Sets the SQL dialect.

        Raises:
            ValidationException: it is Hive's, which is not spoken here.
        """
        if sql_dialect is not SqlDialect.DEFAULT:
            raise ValidationException(f"The SQL dialect '{sql_dialect.value}' is not supported. Accepted: 'default'.")
        self.set(TableConfigOptions.TABLE_SQL_DIALECT, sql_dialect.value)

    def get_max_generated_code_length(self) -> int:
        """Returns an option that is kept for PyFlink programs; no engine here generates code."""
        return self.get(TableConfigOptions.MAX_LENGTH_GENERATED_CODE)

    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Sets an option that is kept for PyFlink programs; no engine here generates code."""
        self.set(TableConfigOptions.MAX_LENGTH_GENERATED_CODE, max_generated_code_length)

    def get_python_executable(self) -> str:
        """Returns the Python interpreter of workers in other processes."""
        return self.get(PythonOptions.PYTHON_EXECUTABLE)

    def set_python_executable(self, python_exec: str) -> None:
        """Sets the Python interpreter of workers in other processes."""
        self.set(PythonOptions.PYTHON_EXECUTABLE, python_exec)

    class Builder:
        """Collects options (FLIP-32)."""

        def __init__(self) -> None:
            self._config = TableConfig()

        def in_batch_mode(self) -> Self:
            """Queries run over bounded data to their end."""
            return self.with_option(TableConfigOptions.RUNTIME_MODE, "batch")

        def in_streaming_mode(self) -> Self:
            """Queries may follow unbounded data; the default."""
            return self.with_option(TableConfigOptions.RUNTIME_MODE, "streaming")

        def with_planner(self, identifier: str) -> Self:
            """Chooses the engine: ``arrow`` or ``spark``."""
            return self.with_option(TableConfigOptions.PLANNER, identifier)

        def with_watermark_interval(self, interval: timedelta | int) -> Self:
            """Sets how often sources emit watermarks; an integer counts milliseconds."""
            return self.with_option(
                PipelineOptions.AUTO_WATERMARK_INTERVAL, interval if isinstance(interval, timedelta) else timedelta(milliseconds=interval)
            )

        def with_local_time_zone(self, timezone_id: str) -> Self:
            """Sets the session's time zone."""
            return self.with_option(TableConfigOptions.LOCAL_TIME_ZONE, timezone_id)

        def with_timeout(self, timeout: timedelta) -> Self:
            """Sets how long a job may run."""
            return self.with_option(ExecutionConfigOptions.TABLE_EXEC_TIMEOUT, timeout)

        def with_option(self, key: ConfigOption[Any] | str, value: object) -> Self:
            """Sets any option."""
            self._config.set(key, value)
            return self

        def build(self) -> TableConfig:
            """Returns the configuration."""
            return TableConfig(self._config.get_configuration().copy())
