"""``TableConfig``: the live options of a session."""

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

_T = TypeVar("_T")


class SqlDialect(Enum):
    """The SQL dialects of PyFlink; only ``DEFAULT`` is supported.

    Example:
        >>> SqlDialect.DEFAULT.value
        'default'
    """

    DEFAULT = "default"
    HIVE = "hive"


class TableConfig:
    """The options of a session; a change applies from the next statement on.

    Example:
        >>> TableConfig.builder().in_batch_mode().with_local_time_zone("UTC").build().get_local_timezone()
        'UTC'

    Source: Flink's ``org.apache.flink.table.api.TableConfig``.
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = SessionConfiguration.of(configuration or {})

    @staticmethod
    def get_default() -> TableConfig:
        """Returns a configuration without any option."""
        return TableConfig()

    @staticmethod
    def builder() -> TableConfig.Builder:
        """Returns a builder without any option (FLIP-32)."""
        return TableConfig.Builder()

    @overload
    def get(self, key: ConfigOption[_T]) -> _T: ...

    @overload
    def get(self, key: str, default_value: str) -> str: ...

    @overload
    def get(self, key: str) -> str | None: ...

    def get(self, key: ConfigOption[Any] | str, default_value: str | None = None) -> Any:
        """Returns the value of an option: for a ``ConfigOption`` its typed value or default, for a key its text or ``default_value``."""
        return self._configuration.get(key) if isinstance(key, ConfigOption) else self._configuration.get(key, default_value)

    def set(self, key: ConfigOption[Any] | str, value: object) -> Self:
        """Sets an option.

        Warns:
            ConfigurationWarning: the option is unknown or has no effect.

        Raises:
            ValidationException: the option does not accept the value.
            TableException: the option cannot change after the environment was created.
        """
        self._configuration.set(key, value)
        return self

    def get_configuration(self) -> SessionConfiguration:
        """Returns the live options, not a copy: a change there is a change here."""
        return self._configuration

    def add_configuration(self, configuration: ReadableConfig) -> None:
        """Sets all options of another configuration; the errors are those of ``set``."""
        self._configuration.add_all(configuration)

    def to_map(self) -> dict[str, str]:
        """Returns a copy of all explicitly set options, key to text."""
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
        """Returns the minimum time for which idle state is kept; 0 means forever."""
        return self.get(ExecutionConfigOptions.IDLE_STATE_RETENTION)

    def set_idle_state_retention(self, duration: timedelta) -> None:
        """Sets the minimum time for which idle state is kept; 0 means forever."""
        self.set(ExecutionConfigOptions.IDLE_STATE_RETENTION, duration)

    def get_sql_dialect(self) -> SqlDialect:
        """Returns the SQL dialect."""
        return SqlDialect(self.get(TableConfigOptions.TABLE_SQL_DIALECT))

    def set_sql_dialect(self, sql_dialect: SqlDialect) -> None:
        """Sets the SQL dialect.

        Raises:
            ValidationException: it is not ``DEFAULT``.
        """
        if sql_dialect is not SqlDialect.DEFAULT:
            raise ValidationException(f"The SQL dialect '{sql_dialect.value}' is not supported. Accepted: 'default'.")
        self.set(TableConfigOptions.TABLE_SQL_DIALECT, sql_dialect.value)

    def get_max_generated_code_length(self) -> int:
        """Returns an option without effect, for compatibility with PyFlink: no engine generates code."""
        return self.get(TableConfigOptions.MAX_LENGTH_GENERATED_CODE)

    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Sets an option without effect, for compatibility with PyFlink: no engine generates code."""
        self.set(TableConfigOptions.MAX_LENGTH_GENERATED_CODE, max_generated_code_length)

    def get_python_executable(self) -> str:
        """Returns the Python interpreter of worker processes."""
        return self.get(PythonOptions.PYTHON_EXECUTABLE)

    def set_python_executable(self, python_exec: str) -> None:
        """Sets the Python interpreter of worker processes."""
        self.set(PythonOptions.PYTHON_EXECUTABLE, python_exec)

    class Builder:
        """Builds a ``TableConfig`` (FLIP-32); the errors of each method are those of ``TableConfig.set``."""

        def __init__(self) -> None:
            self._config = TableConfig()

        def in_batch_mode(self) -> Self:
            """Sets batch mode: queries read bounded data and end."""
            return self.with_option(TableConfigOptions.RUNTIME_MODE, "batch")

        def in_streaming_mode(self) -> Self:
            """Sets streaming mode, the default: queries may read unbounded data."""
            return self.with_option(TableConfigOptions.RUNTIME_MODE, "streaming")

        def with_planner(self, identifier: str) -> Self:
            """Sets the engine: ``arrow``, ``spark`` or the identifier of another installed planner."""
            return self.with_option(TableConfigOptions.PLANNER, identifier)

        def with_watermark_interval(self, interval: timedelta | int) -> Self:
            """Sets the interval at which sources emit watermarks; an integer is milliseconds."""
            return self.with_option(
                PipelineOptions.AUTO_WATERMARK_INTERVAL, interval if isinstance(interval, timedelta) else timedelta(milliseconds=interval)
            )

        def with_local_time_zone(self, timezone_id: str) -> Self:
            """Sets the session's time zone: an IANA name or an offset such as ``+02:00``."""
            return self.with_option(TableConfigOptions.LOCAL_TIME_ZONE, timezone_id)

        def with_timeout(self, timeout: timedelta) -> Self:
            """Sets the time limit of a job."""
            return self.with_option(ExecutionConfigOptions.TABLE_EXEC_TIMEOUT, timeout)

        def with_option(self, key: ConfigOption[Any] | str, value: object) -> Self:
            """Sets any option."""
            self._config.set(key, value)
            return self

        def build(self) -> TableConfig:
            """Returns the configuration."""
            return TableConfig(self._config.get_configuration().copy())
