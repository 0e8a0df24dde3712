"""The sinks for `kill_sinks.py`: functions that create, write and read a table, and the calls of a commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame

import connector_sqlite.sink as sqlite_sink
from connector_sqlite import Database, SqliteTableSink
from connector_sqlite.reading import SqliteScanProvider
from connector_sqlite.sqlite_table import SqliteTable
from table_common.arrow import from_python_rows, to_arrow_schema
from table_common.connector import DynamicTableSink, FileScanProvider, FileSinkProvider
from table_common.connector.sql import SqlQuery
from table_common.types import BigIntType, IntType, RowType, VarCharType
from table_planner_spark.sink.files import FileWrite
from table_runtime.files import FileChanges, LocalChange, StagedFolder
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.scans.scan_files import ScanFiles
from table_runtime.sinks.arrow_sink import ArrowSink
from table_runtime.sinks.file_sink import FileSink

__all__ = ["NEW", "OLD", "ROW", "SINKS", "Row", "Sink", "run"]

ROW = RowType.of([("id", BigIntType()), ("name", VarCharType()), ("part", IntType())], nullable=False)
TABLE = SqliteTable("t", {})
FILE_ROW = RowType(ROW.fields[:2], nullable=False)
Row = tuple[Any, ...]
OLD = [(number, f"old {number}", number % 5) for number in range(20)]
NEW = [(number, f"new {number}", number % 7) for number in range(100, 160)]


@dataclass(frozen=True)
class Sink:
    """A kind of table: functions that create, write and read it, its expected content, and the sequence of calls that commit."""

    name: str
    make: Callable[[Path], None]
    write: Callable[[Path, list[Row], str], None]
    reader: Callable[[Path], Operator]
    after: Callable[[list[Row], list[Row]], list[Row]]
    commit: tuple[tuple[type, str], ...]


class Rows(Operator):
    """Some rows, in several batches."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(to_arrow_schema(ROW))
        self._rows = rows

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._rows), 16):
            yield from_python_rows(self._rows[start : start + 16], ROW)


def _make_database(folder: Path, journal: str) -> None:
    with closing(sqlite3.connect(folder / "table.db")) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("CREATE TABLE t (id INTEGER, name TEXT, part INTEGER)")


def _database(folder: Path) -> Database:
    return Database(str(folder / "table.db"))


def _write_database(folder: Path, rows: list[Row], job_id: str) -> None:
    provider = SqliteTableSink(_database(folder), TABLE, ROW).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    run([ArrowSink(Rows(rows), provider, "t", "sqlite")], job_id)


def _read_database(folder: Path) -> Operator:
    return ScanArrow(SqliteScanProvider(_database(folder), SqlQuery.of(TABLE, ROW)), ROW, to_arrow_schema(ROW), "t", "sqlite")


def _file_sink(path: Path, rows: list[Row], keys: tuple[str, ...], *, overwrite: bool) -> Operator:
    return FileSink(Rows(rows), FileSinkProvider(str(path), "csv", ROW, partition_keys=keys, overwrite=overwrite), "t")


def _write_files(folder: Path, rows: list[Row], job_id: str, *, keys: tuple[str, ...], overwrite: bool) -> None:
    run([_file_sink(folder / "t", rows, keys, overwrite=overwrite)], job_id)


def _write_statement_set(folder: Path, rows: list[Row], job_id: str) -> None:
    """Writes a third of the rows each through the table's path, another spelling of it, and a link, one of them as INSERT OVERWRITE."""
    link = folder.with_name(f"{folder.name}-link")
    link.unlink(missing_ok=True)
    link.symlink_to(folder / "t")
    paths = (folder / "t", folder / "." / "t" / ".." / "t", link)
    run([_file_sink(path, rows[number::3], (), overwrite=number == 1) for number, path in enumerate(paths)], job_id)
    link.unlink()


