from __future__ import annotations

import itertools

import pytest
from cdc_server import Scan, new_table, provider_of, run

import connector_postgres_cdc.cursor as cursors
from connector_jdbc import state_of
from connector_postgres_cdc.cursor import LogCursor, when_free
from connector_postgres_cdc.messages import MessageBuffer
from table_common.exceptions import TableError, TableRuntimeException


def temporary() -> int:
    count: int = run("SELECT count(*) FROM pg_replication_slots WHERE temporary")[0][0]
    return count


def test_a_cursor_reads_on_with_one_temporary_slot() -> None:
    table = new_table("id int PRIMARY KEY")
    scan = Scan(provider_of(table, "id INT NOT NULL"))
    scan.next()
    state, capture = scan.provider.state, scan.provider.capture
    start, before = scan.offset["lsn"], temporary()  # type: ignore[index]
    cursor = LogCursor(capture)
    kinds = []
    for number in range(3):
        run(f"INSERT INTO {table} VALUES ({number})")
        end = state.flushed(capture)
        kinds.append([bytes(MessageBuffer(data).kinds) for data in cursor.read(start, end)])
        assert cursor.position == end
        start = end
    assert kinds == [[b"BRIC"]] * 3
    assert temporary() == before + 1
    list(itertools.islice(cursor.read(scan.offset["lsn"], start), 1))  # type: ignore[index]
    cursor.close()
    assert temporary() == before
    scan.close()


def test_the_end_of_the_last_transaction_is_found_in_the_server() -> None:
    table = new_table("id int PRIMARY KEY")
    scan = Scan(provider_of(table, "id INT NOT NULL"), is_in_process=False)
    scan.next()
    run(f"INSERT INTO {table} VALUES (1)", f"INSERT INTO {table} VALUES (2)")
    cursor, capture = LogCursor(scan.provider.capture), scan.provider.capture
    start = scan.offset["lsn"]  # type: ignore[index]
    end = scan.provider.state.flushed(capture)
    first = cursor.last_commit(start, end, 1)
    assert first is not None
    last = cursor.last_commit(first, end)
    assert last is not None
    assert start < first < last <= end
    assert cursor.last_commit(end, end) is None
    cursor.close()
    scan.close()


def test_a_slot_in_use_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    error = TableRuntimeException("in use")
    error.sql_state = "55006"  # type: ignore[attr-defined]
    assert state_of(error) == "55006"
    calls = iter([error, error, None])

    def call() -> None:
        if (failure := next(calls)) is not None:
            raise failure

    when_free(call)
    monkeypatch.setattr(cursors, "_BUSY_SECONDS", 0.0)
    calls = iter([error] * 9)
    with pytest.raises(TableError):
        when_free(call)
