"""The options of the connector ``filesystem`` for writing: when files are closed, and when partitions are complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig, time_zone_of
from table_common.connector import PartitionCommit, RollingPolicy
from table_common.exceptions import TableException, ValidationException

ROLLING_SIZE = (
    ConfigOptions.key("sink.rolling-policy.file-size")
    .memory_type()
    .default_value(128 << 20)
    .with_description("The size from which on an unbounded job closes a file. It closes all files when an epoch ends.")
)
ROLLOVER_INTERVAL = (
    ConfigOptions.key("sink.rolling-policy.rollover-interval")
    .duration_type()
    .default_value(timedelta(minutes=30))
    .with_description("How long an unbounded job keeps a file open, if epochs are longer.")
)
ROLLING_WITHOUT_EFFECT = tuple(
    ConfigOptions.key(f"sink.rolling-policy.{name}")
    .duration_type()
    .no_default_value()
    .with_description("Has no effect: epochs close all files.")
    for name in ("check-interval", "inactivity-interval")
)
AUTO_COMPACTION = (
    ConfigOptions.key("auto-compaction")
    .boolean_type()
    .default_value(False)
    .with_description("Only 'false' is accepted: files are not merged. Longer epochs write fewer files.")
)
COMPACTION_FILE_SIZE = (
    ConfigOptions.key("compaction.file-size").memory_type().no_default_value().with_description("Refused, as auto-compaction is.")
)
COMMIT_TRIGGER = (
    ConfigOptions.key("sink.partition-commit.trigger")
    .enum_type("process-time", "partition-time")
    .default_value("process-time")
    .with_description("When a partition is complete: some time after its first row was written, or when the watermark has passed its time.")
)
COMMIT_DELAY = (
    ConfigOptions.key("sink.partition-commit.delay")
    .duration_type()
    .default_value(timedelta(0))
    .with_description("How much later a partition is complete, such as '1 h' for partitions of an hour.")
)
COMMIT_TIME_ZONE = (
    ConfigOptions.key("sink.partition-commit.watermark-time-zone")
    .string_type()
    .default_value("UTC")
    .with_description("The time zone of the time in partition columns, if the WATERMARK is on a column of type TIMESTAMP_LTZ.")
)
COMMIT_POLICY = (
    ConfigOptions.key("sink.partition-commit.policy.kind")
    .string_type()
    .no_default_value()
    .with_description("'success-file' writes an empty file into a complete partition; without it complete partitions are not marked.")
)
SUCCESS_FILE = (
    ConfigOptions.key("sink.partition-commit.success-file.name")
    .string_type()
    .default_value("_SUCCESS")
    .with_description("The name of the file; it begins with '_' or '.', so that readers skip it.")
)
TIMESTAMP_PATTERN = (
    ConfigOptions.key("partition.time-extractor.timestamp-pattern")
    .string_type()
    .no_default_value()
    .with_description("The time of a partition, made of its columns, such as '$day $hour:00:00'; by default the value of the first one.")
)
TIMESTAMP_FORMATTER = (
    ConfigOptions.key("partition.time-extractor.timestamp-formatter")
    .string_type()
    .no_default_value()
    .with_description("The form of that time; by default 'yyyy-MM-dd HH:mm:ss' or 'yyyy-MM-dd'.")
)
SINK_OPTIONS: tuple[ConfigOption[Any], ...] = (
    ROLLING_SIZE,
    ROLLOVER_INTERVAL,
    *ROLLING_WITHOUT_EFFECT,
    AUTO_COMPACTION,
    COMPACTION_FILE_SIZE,
    COMMIT_TRIGGER,
    COMMIT_DELAY,
    COMMIT_TIME_ZONE,
    COMMIT_POLICY,
    SUCCESS_FILE,
    TIMESTAMP_PATTERN,
    TIMESTAMP_FORMATTER,
)


def rolling_policy(config: ReadableConfig, where: str) -> RollingPolicy:
    """Returns when files are closed.

    Raises:
        ValidationException: a limit is not positive.
        TableException: the options ask for compaction.
    """
    if config.get(AUTO_COMPACTION) or config.get_optional(COMPACTION_FILE_SIZE) is not None:
        raise TableException(
            f"The options 'auto-compaction' and 'compaction.file-size' of {where} are not supported: files are not merged after they were written.",
            hint="Longer epochs write fewer and larger files: SET 'table.exec.sink.commit-interval' = '1 min', or execution.checkpointing.interval.",
        )
    size, seconds = config.get(ROLLING_SIZE), config.get(ROLLOVER_INTERVAL).total_seconds()
    for option, value in ((ROLLING_SIZE, size), (ROLLOVER_INTERVAL, seconds)):
        if value <= 0:
            raise ValidationException(f"The option '{option.key}' of {where} must be positive.")
    return RollingPolicy(size, float(seconds))


def partition_commit(config: ReadableConfig, options: Mapping[str, str], keys: Sequence[str], where: str) -> PartitionCommit | None:
    """Returns how complete partitions are marked; None if they are not.

    Raises:
        ValidationException: an option is wrong, or there are no partitions.
        TableException: the policy is not supported.
    """
    given = [
        option.key
        for option in SINK_OPTIONS
        if option.key.startswith(("sink.partition-commit.", "partition.time-")) and option.key in options
    ]
    kind = config.get_optional(COMMIT_POLICY)
    if kind is None:
        if given:
            raise ValidationException(
                f"The option '{given[0]}' of {where} needs '{COMMIT_POLICY.key}', which says how a complete partition is marked.",
                hint=f"'{COMMIT_POLICY.key}' = 'success-file'",
            )
        return None
    if not keys:
        raise ValidationException(f"The option '{COMMIT_POLICY.key}' of {where} needs a table that is PARTITIONED BY columns.")
    for policy in (part.strip() for part in kind.split(",")):
        _check_policy(policy, where)
    name = config.get(SUCCESS_FILE)
    if not name.startswith(("_", ".")) or any(character in name for character in "/\\\0") or not name.strip("."):
        raise ValidationException(
            f"The option '{SUCCESS_FILE.key}' of {where} must be the name of a file that begins with '_' or '.', but is '{name}'."
        )
    pattern = config.get_optional(TIMESTAMP_PATTERN)
    if pattern is not None and not any(f"${key}" in pattern for key in keys):
        raise ValidationException(
            f"The option '{TIMESTAMP_PATTERN.key}' of {where} has no partition column, but is '{pattern}'.",
            hint=f"Partition columns: {', '.join(f'${key}' for key in keys)}.",
        )
    time_zone_of(config.get(COMMIT_TIME_ZONE))
    delay = config.get(COMMIT_DELAY) // timedelta(milliseconds=1)
    return PartitionCommit(
        config.get(COMMIT_TRIGGER), delay, config.get(COMMIT_TIME_ZONE), pattern, config.get_optional(TIMESTAMP_FORMATTER), name
    )


def _check_policy(policy: str, where: str) -> None:
    match policy:
        case "success-file":
            return
        case "metastore":
            raise TableException(
                f"The policy 'metastore' of '{COMMIT_POLICY.key}' of {where} has no effect here: the partitions of the table are its folders, and no catalog "
                "lists them.",
                hint="'success-file'",
            )
        case "custom":
            raise TableException(
                f"The policy 'custom' of '{COMMIT_POLICY.key}' of {where} names a Java class, which cannot run here.", hint="'success-file'"
            )
    raise ValidationException(f"The option '{COMMIT_POLICY.key}' of {where} must be 'success-file', but is '{policy}'.")
