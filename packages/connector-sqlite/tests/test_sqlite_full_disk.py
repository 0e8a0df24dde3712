"""Rows that cannot be kept until they are committed, as on a full disk."""

from __future__ import annotations

import os
import resource
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from connector_sqlite.database import Database
from connector_sqlite.sink import SqliteSinkProvider
from table_common.connector import WriterContext
from table_common.types import RowType, VarCharType


@pytest.fixture
def small_files() -> Iterator[None]:
    """Lets no file grow beyond 100 kB: Python ignores the signal, so that a write fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_spool_that_cannot_be_written_keeps_no_space(tmp_path: Path, small_files: None) -> None:
    path = tmp_path / "data.db"
    sqlite3.connect(path).close()
    row_type = RowType.of([("a", VarCharType())], nullable=False)
    writer = SqliteSinkProvider(Database(str(path)), "t", row_type, ()).create_writer(WriterContext("job"))
    with pytest.raises(OSError, match="File too large"):
        writer.write(pa.record_batch({"a": pa.array([os.urandom(500).hex() for _ in range(500)], pa.string())}))
    writer.abort()
    opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert [name for name in opened if name.startswith(str(tmp_path))] == []
    assert [file.name for file in tmp_path.iterdir()] == ["data.db"]