def _write_new_table(folder: Path, rows: list[Row], job_id: str) -> None:
    """Writes as CREATE OR REPLACE TABLE AS does."""
    staged = StagedFolder(str(folder / "t"))
    staged.begin()
    run([_file_sink(Path(staged.path), rows, ("part",), overwrite=False)], job_id)
    staged.commit()


def _write_with_spark(folder: Path, rows: list[Row], job_id: str) -> None:
    """Writes as a job on Spark does, with files that look like Spark's."""
    provider = FileSinkProvider(str(folder / "t"), "csv", ROW, overwrite=True)
    changes = FileChanges(job_id)
    try:
        FileWrite(provider, cast("DataFrame", FrameOfRows(rows))).run(
            cast("DataFrame", FrameOfRows(rows)), changes, f"{job_id}-0", lambda: None
        )
        changes.commit()
    finally:
        changes.abort()


class FrameOfRows:
    """A fake DataFrame and writer that create the files that Spark would create."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self.write = self
        self.sparkSession = None

    def format(self, name: str) -> FrameOfRows:
        """Sets the format."""
        return self

    def mode(self, name: str) -> FrameOfRows:
        """Sets the mode."""
        return self

    def options(self, **options: str) -> FrameOfRows:
        """Sets the options."""
        return self

    def save(self, url: str) -> None:
        """Writes data files, and hidden files beside them."""
        folder = Path(url.removeprefix("file://"))
        for number in range(3):
            name = f"part-{number:05}-{folder.parents[1].name}-c000.csv"
            (folder / name).write_text("".join(f"{id_},{text},{part}\n" for id_, text, part in self._rows[number::3]))
            (folder / f".{name}.crc").write_text("")


def _read_files(folder: Path, keys: tuple[str, ...]) -> Operator:
    provider = FileScanProvider((str(folder / "t"),), "csv", FILE_ROW if keys else ROW, ROW, partition_keys=keys)
    return ScanFiles(provider, to_arrow_schema(ROW), "t")


def _added(old: list[Row], new: list[Row]) -> list[Row]:
    return old + new


def _replaced(old: list[Row], new: list[Row]) -> list[Row]:
    return new


def _replaced_partitions(old: list[Row], new: list[Row]) -> list[Row]:
    written = {part for _, _, part in new}
    return [row for row in old if row[2] not in written] + new


def _sqlite(name: str, journal: str) -> Sink:
    commit = ((sqlite_sink._Writer, "prepare_commit"), (sqlite_sink._Committer, "commit"))
    return Sink(name, lambda folder: _make_database(folder, journal), _write_database, _read_database, _added, commit)


def _files(name: str, write: Callable[[Path, list[Row], str], None], after: Callable[..., list[Row]], keys: tuple[str, ...] = ()) -> Sink:
    return Sink(name, lambda folder: None, write, partial(_read_files, keys=keys), after, ((LocalChange, "commit"),))


PART = ("part",)
SINKS = (
    _files("files", partial(_write_files, keys=(), overwrite=False), _added),
    _files("partitioned-files", partial(_write_files, keys=PART, overwrite=False), _added, PART),
    _files("overwritten-files", partial(_write_files, keys=(), overwrite=True), _replaced),
    _files("overwritten-partitions", partial(_write_files, keys=PART, overwrite=True), _replaced_partitions, PART),
    _files("statement-set", _write_statement_set, _replaced),
    _files("replaced-table", _write_new_table, _replaced, PART),
    _files("files-of-spark", _write_with_spark, _replaced),
    _sqlite("sqlite", "DELETE"),
    _sqlite("sqlite-wal", "WAL"),
)


def run(operators: list[Operator], job_id: str = "reader") -> list[pa.RecordBatch]:
    """Runs operators to their end, as a job with this id, and commits."""
    context = ExecutionContext(job_id=job_id, parallelism=1)
    try:
        batches = [batch for operator in operators for batch in operator.batches(context)]
        context.commit()
        return batches
    finally:
        context.close()
