"""``TableConfig``: the options of a session, live, and the constants of those that this package reads itself."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import Enum
from typing import Any, Self, TypeVar, overload

from table_api.environment_settings import BUILT_IN_CATALOG_NAME, BUILT_IN_DATABASE_NAME, PLANNER, RUNTIME_MODE
from table_common.configuration import ConfigOption, ConfigOptions, Configuration, ReadableConfig
from table_common.exceptions import ValidationException

__all__ = [
    "AUTO_WATERMARK_INTERVAL",
    "COMPILE_CATALOG_OBJECTS",
    "DISPLAY_MAX_COLUMN_WIDTH",
    "DML_SYNC",
    "DYNAMIC_FILTERING",
    "EXEC_TIMEOUT",
    "FORCE_RECOMPILE",
    "IDLE_STATE_RETENTION",
    "LOCAL_TIME_ZONE",
    "MAX_GENERATED_CODE_LENGTH",
    "OPTIONS",
    "PIPELINE_NAME",
    "PYTHON_EXECUTABLE",
    "REPORT_STATISTICS",
    "RESTORE_CATALOG_OBJECTS",
    "RTAS_CTAS_ATOMICITY",
    "SESSION_WINDOWS_IN_BATCH",
    "SQL_DIALECT",
    "SqlDialect",
    "TableConfig",
    "time_zone_of",
]

_T = TypeVar("_T")

LOCAL_TIME_ZONE = (
    ConfigOptions.key("table.local-time-zone")
    .string_type()
    .default_value("default")
    .with_description("The session's time zone: an IANA name, an offset such as +02:00, or 'default' for that of the machine.")
)
EXEC_TIMEOUT = (
    ConfigOptions.key("table.exec.timeout")
    .duration_type()
    .no_default_value()
    .with_description("How long a job may run, from its start until its last row is read; then it is cancelled. Unset: no limit.")
)
DISPLAY_MAX_COLUMN_WIDTH = (
    ConfigOptions.key("table.display.max-column-width")
    .int_type()
    .default_value(30)
    .with_description("How wide a column is at most when a result is printed; longer text is cut.")
    .with_fallback_keys("sql-client.display.max-column-width")
)
DML_SYNC = (
    ConfigOptions.key("table.dml-sync")
    .boolean_type()
    .default_value(False)
    .with_description("Whether execute_sql waits for the end of an INSERT.")
)
RTAS_CTAS_ATOMICITY = (
    ConfigOptions.key("table.rtas-ctas.atomicity-enabled")
    .boolean_type()
    .default_value(False)
    .with_description("Whether CREATE TABLE AS and REPLACE TABLE AS show table and rows at once, where the connector can.")
)
COMPILE_CATALOG_OBJECTS = (
    ConfigOptions.key("table.plan.compile.catalog-objects")
    .enum_type("ALL", "SCHEMA", "IDENTIFIER")
    .default_value("ALL")
    .with_description("What a compiled plan holds of its tables: ALL, SCHEMA (no options, no comment) or IDENTIFIER.")
)
RESTORE_CATALOG_OBJECTS = (
    ConfigOptions.key("table.plan.restore.catalog-objects")
    .enum_type("ALL", "ALL_ENFORCED", "IDENTIFIER")
    .default_value("ALL")
    .with_description(
        "Where the tables of a loaded plan come from: ALL takes those of the catalogs and for the others what the plan holds, ALL_ENFORCED "
        "only what the plan holds, IDENTIFIER only the catalogs."
    )
)
FORCE_RECOMPILE = (
    ConfigOptions.key("table.plan.force-recompile")
    .boolean_type()
    .default_value(False)
    .with_description("Whether COMPILE PLAN and COMPILE AND EXECUTE PLAN write over a file that is there.")
)
PIPELINE_NAME = (
    ConfigOptions.key("pipeline.name").string_type().no_default_value().with_description("The name of the jobs that statements start.")
)
AUTO_WATERMARK_INTERVAL = (
    ConfigOptions.key("pipeline.auto-watermark-interval")
    .duration_type()
    .default_value(timedelta(milliseconds=200))
    .with_description("How often sources emit watermarks.")
)
IDLE_STATE_RETENTION = (
    ConfigOptions.key("table.exec.state.ttl")
    .duration_type()
    .default_value(timedelta(0))
    .with_description("How long state that is not touched is kept at least; 0 is for ever.")
)
SESSION_WINDOWS_IN_BATCH = (
    ConfigOptions.key("table.exec.session-windows-in-batch")
    .boolean_type()
    .default_value(False)
    .with_description("Whether SESSION windows can be used in batch mode, where Flink refuses them.")
)
DYNAMIC_FILTERING = (
    ConfigOptions.key("table.optimizer.dynamic-filtering.enabled")
    .boolean_type()
    .default_value(True)
    .with_description(
        "Whether the scan of one side of a join may wait for the keys of the other side, if that is small and filtered, and leave out partitions "
        "without them. Batch mode only."
    )
)
REPORT_STATISTICS = (
    ConfigOptions.key("table.optimizer.source.report-statistics-enabled")
    .boolean_type()
    .default_value(True)
    .with_description("Whether sources are asked how much they hold; if not, only what ANALYZE TABLE counted is known of them.")
)
SQL_DIALECT = (
    ConfigOptions.key("table.sql-dialect")
    .string_type()
    .default_value("default")
    .with_description("The SQL dialect; 'default' is the only one.")
)
MAX_GENERATED_CODE_LENGTH = (
    ConfigOptions.key("table.generated-code.max-length")
    .int_type()
    .default_value(4000)
    .with_description("Kept for PyFlink programs; no engine here generates code.")
)
PYTHON_EXECUTABLE = (
    ConfigOptions.key("python.executable")
    .string_type()
    .default_value("python")
    .with_description("The Python interpreter of workers in other processes.")
)

OPTIONS: Mapping[str, ConfigOption[Any]] = {
    key: option
    for option in (
        RUNTIME_MODE,
        PLANNER,
        BUILT_IN_CATALOG_NAME,
        BUILT_IN_DATABASE_NAME,
        LOCAL_TIME_ZONE,
        EXEC_TIMEOUT,
        DISPLAY_MAX_COLUMN_WIDTH,
        DML_SYNC,
        RTAS_CTAS_ATOMICITY,
        PIPELINE_NAME,
        AUTO_WATERMARK_INTERVAL,
        IDLE_STATE_RETENTION,
        SESSION_WINDOWS_IN_BATCH,
        DYNAMIC_FILTERING,
        REPORT_STATISTICS,
        SQL_DIALECT,
        MAX_GENERATED_CODE_LENGTH,
        PYTHON_EXECUTABLE,
        COMPILE_CATALOG_OBJECTS,
        RESTORE_CATALOG_OBJECTS,
        FORCE_RECOMPILE,
    )
    for key in option.all_keys
}
"""The options that table-api reads itself, by key; their values are checked when they are set."""


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
        self._configuration = configuration if configuration is not None else Configuration()

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

        Raises:
            ValidationException: the option is known here, and the value is not one that it takes.
        """
        option = OPTIONS.get(key, key) if isinstance(key, str) else key
        if option is LOCAL_TIME_ZONE:
            time_zone_of(str(value))
        if isinstance(key, str) and isinstance(option, ConfigOption):
            option.parse(value if isinstance(value, str) else str(Configuration().set(key, value).get(key)))
            option = key  # under the key that was used, so that it can be reset
        self._configuration.set(option, value)
        return self

    def get_configuration(self) -> Configuration:
        """Returns the options themselves; what is set there is set here."""
        return self._configuration

    def add_configuration(self, configuration: ReadableConfig) -> None:
        """Sets every option of another configuration."""
        for key, value in configuration.to_map().items():
            self.set(key, value)

    def to_map(self) -> dict[str, str]:
        """Returns a copy of all options that are set, as text."""
        return self._configuration.to_map()

    def get_local_timezone(self) -> str:
        """Returns the session's time zone: an IANA name or an offset."""
        zone = self.get(LOCAL_TIME_ZONE)
        return machine_time_zone() if zone == "default" else zone

    def set_local_timezone(self, timezone_id: str) -> None:
        """Sets the session's time zone: an IANA name or an offset such as ``+02:00``.

        Raises:
            ValidationException: there is no such time zone.
        """
        self.set(LOCAL_TIME_ZONE, timezone_id)

    def get_idle_state_retention(self) -> timedelta:
        """Returns how long state that is not touched is kept at least."""
        return self.get(IDLE_STATE_RETENTION)

    def set_idle_state_retention(self, duration: timedelta) -> None:
        """Sets how long state that is not touched is kept at least; 0 is for ever."""
        self.set(IDLE_STATE_RETENTION, duration)

    def get_sql_dialect(self) -> SqlDialect:
        """Returns the SQL dialect."""
        return SqlDialect(self.get(SQL_DIALECT))

    def set_sql_dialect(self, sql_dialect: SqlDialect) -> None:
        """Sets the SQL dialect.

        Raises:
            ValidationException: it is Hive's, which is not spoken here.
        """
        if sql_dialect is not SqlDialect.DEFAULT:
            raise ValidationException(f"The SQL dialect '{sql_dialect.value}' is not supported. Accepted: 'default'.")
        self.set(SQL_DIALECT, sql_dialect.value)

    def get_max_generated_code_length(self) -> int:
        """Returns an option that is kept for PyFlink programs; no engine here generates code."""
        return self.get(MAX_GENERATED_CODE_LENGTH)

    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Sets an option that is kept for PyFlink programs; no engine here generates code."""
        self.set(MAX_GENERATED_CODE_LENGTH, max_generated_code_length)

    def get_python_executable(self) -> str:
        """Returns the Python interpreter of workers in other processes."""
        return self.get(PYTHON_EXECUTABLE)

    def set_python_executable(self, python_exec: str) -> None:
        """Sets the Python interpreter of workers in other processes."""
        self.set(PYTHON_EXECUTABLE, python_exec)

    class Builder:
        """Collects options (FLIP-32)."""

        def __init__(self) -> None:
            self._config = TableConfig()

        def in_batch_mode(self) -> Self:
            """Queries run over bounded data to their end."""
            return self.with_option(RUNTIME_MODE, "batch")

        def in_streaming_mode(self) -> Self:
            """Queries may follow unbounded data; the default."""
            return self.with_option(RUNTIME_MODE, "streaming")

        def with_planner(self, identifier: str) -> Self:
            """Chooses the engine: ``arrow`` or ``spark``."""
            return self.with_option(PLANNER, identifier)

        def with_watermark_interval(self, interval: timedelta | int) -> Self:
            """Sets how often sources emit watermarks; an integer counts milliseconds."""
            return self.with_option(
                AUTO_WATERMARK_INTERVAL, interval if isinstance(interval, timedelta) else timedelta(milliseconds=interval)
            )

        def with_local_time_zone(self, timezone_id: str) -> Self:
            """Sets the session's time zone."""
            return self.with_option(LOCAL_TIME_ZONE, timezone_id)

        def with_timeout(self, timeout: timedelta) -> Self:
            """Sets how long a job may run."""
            return self.with_option(EXEC_TIMEOUT, timeout)

        def with_option(self, key: ConfigOption[Any] | str, value: object) -> Self:
            """Sets any option."""
            self._config.set(key, value)
            return self

        def build(self) -> TableConfig:
            """Returns the configuration."""
            return TableConfig(self._config.get_configuration().copy())


