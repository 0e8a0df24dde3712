from __future__ import annotations

import pickle

import pytest
from cdc_server import Scan, new_table, provider_of, run, server

import connector_postgres_cdc.driver_state as driver_state
from connector_postgres_cdc.driver_state import DriverState


def test_messages_wait_for_the_reader_of_the_process() -> None:
    table = new_table("id int PRIMARY KEY")
    scan = Scan(provider_of(table, "id INT NOT NULL"))
    scan.next()
    run(f"INSERT INTO {table} VALUES (1)")
    provider, state = scan.provider, scan.provider.state
    start = scan.offset["lsn"]  # type: ignore[index]
    end = provider.latest_offset(scan.offset)
    assert provider.latest_offset(scan.offset) == end, "the range is the same until it is read"
    assert state.take(start, 7) is None
    assert state.take(start, end["lsn"]) is not None  # type: ignore[index]
    assert state.take(start, end["lsn"]) is None  # type: ignore[index]
    assert scan.read(scan.offset, end) == [("+I", 1)], "a reader without them reads the log"
    scan.close()


def test_many_messages_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_state, "_MOST_BYTES", 100)
    table = new_table("id int PRIMARY KEY")
    scan = Scan(provider_of(table, "id INT NOT NULL"))
    scan.next()
    run(f"INSERT INTO {table} SELECT i FROM generate_series(1, 100) AS i")
    end = scan.provider.latest_offset(scan.offset)
    assert scan.provider.state.take(scan.offset["lsn"], end["lsn"]) is None  # type: ignore[index]
    assert len(scan.read(scan.offset, end)) == 100
    scan.close()


def test_copies_are_empty() -> None:
    state = DriverState()
    state.has_reader = True
    assert not pickle.loads(pickle.dumps(state)).has_reader


def test_a_lost_session_is_opened_again() -> None:
    table = new_table("id int PRIMARY KEY")
    scan = Scan(provider_of(table, "id INT NOT NULL"))
    scan.next()
    run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
    run(f"INSERT INTO {table} VALUES (1)")
    assert scan.next() == [("+I", 1)]
    scan.close()
    assert server().url
