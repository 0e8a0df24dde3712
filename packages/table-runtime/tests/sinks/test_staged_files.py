"""Files that tasks write where they run, published together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from table_common.connector import CommitContext, FileSinkProvider, WriterContext
from table_common.types import IntType, RowType, VarCharType
from table_runtime.sinks import StagedFiles

ROW = RowType.of([("id", IntType()), ("p", VarCharType())], nullable=False)
ROWS = pa.record_batch({"id": pa.array([1, 2], pa.int32()), "p": pa.array(["a", "b"], pa.string())})


def test_files_of_an_attempt_that_ended_without_a_word_are_not_published(tmp_path: Path) -> None:
    sink = StagedFiles(FileSinkProvider("t", "csv", ROW, {}, ("p",)), str(tmp_path))
    dead, successful = (sink.create_writer(WriterContext("job")) for _ in range(2))
    dead.write(ROWS)
    dead.prepare_commit()
    successful.write(ROWS.slice(1))
    sink.create_committer(CommitContext("job")).commit([successful.prepare_commit()])
    assert [path.parent.name for path in tmp_path.rglob("*.csv")] == ["p=b"]
