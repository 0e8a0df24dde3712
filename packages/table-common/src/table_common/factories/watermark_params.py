"""The options of a table that say when watermarks are emitted, and when they wait for each other. Every table may have them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

_PREFIX = "scan.watermark."


class WatermarkOptions:
    """The options. The planner reads them; the factory of a connector does not get them.

    Source: Flink's ``org.apache.flink.table.factories.FactoryUtil``.

    Example:
        >>> WatermarkOptions.EMIT_STRATEGY.default
        'on-periodic'
    """

    EMIT_STRATEGY: ConfigOption[str] = (
        ConfigOptions.key("scan.watermark.emit.strategy")
        .enum_type("on-periodic", "on-event")
        .default_value("on-periodic")
        .with_description(
            "When watermarks are emitted: as event time advances by more than pipeline.auto-watermark-interval, or after each row that advances it."
        )
    )
    ALIGNMENT_GROUP: ConfigOption[str] = (
        ConfigOptions.key("scan.watermark.alignment.group")
        .string_type()
        .no_default_value()
        .with_description("The name of a group of tables none of which is read far ahead of the others.")
    )
    ALIGNMENT_MAX_DRIFT: ConfigOption[timedelta] = (
        ConfigOptions.key("scan.watermark.alignment.max-drift")
        .duration_type()
        .no_default_value()
        .with_description("How far the watermark of a table may be ahead of the least one of its group before reading it pauses.")
    )
    ALIGNMENT_UPDATE_INTERVAL: ConfigOption[timedelta] = (
        ConfigOptions.key("scan.watermark.alignment.update-interval")
        .duration_type()
        .default_value(timedelta(seconds=1))
        .with_description("Accepted without effect: watermarks are compared before each batch is read.")
    )
    IDLE_TIMEOUT: ConfigOption[timedelta] = (
        ConfigOptions.key("scan.watermark.idle-timeout")
        .duration_type()
        .no_default_value()
        .with_description(
            "How long a split may give no rows before others no longer wait for its watermark; 0: forever. Default: table.exec.source.idle-timeout."
        )
    )

    ALL: tuple[ConfigOption[str] | ConfigOption[timedelta], ...] = (
        EMIT_STRATEGY,
        ALIGNMENT_GROUP,
        ALIGNMENT_MAX_DRIFT,
        ALIGNMENT_UPDATE_INTERVAL,
        IDLE_TIMEOUT,
    )


@dataclass(frozen=True, slots=True)
class WatermarkParams:
    """The values of these options for one table. None: not set.

    Source: Flink's ``org.apache.flink.table.watermark.WatermarkParams``.

    Example:
        >>> WatermarkParams.of({"scan.watermark.emit.strategy": "on-event"}, "table t").is_on_event
        True
    """

    is_on_event: bool = False
    alignment_group: str | None = None
    max_drift: timedelta | None = None
    idle_timeout: timedelta | None = None

    @classmethod
    def of(cls, options: Mapping[str, str], where: str) -> WatermarkParams:
        """Reads the options of a table, without references to the environment; ``where`` names the table in errors.

        Raises:
            ValidationException: a value is invalid, or one of the options of alignment is missing.
        """
        if not any(key.startswith(_PREFIX) for key in options):
            return cls()
        config = ReadableConfig(options)
        try:
            group, drift = config.get(WatermarkOptions.ALIGNMENT_GROUP), config.get(WatermarkOptions.ALIGNMENT_MAX_DRIFT)
            config.get(WatermarkOptions.ALIGNMENT_UPDATE_INTERVAL)
            is_on_event = config.get(WatermarkOptions.EMIT_STRATEGY) == "on-event"
            timeout = config.get(WatermarkOptions.IDLE_TIMEOUT)
        except ValidationException as error:
            error.message = f"The options of {where} are not valid: {error.message}"
            raise
        wanted = (WatermarkOptions.ALIGNMENT_GROUP.key, WatermarkOptions.ALIGNMENT_MAX_DRIFT.key)
        missing = next((key for key in wanted if key not in options), None)
        if missing is not None and any(key in options for key in (*wanted, WatermarkOptions.ALIGNMENT_UPDATE_INTERVAL.key)):
            raise ValidationException(
                f"The options of {where} are not valid: the alignment of watermarks needs '{wanted[0]}' and '{wanted[1]}', but '{missing}' is not set."
            )
        return cls(is_on_event, group, drift, timeout)

    @staticmethod
    def without(options: Mapping[str, str]) -> dict[str, str]:
        """Returns the options that are left to the factory of the connector.

        Example:
            >>> WatermarkParams.without({"connector": "datagen", "scan.watermark.idle-timeout": "5 s"})
            {'connector': 'datagen'}
        """
        keys = {option.key for option in WatermarkOptions.ALL}
        return {key: value for key, value in options.items() if key not in keys}
