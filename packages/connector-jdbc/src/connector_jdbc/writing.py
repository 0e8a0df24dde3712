"""Writes: each task sends its rows by COPY to a staging table, and the committer applies all staging tables in one transaction.

The transaction also adds a row (job, sink, epoch) to the table ``_table_epochs`` of the same schema, so that a repeated commit changes nothing. Staging tables
are ordinary tables of the server: rows that a task prepared survive its machine, and a committer on another machine finds them.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress

import pyarrow as pa

from connector_jdbc.database import Database, Session
from connector_jdbc.failures import state_of
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import assigned_sql, staging_type, to_staging
from connector_jdbc.rounding import require_exact
from connector_jdbc.value_mismatch import explained_mismatch
from table_common.annotation import override
from table_common.arrow import rows_and_kinds
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    RowKind,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sql import conflict_clause, quote_name
from table_common.exceptions import TableError
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

EPOCHS = "_table_epochs"
"""The table of applied epochs, in the schema of the written table; it makes commits idempotent."""
STAGING = "_table_staging_"
"""The first part of the names of staging tables; the time of their creation and a random text follow."""
_KEPT_SECONDS = 7 * 24 * 3600
"""How long epochs and the staging tables of dead tasks are kept: longer than any engine retries a commit."""
_MOST_BYTES = 64 << 20
"""The size of the rows that a task collects before it sends them, if they are long."""
_KIND, _NUMBER = "$kind", "$number"
_DELETIONS = (RowKind.DELETE.value, RowKind.UPDATE_BEFORE.value)


@dataclass(frozen=True)
class JdbcSinkProvider(ArrowSinkProvider):
    """Writers that stage rows, and a committer that applies them. With ``is_row_level`` a row is the new values, then the key, of a stored row."""

    database: Database
    table: PostgresTable
    row_type: RowType
    primary_key: tuple[str, ...]
    is_row_level: bool = False
    flush_rows: int = 100_000
    max_retries: int = 3

    @property
    @override
    def message_class(self) -> type:
        return _Staged

    @property
    @override
    def is_local(self) -> bool:
        """True for UPDATE and DELETE: the committer, created before the first row is read, locks the table against other writers."""
        return self.is_row_level

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self, self.staging_name(context.job_id, context.epoch))

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(self, context)

    def staging_name(self, job_id: str, epoch: int) -> str:
        """Returns a new name for a staging table; it tells when it was made, and for which commit."""
        return f"{STAGING}{int(time.time())}_{self.commit_mark(job_id, epoch)}_{uuid.uuid4().hex[:8]}"

    def commit_mark(self, job_id: str, epoch: int) -> str:
        """Returns the part of the names of staging tables that is the same for all tasks of a commit, also of runs that died before it."""
        return hashlib.sha256("\0".join((job_id, str(epoch), self.table.shown)).encode()).hexdigest()[:16]

    def staging_sql(self, name: str) -> str:
        """Returns the quoted name of a staging table."""
        return f"{quote_name(self.table.schema)}.{quote_name(name)}"


@dataclass(frozen=True, slots=True)
class _Staged:
    """The commit message of a task: its staging table, None if it wrote no rows."""

    table: str | None
    has_deletions: bool = False


class _Writer(SinkWriter):
    """Sends rows to a staging table in a transaction, which ``prepare_commit`` commits."""

    def __init__(self, provider: JdbcSinkProvider, name: str) -> None:
        self._provider = provider
        self._name = name
        self._session: Session | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0
        self._number = 0
        self._has_deletions = False
        self._is_prepared = False

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows, kinds = rows_and_kinds(batch, self._provider.row_type)
        if not rows.num_rows:
            return
        columns = to_staging(rows, self._provider.row_type, self._provider.table.described)
        numbers = pa.array(range(self._number, self._number + rows.num_rows), pa.int64())
        self._number += rows.num_rows
        self._has_deletions = self._has_deletions or any(kind in _DELETIONS for kind in kinds.unique().to_pylist())
        names = self._provider.row_type.field_names
        self._waiting.append(pa.RecordBatch.from_arrays([*columns, kinds.cast(pa.int16()), numbers], names=[*names, _KIND, _NUMBER]))
        self._rows += rows.num_rows
        self._bytes += self._waiting[-1].nbytes
        if self._rows >= self._provider.flush_rows or self._bytes >= _MOST_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._session is None:
            session = self._provider.database.retried(self._provider.database.open, self._provider.max_retries)
            self._session = session
            session.rows("BEGIN")
            fields = [f"{quote_name(field.name)} {staging_type(field.type)}" for field in self._provider.row_type.fields]
            columns = ", ".join([*fields, f"{quote_name(_KIND)} int2", f"{quote_name(_NUMBER)} int8"])
            session.rows(f"CREATE TABLE {self._provider.staging_sql(self._name)} ({columns})")
        rows = pa.Table.from_batches(self._waiting)
        self._waiting, self._rows, self._bytes = [], 0, 0
        self._session.copy_in(self._provider.table.schema, self._name, rows)

    @override
    def prepare_commit(self) -> CommitMessage:
        self._flush()
        session, self._session = self._session, None
        if session is None:
            return _Staged(None)
        try:
            session.rows("COMMIT")
        finally:
            session.close()
        self._is_prepared = True
        return _Staged(self._name, self._has_deletions)

    @override
    def abort(self) -> None:
        self._waiting.clear()
        session, self._session = self._session, None
        if session is not None:
            session.close()  # which rolls back
        elif self._is_prepared:
            with suppress(TableError), self._provider.database.session() as other:
                other.rows(f"DROP TABLE IF EXISTS {self._provider.staging_sql(self._name)}")


class _Committer(SinkCommitter):
    """Applies rows in one transaction. For UPDATE and DELETE it begins at creation, so that the rows that the engine reads cannot change."""

    def __init__(self, provider: JdbcSinkProvider, context: CommitContext) -> None:
        self._provider = provider
        self._context = context
        self._session: Session | None = None
        if provider.is_row_level:
            session = provider.database.open()
            try:
                session.rows("BEGIN")
                session.rows(f"LOCK TABLE {provider.table.sql} IN SHARE ROW EXCLUSIVE MODE")
            except BaseException:
                session.close()
                raise
            self._session = session

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        staged = [message for message in messages if isinstance(message, _Staged)]
        provider = self._provider
        # Only a transaction that began here can be repeated: that of UPDATE and DELETE holds the lock under which rows were read.
        retries = provider.max_retries if self._session is None else 0
        provider.database.retried(lambda: self._commit(staged), retries)

    def _commit(self, staged: Sequence[_Staged]) -> None:
        provider = self._provider
        epochs = f"{quote_name(provider.table.schema)}.{quote_name(EPOCHS)}"
        session, self._session = self._session, None
        if session is None:
            session = provider.database.open()
            self._create_epochs(session, epochs)
            begins = True
        else:
            begins = False
            with provider.database.session() as other:
                self._create_epochs(other, epochs)
        try:
            if begins:
                session.rows("BEGIN")
            try:
                self._apply(session, epochs, staged)
                session.rows("COMMIT")
            except BaseException as error:
                with suppress(Exception):
                    session.rows("ROLLBACK")
                if isinstance(error, TableError):
                    explained = self._explained(error, session, staged)
                    if explained is not error:
                        raise explained from error
                raise
            self._prune(session, epochs)
        finally:
            session.close()

    def _explained(self, error: TableError, session: Session, staged: Sequence[_Staged]) -> TableError:
        provider = self._provider
        stagings = [provider.staging_sql(message.table) for message in staged if message.table is not None]
        return explained_mismatch(error, session, provider.table, provider.row_type.field_names, stagings, _NUMBER)

    def _create_epochs(self, session: Session, epochs: str) -> None:
        if session.rows("SELECT to_regclass($1)::text", [epochs])[0][0] is not None:
            return
        with suppress(TableError):  # another committer creates it at the same time: the insertion tells
            session.rows(
                f"CREATE TABLE IF NOT EXISTS {epochs} (job text, sink text, epoch int8, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (job, sink, epoch))"
            )

    def _apply(self, session: Session, epochs: str, staged: Sequence[_Staged]) -> None:
        identity = [self._context.job_id, self._provider.table.shown, self._context.epoch]
        added = session.rows(
            f"INSERT INTO {epochs} (job, sink, epoch) VALUES ($1::text, $2::text, $3::int8) ON CONFLICT DO NOTHING RETURNING 1", identity
        )
        if added:
            stagings = [self._provider.staging_sql(message.table) for message in staged if message.table is not None]
            require_exact(session, self._provider.table, self._provider.row_type, stagings, _NUMBER)
        for message in staged:
            if message.table is None:
                continue
            if added:
                self._write(session, message)
            session.rows(f"DROP TABLE IF EXISTS {self._provider.staging_sql(message.table)}")

    def _write(self, session: Session, message: _Staged) -> None:
        provider = self._provider
        assert message.table is not None
        staging, target = provider.staging_sql(message.table), provider.table.sql
        names = [field.name for field in provider.row_type.fields]
        keys = provider.primary_key
        columns = ", ".join(map(quote_name, names))
        values = ", ".join(self._assigned(name) for name in names)
        if provider.is_row_level:
            self._modify(session, message, staging)
            return
        if not keys:
            session.rows(f"INSERT INTO {target} ({columns}) SELECT {values} FROM {staging} AS s ORDER BY {quote_name(_NUMBER)}")
            return
        # Keys are compared as the target compares them: two texts can be the same UUID.
        compared = ", ".join(assigned_sql(provider.table.columns[key], quote_name(key)) for key in keys)
        latest = f"(SELECT DISTINCT ON ({compared}) * FROM {staging} ORDER BY {compared}, {quote_name(_NUMBER)} DESC)"
        insert = f"INSERT INTO {target} ({columns}) SELECT {values} FROM "
        on_conflict = conflict_clause(names, keys)
        if message.has_deletions:
            deletions = f"s.{quote_name(_KIND)} IN ({', '.join(map(str, _DELETIONS))})"
            session.rows(f"DELETE FROM {target} AS t USING {latest} AS s WHERE {self._same_key(keys)} AND {deletions}")
            session.rows(f"{insert}{latest} AS s WHERE NOT {deletions}{on_conflict}")
            return
        session.rows("SAVEPOINT once")
        try:
            # In the order of the keys, so that commits that lock the same rows wait for each other and are no deadlock.
            session.rows(f"{insert}{staging} AS s ORDER BY {compared}{on_conflict}")
        except TableError as error:
            if state_of(error) != "21000":  # a key occurs several times: the last row counts
                raise
            session.rows("ROLLBACK TO SAVEPOINT once")
            session.rows(f"{insert}{latest} AS s{on_conflict}")

    def _modify(self, session: Session, message: _Staged, staging: str) -> None:
        """Applies the rows of an UPDATE or DELETE statement, each a different stored row."""
        provider = self._provider
        keys, target = provider.primary_key, provider.table.sql
        if message.has_deletions:
            session.rows(f"DELETE FROM {target} AS t USING {staging} AS s WHERE {self._same_key(keys)}")
            return
        changed = [field.name for field in provider.row_type.fields if field.name not in keys]
        changes = ", ".join(f"{quote_name(name)} = {self._assigned(name)}" for name in changed)
        session.rows(f"UPDATE {target} AS t SET {changes} FROM {staging} AS s WHERE {self._same_key(keys)}")

    def _same_key(self, keys: Sequence[str]) -> str:
        return " AND ".join(f"t.{quote_name(key)} = {self._assigned(key)}" for key in keys)

    def _assigned(self, name: str) -> str:
        return assigned_sql(self._provider.table.columns[name], f"s.{quote_name(name)}")

    def _prune(self, session: Session, epochs: str) -> None:
        """Removes old epochs, and the staging tables of tasks that died before their commit; failures do not fail the commit."""
        with suppress(TableError):
            session.rows(f"DELETE FROM {epochs} WHERE at < now() - interval '{_KEPT_SECONDS} seconds'")
            self._drop_staged(session)

    def _drop_staged(self, session: Session) -> None:
        """Drops what other runs of this commit staged, and what is so old that nobody will commit it."""
        names = session.rows(
            "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = $1::text AND c.relname LIKE $2::text AND c.relkind = 'r'",
            [self._provider.table.schema, STAGING.replace("_", "\\_") + "%"],
        )
        mark = self._provider.commit_mark(self._context.job_id, self._context.epoch)
        for (name,) in names:
            created, _, rest = name.removeprefix(STAGING).partition("_")
            is_old = created.isdigit() and int(created) < time.time() - _KEPT_SECONDS
            if is_old or rest.startswith(mark):
                session.rows(f"DROP TABLE IF EXISTS {self._provider.staging_sql(name)}")

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()  # which rolls back
        with suppress(TableError), self._provider.database.session() as other:
            self._drop_staged(other)
