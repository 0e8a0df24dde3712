"""The options of the connector ``filesystem`` for writing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.connector import PartitionCommit, RollingPolicy
from table_common.exceptions import TableError
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.filesystem_options import FileTable, file_table

TableContext = Callable[..., DynamicTableFactory.Context]
COMMIT = "sink.partition-commit."
EXTRACTOR = "partition.time-extractor."


def definition(table: TableContext, options: dict[str, str], keys: tuple[str, ...] = ("day",)) -> FileTable:
    given = {"connector": "filesystem", "path": "/x", "format": "csv", **options}
    return file_table(table({"a": "INT", "day": "STRING", "hour": "STRING"}, given, keys))


def test_options_become_policies(table: TableContext) -> None:
    found = definition(
        table,
        {
            "sink.rolling-policy.file-size": "1 mb",
            "sink.rolling-policy.rollover-interval": "5 s",
            "sink.rolling-policy.check-interval": "1 s",
            "auto-compaction": "false",
            f"{COMMIT}policy.kind": "success-file",
            f"{COMMIT}trigger": "partition-time",
            f"{COMMIT}delay": "1 h",
            f"{COMMIT}watermark-time-zone": "Asia/Tokyo",
            f"{EXTRACTOR}timestamp-pattern": "$day 00:00:00",
        },
    )
    assert found.rolling == RollingPolicy(1 << 20, 5.0)
    assert found.partition_commit == PartitionCommit("partition-time", 3_600_000, "Asia/Tokyo", "$day 00:00:00")


def test_partitions_are_not_marked_by_default(table: TableContext) -> None:
    assert definition(table, {}).partition_commit is None


@pytest.mark.parametrize(
    ("options", "keys", "text"),
    [
        ({"auto-compaction": "true"}, ("day",), "not supported: files are not merged"),
        ({"compaction.file-size": "1 mb"}, ("day",), "not supported: files are not merged"),
        ({"sink.rolling-policy.file-size": "0 b"}, ("day",), "'sink.rolling-policy.file-size' of table c.d.t must be positive"),
        ({f"{COMMIT}policy.kind": "metastore,success-file"}, ("day",), "The policy 'metastore' .* no catalog lists them"),
        ({f"{COMMIT}policy.kind": "custom"}, ("day",), "'custom' .* names a Java class"),
        ({f"{COMMIT}policy.kind": "mail"}, ("day",), "must be 'success-file', but is 'mail'"),
        ({f"{COMMIT}policy.kind": "success-file"}, (), "needs a table that is PARTITIONED BY"),
        ({f"{COMMIT}trigger": "partition-time"}, ("day",), f"The option '{COMMIT}trigger' of table c.d.t needs '{COMMIT}policy.kind'"),
        ({f"{COMMIT}policy.kind": "success-file", f"{COMMIT}trigger": "never"}, ("day",), "never"),
        ({f"{COMMIT}policy.kind": "success-file", f"{COMMIT}success-file.name": "DONE"}, ("day",), "begins with '_' or '.', but is 'DONE'"),
        ({f"{COMMIT}policy.kind": "success-file", f"{COMMIT}watermark-time-zone": "Mars"}, ("day",), "Mars"),
        (
            {f"{COMMIT}policy.kind": "success-file", f"{EXTRACTOR}timestamp-pattern": "$month"},
            ("day",),
            "has no partition column, but is '\\$month'",
        ),
        ({f"{EXTRACTOR}class": "com.example.Extractor"}, ("day",), "unknown: 'partition.time-extractor.class'"),
    ],
)
def test_what_cannot_be_done_is_refused(table: TableContext, options: dict[str, str], keys: tuple[str, ...], text: str) -> None:
    with pytest.raises(TableError, match=text):
        definition(table, options, keys)
