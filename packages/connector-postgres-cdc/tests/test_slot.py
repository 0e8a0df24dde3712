"""What a server, a slot or a publication lacks is said with the statement that mends it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator

import pytest
from cdc_server import SETTINGS, Scan, Server, new_table, provider_of, run, server, source_of

import connector_postgres_cdc.slot as slots
from table_common.exceptions import TableError

COLUMNS = "id INT NOT NULL, v INT"
TABLE = "id int PRIMARY KEY, v int"


def slot_of(table: str) -> str:
    return f"slot_{table.partition('.')[0]}"


def failure(table: str, **options: str) -> str:
    """Returns the error of a scan that begins, with its hint."""
    with pytest.raises(TableError) as caught:
        Scan(provider_of(table, COLUMNS, **options))
    return f"{caught.value} {caught.value.hint}"


@pytest.fixture
def user() -> Iterator[str]:
    name = f"u{uuid.uuid4().hex[:8]}"
    run(f"CREATE ROLE {name} LOGIN")
    yield name
    run(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def granted(table: str, user: str) -> None:
    run(f"GRANT USAGE ON SCHEMA {table.partition('.')[0]} TO {user}", f"GRANT SELECT ON {table} TO {user}")


def test_a_user_without_replication_is_told_the_statement(user: str) -> None:
    table = new_table(TABLE)
    granted(table, user)
    assert f'run ALTER ROLE "{user}" REPLICATION' in failure(table, username=user)


def test_a_user_who_does_not_own_the_table_is_told_the_statement(user: str) -> None:
    table = new_table(TABLE)
    granted(table, user)
    run(f"ALTER ROLE {user} REPLICATION")
    text = failure(table, username=user)
    schema = table.partition(".")[0]
    assert f'let the owner of the tables run CREATE PUBLICATION "{slot_of(table)}" FOR TABLE "{schema}"."tested"' in text
    run(f"CREATE PUBLICATION {schema} FOR TABLE {table}")
    scan = Scan(provider_of(table, COLUMNS, username=user, publication__name=schema))
    assert scan.next() == []
    scan.close()


def test_a_publication_without_the_table_is_told_the_statement() -> None:
    table, other = new_table(TABLE), new_table(TABLE)
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {other}")
    options = {"publication__name": f"p_{slot_of(table)}"}
    assert f'run ALTER PUBLICATION "p_{slot_of(table)}" ADD TABLE "{table.partition(".")[0]}"."tested"' in failure(table, **options)


def test_a_publication_without_all_changes_is_told_the_statement() -> None:
    table = new_table(TABLE)
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {table} WITH (publish = 'insert')")
    assert "SET (publish = 'insert, update, delete, truncate')" in failure(table, publication__name=f"p_{slot_of(table)}")


def test_a_publication_without_a_column_is_told_the_statement() -> None:
    table = new_table(TABLE, full=False)
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {table} (id)")
    with pytest.raises(TableError, match="does not have the column 'v'"):
        Scan(provider_of(table, COLUMNS, ("id",), publication__name=f"p_{slot_of(table)}"))


def test_a_publication_without_truncate_is_told_the_statement() -> None:
    table = new_table(TABLE)
    options = {"publication__name": f"p_{slot_of(table)}"}
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {table} WITH (publish = 'insert, update, delete')")
    assert "SET (publish = 'insert, update, delete, truncate'); 'scan.on-truncate' = 'ignore'" in failure(table, **options)
    Scan(provider_of(table, COLUMNS, scan__on_truncate="ignore", **options)).close()


def test_a_publication_of_some_rows_is_told_the_statement() -> None:
    table = new_table(TABLE)
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {table} WHERE (v > 10)")
    text = failure(table, publication__name=f"p_{slot_of(table)}")
    assert "has only the rows of" in text
    assert "(v > 10)" in text
    assert f'run ALTER PUBLICATION "p_{slot_of(table)}" DROP TABLE' in text


def test_a_publication_of_partitions_is_told_the_statement() -> None:
    table = new_table(TABLE)
    run(f"CREATE TABLE {table}_p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)", f"ALTER TABLE {table}_p REPLICA IDENTITY FULL")
    run(f"CREATE PUBLICATION p_{slot_of(table)} FOR TABLE {table}_p")
    text = failure(f"{table}_p", publication__name=f"p_{slot_of(table)}")
    assert "SET (publish_via_partition_root = true)" in text


def test_a_slot_of_something_else_is_refused() -> None:
    table = new_table(TABLE)
    run(f"SELECT 1 FROM pg_create_physical_replication_slot('{slot_of(table)}')")
    text = failure(table)
    assert "is physical, not one of pgoutput" in text
    assert f"SELECT pg_drop_replication_slot('{slot_of(table)}')" in text


def test_a_name_that_no_slot_can_have_is_refused() -> None:
    assert "lower-case letters, digits and _" in failure(new_table(TABLE), slot__name="No Slot")
    assert not run("SELECT 1 FROM pg_publication WHERE pubname = 'No Slot'")


def test_a_slot_that_is_dropped_under_its_job_is_said() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"INSERT INTO {table} VALUES (1, 1)")
    end = scan.provider.latest_offset(scan.offset)
    run(f"SELECT pg_drop_replication_slot('{slot_of(table)}')")
    with pytest.raises(TableError, match=f"The replication slot '{slot_of(table)}' was dropped while the job read it"):
        scan.provider.commit(end)
    scan.close()


def test_a_slot_that_another_job_reads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_LOCK_SECONDS", 0.2)
    table = new_table(TABLE)
    first = Scan(provider_of(table, COLUMNS))
    text = failure(table)
    assert f"Another job reads the replication slot '{slot_of(table)}'" in text
    assert "SELECT pg_terminate_backend(" in text
    first.close()


def test_a_slot_is_free_soon_after_its_job_was_killed() -> None:
    table = new_table(TABLE)
    first = Scan(provider_of(table, COLUMNS))
    pid = run("SELECT pid::int4 FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1 DESC LIMIT 1")[0][0]
    run(f"SELECT pg_terminate_backend({pid})")
    second = Scan(provider_of(table, COLUMNS))
    assert second.next() == []
    second.close()
    first.close()


def test_a_slot_that_is_gone_stops_a_job_that_continues() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    scan.close()
    run(f"SELECT pg_drop_replication_slot('{slot_of(table)}')")
    with pytest.raises(TableError, match="does not exist any more, so changes are missing") as caught:
        Scan(provider_of(table, COLUMNS), scan.offset).next()
    assert "start the job without its checkpoint" in str(caught.value.hint)


def test_a_slot_that_was_moved_on_stops_a_job_that_continues() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    scan.close()
    run(f"INSERT INTO {table} VALUES (1, 1)", f"SELECT 1 FROM pg_replication_slot_advance('{slot_of(table)}', pg_current_wal_lsn())")
    with pytest.raises(TableError, match="was moved on by another reader, or created again, so"):
        Scan(provider_of(table, COLUMNS), scan.offset).next()


def test_an_offset_of_another_server_stops_the_job() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    scan.close()
    with pytest.raises(TableError, match="ends before the position of the job"):
        Scan(provider_of(table, COLUMNS), {"lsn": 1 << 60}).next()


def test_a_slot_that_the_server_gave_up_is_lost() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    scan.close()
    try:
        run("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'", "SELECT pg_reload_conf()")
        for _ in range(30):
            run("SELECT pg_switch_wal()::text", f"INSERT INTO {table} VALUES (1, 1) ON CONFLICT DO NOTHING", "CHECKPOINT")
            if run(f"SELECT wal_status FROM pg_replication_slots WHERE slot_name = '{slot_of(table)}'") == [("lost",)]:
                break
            time.sleep(0.1)
        with pytest.raises(TableError, match="is lost: the server has removed the log"):
            Scan(provider_of(table, COLUMNS), scan.offset).next()
    finally:
        run("ALTER SYSTEM RESET max_slot_wal_keep_size", "SELECT pg_reload_conf()")


def test_a_committed_offset_needs_a_slot() -> None:
    assert "has no replication slot" in failure(new_table(TABLE), scan__startup__mode="committed-offset")


def test_a_server_without_logical_decoding_or_free_slots_is_told_the_setting() -> None:
    small = Server({**SETTINGS, "wal_level": "replica", "max_replication_slots": "1"})
    try:
        small.run("CREATE TABLE t (id int PRIMARY KEY, v int)", "ALTER TABLE t REPLICA IDENTITY FULL")
        options = {"url": small.url, "slot__name": "a"}
        assert "ALTER SYSTEM SET wal_level = 'logical'" in failure("public.t", **options)
        small.run("ALTER SYSTEM SET wal_level = 'logical'")
        small.restart()
        scan = Scan(provider_of("public.t", COLUMNS, **options))
        small.run("INSERT INTO t VALUES (1, 1)")
        with pytest.raises(TableError, match="no free replication slot") as caught:
            scan.next()
        assert "raise max_replication_slots" in str(caught.value.hint)
        scan.close()
        assert "raise max_replication_slots" in failure("public.t", **{**options, "slot__name": "b"})
    finally:
        small.stop()


def test_the_end_of_a_job_names_the_slot_or_drops_it(caplog: pytest.LogCaptureFixture) -> None:
    table = new_table(TABLE)
    Scan(provider_of(table, COLUMNS)).close()
    assert f"run SELECT pg_drop_replication_slot('{slot_of(table)}')" in caplog.text
    scan = Scan(provider_of(table, COLUMNS, slot__drop_on_stop="true"))
    scan.next()
    scan.close()
    assert run(f"SELECT 1 FROM pg_replication_slots WHERE slot_name = '{slot_of(table)}'") == []


def test_a_job_that_is_behind_is_warned(caplog: pytest.LogCaptureFixture) -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS, slot__lag_warning="1 bytes"))
    run(f"INSERT INTO {table} VALUES (1, 1)")
    scan.next()
    assert "bytes of its log for the replication slot" in caplog.text
    scan.close()


def test_passwords_are_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table(TABLE)
    source = source_of(table, COLUMNS, password="never-shown")
    assert "never-shown" not in f"{source!r} {source.as_summary_string()} {source.capture!r}"
    server().stop()
    try:
        with pytest.raises(TableError) as caught:
            source.capture.open()
        assert "never-shown" not in f"{caught.value!r} {caught.value} {caught.value.hint}"
    finally:
        server().start()
