"""Upserts, deletions, epochs, what killed tasks leave, and a server that goes away."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from postgres_server import database, new_table, run, server_url, tables_in

from connector_jdbc import JdbcTableFactory
from connector_jdbc.database import Session
from connector_jdbc.writing import EPOCHS, STAGING, JdbcSinkProvider
from table_common.connector import CommitContext, DynamicTableSink, RowKind, WriterContext
from table_common.connector.sql import quote_name
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase, write_rows

Rows = Sequence[tuple[Any, ...]]
INSERT, BEFORE, AFTER, DELETE = (kind.value for kind in (RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE))


class Upserts(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"
    primary_key = ("id",)


class Appends(Upserts):
    primary_key = ()


def provider_of(case: ConnectorCase, table: str, **options: str) -> JdbcSinkProvider:
    given = {"url": server_url(), "table-name": table, **{key.replace("_", "-"): value for key, value in options.items()}}
    provider = case.sink(given).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, JdbcSinkProvider)
    return provider


def commit_changes(provider: JdbcSinkProvider, *rows: tuple[int, str | None, int], epoch: int = 0) -> None:
    writer = provider.create_writer(WriterContext("job", epoch))
    columns = [
        pa.array([row[0] for row in rows], pa.int32()),
        pa.array([row[1] for row in rows]),
        pa.array([row[2] for row in rows], pa.int8()),
    ]
    writer.write(pa.RecordBatch.from_arrays(columns, names=["id", "name", "kind"]))
    provider.create_committer(CommitContext("job", epoch)).commit([writer.prepare_commit()])


def stored(table: str) -> list[tuple[Any, ...]]:
    return sorted(run(f"SELECT id, name FROM {table}"))


def test_the_last_change_of_a_key_counts() -> None:
    table = new_table("id int4 PRIMARY KEY, name text", [(1, "old"), (2, "old"), (3, "old")])
    changes = [(1, "a", INSERT), (1, "b", AFTER), (2, "x", DELETE), (3, "y", DELETE), (3, "c", INSERT), (4, "d", INSERT), (4, "d", DELETE)]
    commit_changes(provider_of(Upserts(), table), *changes)
    assert stored(table) == [(1, "b"), (3, "c")]


def test_long_rows_are_sent_before_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    copy_in = Session.copy_in

    def counted(session: Session, schema: str, table: str, rows: Any) -> None:
        sent.append(rows.num_rows)
        copy_in(session, schema, table, rows)

    monkeypatch.setattr(Session, "copy_in", counted)
    provider = provider_of(Appends(), new_table("id int4, name text"))
    writer = provider.create_writer(WriterContext("job", 0))
    for number in range(5):
        writer.write(pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), pa.array(["x" * (30 << 20)])], names=["id", "name"]))
    writer.prepare_commit()
    writer.abort()
    assert sent == [3, 2]


def test_an_update_of_a_row_is_its_new_version() -> None:
    table = new_table("id int4 PRIMARY KEY, name text", [(1, "old")])
    commit_changes(provider_of(Upserts(), table), (1, "old", BEFORE), (1, "new", AFTER))
    assert stored(table) == [(1, "new")]


def test_a_key_that_occurs_twice_in_insertions_has_its_last_row() -> None:
    table = new_table("id int4 PRIMARY KEY, name text")
    provider = provider_of(Upserts(), table)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Upserts().row_type, [[(1, "a"), (1, "b")], [(1, "c")]]))
    assert stored(table) == [(1, "c")]


def test_keys_that_are_equal_in_postgresql_alone_have_their_last_row() -> None:
    class Uuids(Upserts):
        schema = "id STRING, name STRING"

    table = new_table("id uuid PRIMARY KEY, name text")
    provider = provider_of(Uuids(), table)
    lower = "0e37df36-f698-11e6-8dd4-cb9ced3df976"
    messages = write_rows(provider, Uuids().row_type, [[(lower.upper(), "a"), (lower, "b"), (lower.upper(), "c")]])
    provider.create_committer(CommitContext("job")).commit(messages)
    assert run(f"SELECT id::text, name FROM {table}") == [(lower, "c")]


@pytest.mark.parametrize("name", ["{source}", "{x", 'a"b', "$1", "%s", "a.b", "SELECT", "x" * 63])
def test_columns_can_have_any_name(name: str) -> None:
    class Case(Upserts):
        schema = f"id INT, `{name}` STRING"

    quoted = quote_name(name)
    table = new_table(f"id int4 PRIMARY KEY, {quoted} text")
    provider = provider_of(Case(), table)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Case().row_type, [[(1, "a"), (1, "b")]]))
    assert run(f"SELECT id, {quoted} FROM {table}") == [(1, "b")]


def test_rows_are_upserted_in_the_order_of_their_keys() -> None:
    """So two commits lock common rows in one order, which cannot be a deadlock."""
    table = new_table("id int4 PRIMARY KEY, name text")
    provider = provider_of(Upserts(), table)
    messages = write_rows(provider, Upserts().row_type, [[(3, "c"), (1, "a"), (2, "b")]])
    provider.create_committer(CommitContext("job")).commit(messages)
    assert run(f"SELECT id FROM {table} ORDER BY ctid") == [(1,), (2,), (3,)]


def test_tables_of_keys_alone_are_upserted() -> None:
    class Keys(Upserts):
        schema = "id INT"

    table = new_table("id int4 PRIMARY KEY", [(1,)])
    provider = provider_of(Keys(), table)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Keys().row_type, [[(1,), (2,)]]))
    assert sorted(run(f"SELECT id FROM {table}")) == [(1,), (2,)]


def test_columns_that_are_not_declared_have_their_defaults() -> None:
    table = new_table("id int4 PRIMARY KEY, name text, at date DEFAULT '2020-01-01'")
    provider = provider_of(Upserts(), table)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Upserts().row_type, [[(1, "a")]]))
    assert run(f"SELECT at::text FROM {table}") == [("2020-01-01",)]


def test_an_append_that_violates_a_key_changes_nothing() -> None:
    table = new_table("id int4 PRIMARY KEY, name text", [(1, "old")])
    provider = provider_of(Appends(), table)
    messages = write_rows(provider, Appends().row_type, [[(2, "a"), (1, "b")]])
    with pytest.raises(TableRuntimeException, match="duplicate key value violates unique constraint") as caught:
        provider.create_committer(CommitContext("job")).commit(messages)
    assert "PRIMARY KEY" in (caught.value.hint or "")
    assert stored(table) == [(1, "old")]


def test_a_key_without_an_index_in_postgresql_is_explained() -> None:
    table = new_table("id int4, name text")
    provider = provider_of(Upserts(), table)
    messages = write_rows(provider, Upserts().row_type, [[(1, "a")]])
    with pytest.raises(TableRuntimeException) as caught:
        provider.create_committer(CommitContext("job")).commit(messages)
    assert "needs a UNIQUE constraint" in (caught.value.hint or "")


def test_a_commit_removes_what_it_staged_and_leaves_the_epoch() -> None:
    table = new_table("id int4 PRIMARY KEY, name text")
    commit_changes(provider_of(Upserts(), table), (1, "a", INSERT), epoch=7)
    assert tables_in(table) == {"tested", EPOCHS}
    schema = table.partition(".")[0]
    assert run(f"SELECT job, sink, epoch FROM {schema}.{EPOCHS}") == [("job", table, 7)]


def test_staging_tables_of_dead_tasks_and_old_epochs_are_removed() -> None:
    table = new_table("id int4 PRIMARY KEY, name text")
    schema = table.partition(".")[0]
    provider = provider_of(Upserts(), table)
    commit_changes(provider, (1, "a", INSERT))
    run(f"CREATE TABLE {schema}.{STAGING}1000_dead (id int4)", f"CREATE TABLE {schema}.{STAGING}9999999999_alive (id int4)")
    run(f"UPDATE {schema}.{EPOCHS} SET at = at - interval '30 days'")
    commit_changes(provider, (2, "b", INSERT), epoch=1)
    assert tables_in(table) == {"tested", EPOCHS, f"{STAGING}9999999999_alive"}
    assert run(f"SELECT epoch FROM {schema}.{EPOCHS}") == [(1,)]


def test_what_another_run_of_the_epoch_staged_is_removed() -> None:
    table = new_table("id int4 PRIMARY KEY, name text")
    provider = provider_of(Upserts(), table)
    write_rows(provider, Upserts().row_type, [[(1, "lost")], [(2, "lost")]], epoch=3)
    write_rows(provider, Upserts().row_type, [[(1, "of the next epoch")]], epoch=4)
    provider.create_committer(CommitContext("job", 3)).commit(write_rows(provider, Upserts().row_type, [[(1, "a")]], epoch=3))
    assert stored(table) == [(1, "a")]
    assert len([name for name in tables_in(table) if name.startswith(STAGING)]) == 1


KILLED = """
import os, pickle, signal, sys
provider, messages, point = pickle.load(sys.stdin.buffer)
from connector_jdbc.database import Session
from table_common.connector import CommitContext
statements = [0]
plain = Session.rows
def rows(self, sql, parameters=()):
    if statements[0] == point:
        os.kill(os.getpid(), signal.SIGKILL)
    statements[0] += 1
    return plain(self, sql, parameters)
