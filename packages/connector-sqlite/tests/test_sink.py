"""Rows that cannot be kept until they are committed, as on a full disk."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from connector_sqlite.database import Database
from connector_sqlite.sink import SqliteSinkProvider
from table_common.connector import CommitContext, WriterContext
from table_common.types import BigIntType, RowType

SCRIPT = """
import json, os, resource, signal, sqlite3, sys
from pathlib import Path

import pyarrow as pa

from connector_sqlite.database import Database
from connector_sqlite.sink import SqliteSinkProvider
from table_common.connector import WriterContext
from table_common.types import RowType, VarCharType

folder = Path(sys.argv[1])
path = folder / "data.db"
sqlite3.connect(path).close()
# A write beyond this size fails, as on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
row_type = RowType.of([("a", VarCharType())], nullable=False)
writer = SqliteSinkProvider(Database(str(path)), "t", row_type, ()).create_writer(WriterContext("job"))
error = None
try:
    writer.write(pa.record_batch({"a": pa.array([os.urandom(500).hex() for _ in range(500)], pa.string())}))
except OSError as failure:
    error = str(failure)
writer.abort()
opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
print(json.dumps([error, [name for name in opened if name.startswith(str(folder))], [file.name for file in folder.iterdir()]]))
"""


def test_a_spool_that_cannot_be_written_is_deleted(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    error, opened, files = json.loads(run.stdout)
    assert "File too large" in error
    assert (opened, files) == ([], ["data.db"])


def test_what_a_dead_run_has_staged_is_discarded_without_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    sqlite3.connect(path).close()
    provider = SqliteSinkProvider(Database(str(path)), "t", RowType.of([("a", BigIntType())], nullable=False), ())
    for job, epoch in (("job", 0), ("job", 1), ("other", 0)):
        writer = provider.create_writer(WriterContext(job, epoch))
        writer.write(pa.record_batch({"a": pa.array([1], pa.int64())}))
        writer.prepare_commit()
    provider.create_committer(CommitContext("job", 0)).abort([])
    assert sorted(file.name.split("-")[:2] for file in tmp_path.glob("*.arrow")) == [["data.db.job", "1"], ["data.db.other", "0"]]
