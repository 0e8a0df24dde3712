"""The sink: each task spools its rows to a file beside the database, and the committer applies all files in one transaction."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from contextlib import suppress

import pyarrow as pa

from connector_sqlite.database import Database, Session
from connector_sqlite.sqlite_table import SqliteTable
from connector_sqlite.storage import to_storage
from table_common.annotation import override
from table_common.arrow import rows_and_kinds
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    DynamicTableSink,
    RowKind,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sql import SqlTableSink, conflict_clause, quote_name, where_clause
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

COMMITS = "_table_commits"
"""The table of applied tasks (job, epoch, task), which makes commits idempotent."""
_KIND = "$kind"
_KEPT_DAYS = 7
"""The days for which a commit is recorded: longer than any engine retries a commit."""


@dataclass
class SqliteTableSink(SqlTableSink):
    """Writes a table; rows of an UPDATE or DELETE change in one transaction."""

    database: Database
    table: SqliteTable
    row_type: RowType
    primary_key: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    is_row_level: bool = False

    @override
    def as_summary_string(self) -> str:
        return f"sqlite({self.database.path}, {self.table.name})"

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return SqliteSinkProvider(self.database, self.table.name, self.row_type, self.primary_key, self.is_row_level)

    @override
    def execute_truncation(self) -> None:
        with self.database.session(writable=True) as session:
            session.rows(f"DELETE FROM {self.table.sql}")

    @override
    def execute_deletion(self) -> int | None:
        with self.database.session(writable=True) as session:
            session.rows(f"DELETE FROM {self.table.sql}{where_clause(self.conditions)}")
            ((count,),) = session.rows("SELECT changes()")
        return int(count)


@dataclass(frozen=True)
class SqliteSinkProvider(ArrowSinkProvider):
    """Writers that spool rows, and a committer that applies them. With ``is_row_level`` a row is the new values, then the key, of a stored row."""

    database: Database
    table: str
    row_type: RowType
    primary_key: tuple[str, ...]
    is_row_level: bool = False

    @property
    @override
    def message_class(self) -> type:
        return _Spooled

    @property
    @override
    def is_local(self) -> bool:
        """True for UPDATE and DELETE: the committer, created before the first row is read, locks the table against other writers."""
        return self.is_row_level

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self, context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(self, context)


@dataclass(frozen=True, slots=True)
class _Spooled:
    """The commit message of a task; ``file`` is None if it wrote no rows."""

    job_id: str
    epoch: int
    task: int
    file: str | None


class _Writer(SinkWriter):
    """Appends rows to a temporary file, which ``prepare_commit`` renames to its final name."""

    def __init__(self, provider: SqliteSinkProvider, context: WriterContext) -> None:
        self._provider = provider
        self._context = context
        # Several attempts of a task may write at the same time.
        attempt = f"{context.task}-{context.attempt}-{uuid.uuid4().hex[:8]}"
        self._file = f"{_start(provider, context.job_id)}{context.epoch}-{attempt}.arrow"
        self._spool: pa.OSFile | None = None
        self._target: pa.ipc.RecordBatchFileWriter | None = None

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows, kinds = rows_and_kinds(batch, self._provider.row_type)
        stored = to_storage(rows, self._provider.row_type).append_column(_KIND, kinds)
        if self._target is None:
            # Opened and closed here: a writer that fails on a full disk would keep the file open, and its space in use.
            self._spool = pa.OSFile(self._file + ".part", "wb")
            self._target = pa.ipc.new_file(self._spool, stored.schema)
        self._target.write_batch(stored)

    @override
    def prepare_commit(self) -> CommitMessage:
        context = self._context
        if self._target is None or self._spool is None:
            return _Spooled(context.job_id, context.epoch, context.task, None)
        self._target.close()
        self._spool.close()
        with open(self._file + ".part", "rb+") as file:
            os.fsync(file.fileno())
        os.replace(self._file + ".part", self._file)
        return _Spooled(context.job_id, context.epoch, context.task, self._file)

    @override
    def abort(self) -> None:
        if self._spool is not None:
            with suppress(Exception):
                self._spool.close()
        _remove(self._file + ".part")
        _remove(self._file)


class _Committer(SinkCommitter):
    """Applies rows in one transaction. For UPDATE and DELETE it begins at creation, so that the rows that the engine reads cannot change."""

    def __init__(self, provider: SqliteSinkProvider, context: CommitContext) -> None:
        self._provider = provider
        self._context = context
        self._session: Session | None = None
        if provider.is_row_level:
            self._begin()

    def _begin(self) -> Session:
        if self._session is None:
            session = self._provider.database.open(writable=True)
            try:
                session.rows("BEGIN IMMEDIATE")
            except BaseException:
                session.close()
                raise
            self._session = session
        return self._session

    def _end(self, statement: str) -> None:
        session = self._session
        if session is None:
            return
        try:
            session.rows(statement)
        finally:
            self._session = None
            session.close()

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        spooled = [message for message in messages if isinstance(message, _Spooled)]
        for message in spooled:
            self._require_own(message.file)
        session = self._begin()
        try:
            session.rows(
                f"CREATE TABLE IF NOT EXISTS {COMMITS} (job TEXT, epoch INTEGER, task INTEGER, at TEXT DEFAULT CURRENT_TIMESTAMP, "
                "PRIMARY KEY (job, epoch, task))"
            )
            session.rows(f"DELETE FROM {COMMITS} WHERE at < datetime('now', '-{_KEPT_DAYS} days')")
            for message in spooled:
                self._apply(session, message)
            self._end("COMMIT")
        except BaseException:
            with suppress(Exception):
                self._end("ROLLBACK")
            raise
        for message in spooled:
            _remove(message.file)
        self._remove_left_over()

    def _remove_left_over(self) -> None:
        """Removes the files of attempts that nobody will commit: epochs are committed in order, so those of this epoch and of earlier ones."""
        folder, start = os.path.split(_start(self._provider, self._context.job_id))
        try:
            names = os.listdir(folder or ".")
        except OSError:  # nothing was written
            return
        for name in names:
            epoch = name.removeprefix(start).partition("-")[0]
            if (
                name.startswith(start)
                and name.endswith((".arrow", ".arrow.part"))
                and epoch.isdigit()
                and int(epoch) <= self._context.epoch
            ):
                _remove(os.path.join(folder, name))

    def _apply(self, session: Session, message: _Spooled) -> None:
        name = (message.job_id, message.epoch, message.task)
        if session.rows(f"SELECT 1 FROM {COMMITS} WHERE job = ? AND epoch = ? AND task = ?", name):
            return
        session.rows(f"INSERT INTO {COMMITS} (job, epoch, task) VALUES (?, ?, ?)", name)
        if message.file is None:
            return
        with pa.memory_map(message.file) as source:
            reader = pa.ipc.open_file(source)
            for index in range(reader.num_record_batches):
                self._write(session, reader.get_batch(index))

    def _write(self, session: Session, batch: pa.RecordBatch) -> None:
        width = batch.num_columns - 1
        kinds = batch.column(width).to_pylist() if batch.column(width).null_count == 0 else []
        rows = batch.select(list(range(width)))
        start = 0
        while start < len(kinds):
            is_delete = _deletes(kinds[start])
            end = start + 1
            while end < len(kinds) and _deletes(kinds[end]) == is_delete:
                end += 1
            self._run(session, rows.slice(start, end - start), is_delete=is_delete)
            start = end

    def _run(self, session: Session, rows: pa.RecordBatch, *, is_delete: bool) -> None:
        provider = self._provider
        table, names, keys = quote_name(provider.table), rows.schema.names, provider.primary_key
        # Rows that the engine read are identified by their exact values; keys of a changelog by SQLite's own index.
        comparison = " = ? COLLATE BINARY" if provider.is_row_level else " = ?"
        where = " AND ".join(quote_name(key) + comparison for key in keys or names)
        if is_delete:
            session.execute_many(f"DELETE FROM {table} WHERE {where}", rows.select(list(keys or names)))
            return
        if provider.is_row_level:
            changes = ", ".join(f"{quote_name(name)} = ?" for name in names if name not in keys)
            session.execute_many(f"UPDATE {table} SET {changes} WHERE {where}", rows)
            return
        text = f"INSERT INTO {table} ({', '.join(map(quote_name, names))}) VALUES ({', '.join('?' * len(names))})"
        if keys:
            text += conflict_clause(names, keys)
        session.execute_many(text, rows)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        with suppress(Exception):
            self._end("ROLLBACK")
        for message in messages:
            if isinstance(message, _Spooled):
                self._require_own(message.file)
                _remove(message.file)
        self._remove_left_over()

    def _require_own(self, file: str | None) -> None:
        """Raises an error for a file that no writer of this database has made: the file is removed after the commit."""
        start = f"{self._provider.database.path}."
        if file is not None and not (
            file.startswith(start) and file.endswith(".arrow") and os.path.dirname(file) == os.path.dirname(start)
        ):
            raise TableRuntimeException(
                f"A commit message names '{file}', which is not a file of rows of the database '{self._provider.database.path}'."
            )


def _start(provider: SqliteSinkProvider, job_id: str) -> str:
    """Returns the beginning of the paths of the files of a job."""
    return f"{provider.database.path}.{job_id}-"


def _deletes(kind: int) -> bool:
    return kind in (RowKind.DELETE.value, RowKind.UPDATE_BEFORE.value)


def _remove(file: str | None) -> None:
    if file is not None:
        with suppress(FileNotFoundError):
            os.remove(file)