Session.rows = rows
provider.create_committer(CommitContext("job")).commit(messages)
"""


@pytest.mark.parametrize("point", [0, 2, 4, 6, 8])
def test_a_commit_that_is_killed_can_be_repeated(point: int) -> None:
    """``point`` is the number of statements that the committer sends before it dies."""
    table = new_table("id int4 PRIMARY KEY, name text, written int4 DEFAULT 0", [(1, "old", 0)])
    provider = provider_of(Upserts(), table)
    messages = write_rows(provider, Upserts().row_type, [[(1, "a")], [(2, "b")]])
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], input=pickle.dumps((provider, messages, point)), check=False, env=dict(os.environ)
    )
    assert killed.returncode == -signal.SIGKILL
    assert stored(table) in ([(1, "old")], [(1, "a"), (2, "b")])
    pickle.loads(pickle.dumps(provider)).create_committer(CommitContext("job")).commit(messages)
    assert stored(table) == [(1, "a"), (2, "b")]
    assert tables_in(table) == {"tested", EPOCHS}


def test_a_connection_that_is_lost_within_a_commit_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from connector_jdbc.database import Session

    table = new_table("id int4 PRIMARY KEY, name text")
    provider = provider_of(Upserts(), table)
    messages = write_rows(provider, Upserts().row_type, [[(1, "a")]])
    plain = Session.rows
    ended = []

    def rows(self: Session, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        if sql == "COMMIT" and not ended:
            ended.append(plain(self, "SELECT pg_backend_pid()")[0][0])
            with database().session() as other:
                plain(other, f"SELECT pg_terminate_backend({ended[0]}, 5000)")
        return plain(self, sql, parameters)

    monkeypatch.setattr(Session, "rows", rows)
    monkeypatch.setattr("connector_jdbc.database.time.sleep", lambda seconds: None)
    provider.create_committer(CommitContext("job")).commit(messages)
    assert ended
    assert stored(table) == [(1, "a")]
