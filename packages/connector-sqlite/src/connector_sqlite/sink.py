"""The sink: each task spools its rows to a file beside the database, and the committer applies all files in one transaction."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from contextlib import suppress

import pyarrow as pa

from connector_sqlite.comparing import StoredColumns
from connector_sqlite.database import Database, Session, quote_name
from connector_sqlite.sql_text import condition_sql
from connector_sqlite.storage import to_storage
from table_common.annotation import override
from table_common.arrow import conform, import_batch
from table_common.catalog import Column
from table_common.connector import (
    ArrowSinkProvider,
    ChangelogMode,
    CommitContext,
    CommitMessage,
    DynamicTableSink,
    RowKind,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sink.abilities import SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate, SupportsTruncate
from table_common.connector.source.abilities import RowLevelModificationScanContext
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

COMMITS = "_table_commits"
"""The table of applied tasks (job, epoch, task), which makes commits idempotent."""
_KIND = "$kind"
_KEPT_DAYS = 7
"""The days for which a commit is recorded: longer than any engine retries a commit."""


@dataclass
class SqliteTableSink(DynamicTableSink, SupportsTruncate, SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate):
    """Writes a table: upserts by the primary key, or appends if none is declared.

    A DELETE is pushed down if SQLite evaluates its condition with the same result. For other deletions and for updates, the engine finds the
    rows; they are identified by the primary key and change in one transaction.
    """

    database: Database
    table: str
    row_type: RowType
    columns: StoredColumns
    primary_key: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    is_row_level: bool = False

    @override
    def as_summary_string(self) -> str:
        return f"sqlite({self.database.path}, {self.table})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.upsert() if self.primary_key else ChangelogMode.insert_only()

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return SqliteSinkProvider(self.database, self.table, self.row_type, self.primary_key, self.is_row_level)

    @override
    def execute_truncation(self) -> None:
        with self.database.session(writable=True) as session:
            session.rows(f"DELETE FROM {quote_name(self.table)}")

    @override
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        texts = [condition_sql(part, self.columns) for part in filters]
        if not all(texts):
            return False
        self.conditions = tuple(filter(None, texts))
        return True

    @override
    def execute_deletion(self) -> int | None:
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        with self.database.session(writable=True) as session:
            session.rows(f"DELETE FROM {quote_name(self.table)}{where}")
            ((count,),) = session.rows("SELECT changes()")
        return int(count)

    @override
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        self._require_key("DELETE with a condition that SQLite cannot compute as the engine does")
        self.is_row_level = True
        return self.RowLevelDeleteInfo(self._consume(self.primary_key))

    @override
    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        self._require_key("UPDATE")
        names = [column.name for column in updated_columns]
        keys = [name for name in names if name in self.primary_key]
        if keys:
            raise ValidationException(
                f"UPDATE cannot set {', '.join(keys)} of SQLite's table '{self.table}': the primary key "
                f"({', '.join(self.primary_key)}) identifies rows and must not change.",
                hint="INSERT the rows under their new keys and DELETE the old ones",
            )
        self.is_row_level = True
        return self.RowLevelUpdateInfo(self._consume((*names, *self.primary_key)))

    def _consume(self, names: Sequence[str]) -> tuple[str, ...]:
        """Restricts the consumed rows to these columns."""
        fields = {field.name: field for field in self.row_type.fields}
        self.row_type = RowType(tuple(fields[name] for name in names), nullable=False)
        return tuple(names)

    def _require_key(self, what: str) -> None:
        """Raises a ``ValidationException`` unless a primary key identifies rows, with types that SQLite compares as SQL does."""
        key = ", ".join(self.primary_key) or "…"
        if not self.primary_key:
            raise ValidationException(
                f"{what} needs a primary key to identify rows of SQLite's table '{self.table}'; none is declared.",
                hint=f"declare PRIMARY KEY ({key}) NOT ENFORCED; DELETE without one accepts comparisons of columns with constants, "
                "IN, BETWEEN, LIKE, IS NULL, AND, OR and NOT",
            )
        for field in self.row_type.fields:
            if field.name in self.primary_key and not self.columns.identifies(field.name, field.type):
                raise ValidationException(
                    f"{what} identifies rows of SQLite's table '{self.table}' by the primary key ({key}), which must be of integers, "
                    f"booleans, or text that SQLite stores as text, but {self.columns.kept_as(field.name, field.type)}.",
                    hint="declare the column with the type that SQLite stores, such as STRING",
                )


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
        rows = import_batch(batch)
        fields = self._provider.row_type.fields
        kinds = rows.column(len(fields)) if rows.num_columns > len(fields) else pa.nulls(rows.num_rows, pa.int8()).fill_null(0)
        row_type = self._provider.row_type
        # A row that deletes may have the key alone.
        plain = conform(
            rows.select(list(range(len(fields)))), row_type if rows.num_columns == len(fields) else row_type.with_nullable_fields()
        )
        stored = to_storage(plain, self._provider.row_type).append_column(_KIND, kinds)
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
            others = [f"{quote_name(name)} = excluded.{quote_name(name)}" for name in names if name not in keys]
            action = f"UPDATE SET {', '.join(others)}" if others else "NOTHING"
            text += f" ON CONFLICT ({', '.join(map(quote_name, keys))}) DO {action}"
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
                f"A commit message names '{file}', which is no file of rows of the database '{self._provider.database.path}'."
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
