"""The files of messages that wait for their commit."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pyarrow as pa
import pytest

from connector_kafka.cluster import Cluster
from connector_kafka.staging import MESSAGES, StagedMessages, StagingFolder, staged_batches
from table_common.connector import CommitContext
from table_common.exceptions import TableRuntimeException


def folder_in(path: Path, topic: str = "orders") -> StagingFolder:
    return StagingFolder(path, Cluster({"bootstrap.servers": "here"}), topic)


def test_messages_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = folder_in(tmp_path).new_file(CommitContext("job"))
    rows = [
        {"key": b"k", "value": None, "partition": 1, "timestamp": 5, "headers": [("a", b"1"), ("b", None)]},
        {"key": None, "value": b"", "partition": 0, "timestamp": None, "headers": None},
    ]
    file.write(pa.RecordBatch.from_pylist(rows, schema=MESSAGES))
    file.close()
    assert [row for batch in staged_batches(StagedMessages(str(file.path))) for row in batch.to_pylist()] == rows
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_a_commit_removes_the_files_of_all_its_runs_and_old_ones(tmp_path: Path) -> None:
    folder = folder_in(tmp_path)
    first, again = (folder.new_file(CommitContext("job", 3)) for _ in range(2))
    other, another, old = (
        folder.new_file(CommitContext("job", 4)),
        folder_in(tmp_path, "x").new_file(CommitContext("job", 3)),
        tmp_path / "a.arrow",
    )
    old.touch()
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    folder.remove(CommitContext("job", 3))
    assert sorted(tmp_path.iterdir()) == sorted([other.path, another.path])
    for file in (first, again, other, another):
        file.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TableRuntimeException, match="cannot be written") as caught:
        folder_in(tmp_path / "file").new_file(CommitContext("job"))
    assert "'sink.staging-directory'" in (caught.value.hint or "")