def time_zone_of(name: str) -> tzinfo:
    """Returns the time zone of an IANA name or an offset such as ``+02:00``; ``default`` is that of the machine.

    Raises:
        ValidationException: there is no such time zone.
    """
    zone = machine_time_zone() if name == "default" else name
    if zone in ("UTC", "Z", "Etc/UTC"):
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        if zone[:1] in "+-":
            return datetime.strptime(zone, "%z").tzinfo or UTC
        if zone[:3] in ("GMT", "UTC") and zone[3:4] in ("+", "-"):
            hours, _, minutes = zone[4:].partition(":")
            offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
            return timezone(-offset if zone[3] == "-" else offset)
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValidationException(
            f"There is no time zone '{name}'.", hint="accepted are names such as Europe/Berlin, and offsets such as +02:00"
        ) from None


def machine_time_zone() -> str:
    """Returns the machine's time zone: its IANA name where that is known, else its offset."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named or named == "UTC":
        return named
    link = os.path.realpath("/etc/localtime")
    if "zoneinfo/" in link:
        return link.partition("zoneinfo/")[2].removeprefix("posix/")
    if time.timezone == 0 and not time.daylight:
        return "UTC"
    offset = datetime.now().astimezone().strftime("%z")
    return f"{offset[:3]}:{offset[3:]}"
