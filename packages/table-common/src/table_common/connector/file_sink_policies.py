"""When a sink of files closes a file, and when a partition is complete."""

from __future__ import annotations

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RollingPolicy:
    """When an unbounded job closes a file before the end of the epoch, at which it closes all.

    Example:
        >>> RollingPolicy(file_size=1 << 20).rollover_seconds
        1800.0

    Source: Flink's ``org.apache.flink.streaming.api.functions.sink.filesystem.RollingPolicy``.
    """

    file_size: int = 128 << 20
    """The size in bytes from which on a file is closed."""
    rollover_seconds: float = 1800.0
    """How long a file may be open."""


@dataclass(frozen=True, slots=True)
class PartitionCommit:
    """When a partition is complete, and how that is said.

    ``trigger`` is ``process-time``: the partition is complete ``delay`` milliseconds after its first row was written; or ``partition-time``: when the
    watermark has passed the partition's time by ``delay``. That time is ``timestamp_pattern``, with ``$column`` for the values of partition columns, or
    the value of the first partition column; it is of the zone ``time_zone``. When the input ends, all partitions are complete.

    Example:
        >>> PartitionCommit(trigger="partition-time", timestamp_pattern="$day 00:00:00").success_file
        '_SUCCESS'

    Source: Flink's ``org.apache.flink.connector.file.table.PartitionCommitTrigger``.
    """

    trigger: str = "process-time"
    delay: int = 0
    time_zone: str = "UTC"
    timestamp_pattern: str | None = None
    timestamp_formatter: str | None = None
    """The pattern of java.time by which the time is read; None: ``yyyy-MM-dd HH:mm:ss`` or ``yyyy-MM-dd``."""
    success_file: str = "_SUCCESS"
    """The name of the empty file that is written into a complete partition."""
