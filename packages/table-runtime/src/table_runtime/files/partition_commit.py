"""Which partitions of a table are complete, and the files that say so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PurePath

from table_common.configuration import time_zone_of
from table_common.connector import FileSinkProvider, PartitionCommit
from table_common.exceptions import TableRuntimeException
from table_runtime.files.partitions import partition_values
from table_runtime.kernels.support.date_patterns import date_pattern

END_OF_TIME = (1 << 63) - 1
"""The watermark of an input that has ended."""
_FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d")


def success_files(provider: FileSinkProvider, folders: Collection[str]) -> list[str]:
    """Returns the names, relative to the table, of the empty files that mark the partitions in these folders; none if none are asked for."""
    commit = provider.partition_commit
    return [] if commit is None or not provider.partition_keys else [f"{folder}/{commit.success_file}" for folder in sorted(folders)]


def complete_partitions(provider: FileSinkProvider, began: Mapping[str, int], now: int, watermark: int | None) -> list[str]:
    """Returns those of the partitions' folders that are complete.

    Args:
        provider: the sink.
        began: the folders, each with the time of its first row.
        now: the time in milliseconds, as those of ``began``.
        watermark: the event time, in milliseconds, up to which all rows were written; None if it is not known.

    Raises:
        TableRuntimeException: a partition has no time that can be read.
    """
    commit = provider.partition_commit
    if commit is None:
        return []
    if watermark == END_OF_TIME:
        return sorted(began)
    if commit.trigger == "process-time":
        return sorted(folder for folder, first in began.items() if now >= first + commit.delay)
    if watermark is None:
        return []
    return sorted(folder for folder in began if watermark > _time_of(folder, provider, commit) + commit.delay)


def _time_of(folder: str, provider: FileSinkProvider, commit: PartitionCommit) -> int:
    keys = provider.partition_keys
    values = dict(zip(keys, partition_values(PurePath(folder, "-"), keys, provider.partition_default_name), strict=True))
    text = "$" + keys[0] if commit.timestamp_pattern is None else commit.timestamp_pattern
    for key in sorted(keys, key=len, reverse=True):  # $day is no part of $daytime
        text = text.replace(f"${key}", values[key] or "NULL")
    return _milliseconds(text, commit, folder)


def _milliseconds(text: str, commit: PartitionCommit, folder: str) -> int:
    moment = _parsed(text, commit.timestamp_formatter)
    if moment is None:
        form = commit.timestamp_formatter or "yyyy-MM-dd HH:mm:ss"
        raise TableRuntimeException(
            f"The partition '{folder}' has the time '{text}', which is not of the form '{form}', so it is not known when the partition is complete.",
            hint="'partition.time-extractor.timestamp-pattern' says how the time is made of partition columns, such as '$day $hour:00:00'.",
        )
    return int(moment.replace(tzinfo=time_zone_of(commit.time_zone)).astimezone(UTC).timestamp() * 1000)


def _parsed(text: str, formatter: str | None) -> datetime | None:
    if formatter is not None:
        read = date_pattern(formatter).read(text)
        return None if read is None else datetime(1970, 1, 1) + timedelta(days=read[0], microseconds=read[1] // 1000)  # as below
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)  # the zone is added later
        except ValueError:
            continue
    return None
