"""A job whose tables, columns or publication are other ones says so, while it runs and when it continues; nothing is lost silently."""

from __future__ import annotations

import logging

import pytest
from cdc_server import Scan, new_table, provider_of, run

import connector_postgres_cdc.table_watch as table_watch
from table_common.exceptions import TableError, TableRuntimeException

COLUMNS = "id INT NOT NULL, v INT"
TABLE = "id int PRIMARY KEY, v int"
RECREATE = ("DROP TABLE {t}", "CREATE TABLE {t} (id int PRIMARY KEY, v int)", "ALTER TABLE {t} REPLICA IDENTITY FULL")
CHANGES = {
    "dropped": (RECREATE[:1], "was dropped, so changes are missing"),
    "created again": (RECREATE, "was dropped and created again"),
    "renamed": (("ALTER TABLE {t} RENAME TO other",), r"was renamed to s\w+\.other"),
    "another schema": (("ALTER TABLE {t} SET SCHEMA public", "ALTER TABLE public.tested RENAME TO x{s}"), r"was renamed to public\.x"),
    "taken out": (("ALTER PUBLICATION slot_{s} DROP TABLE {t}",), "was taken out of the publication"),
    "taken out and added": (("ALTER PUBLICATION slot_{s} DROP TABLE {t}", "ALTER PUBLICATION slot_{s} ADD TABLE {t}"), "added again to"),
    "publication dropped": (("DROP PUBLICATION slot_{s}",), "The publication 'slot_.*' was dropped, so"),
    "publication created": (("DROP PUBLICATION slot_{s}", "CREATE PUBLICATION slot_{s} FOR TABLE {t}"), "was dropped and created again"),
    "column replaced": (("ALTER TABLE {t} DROP COLUMN v", "ALTER TABLE {t} ADD COLUMN v int DEFAULT 7"), "column 'v' of .* is another one"),
    "rewritten": (("ALTER TABLE {t} ALTER COLUMN v TYPE int USING v * 10",), "column 'v' of .* was rewritten"),
    "identity": (("ALTER TABLE {t} REPLICA IDENTITY DEFAULT",), "does not have REPLICA IDENTITY FULL now"),
}


def changed(table: str, statements: tuple[str, ...]) -> None:
    run(*(statement.replace("{t}", table).replace("{s}", table.partition(".")[0]) for statement in statements))


@pytest.fixture(autouse=True)
def always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_watch, "_SECONDS", 0.0)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_another_one_stops_the_job(name: str) -> None:
    statements, message = CHANGES[name]
    table = new_table(TABLE, "INSERT INTO {t} VALUES (1, 1)")
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    provider = provider_of(table, COLUMNS)
    changed(table, statements)
    with pytest.raises(TableRuntimeException, match=message) as caught:
        scan.next()
    assert "run " in str(caught.value.hint)
    scan.close()
    continued = Scan(provider, scan.offset)
    with pytest.raises(TableRuntimeException, match=message):
        continued.next()
    continued.close()


def test_what_does_not_change_rows_does_not_stop_the_job() -> None:
    table = new_table(TABLE + ", w varchar(5)", "INSERT INTO {t} VALUES (1, 1)")
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    for statement in (
        f"VACUUM FULL {table}",
        f"ALTER TABLE {table} ALTER v SET STATISTICS 50, ALTER v SET NOT NULL",
        f"ALTER TABLE {table} ADD COLUMN x float8 DEFAULT random()",
        f"ALTER TABLE {table} ALTER w TYPE varchar(9)",
        f"CREATE INDEX ON {table} (v)",
    ):
        run(statement, f"UPDATE {table} SET v = v + 1")
        assert [row[0] for row in scan.next()] == ["-U", "+U"], statement
    scan.close()


def test_a_table_that_had_another_name_for_a_while_stops_the_job() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    schema = table.partition(".")[0]
    run(f"ALTER TABLE {table} RENAME TO other", f"INSERT INTO {schema}.other VALUES (1, 1)", f"ALTER TABLE {schema}.other RENAME TO tested")
    with pytest.raises(TableRuntimeException, match="was renamed to"):
        scan.next()
    scan.close()


def test_swapped_names_of_columns_stop_the_job() -> None:
    table = new_table("id int PRIMARY KEY, a int, b int")
    scan = Scan(provider_of(table, "id INT NOT NULL, a INT, b INT"))
    scan.next()
    run(*(f"ALTER TABLE {table} RENAME {names}" for names in ("a TO x", "b TO a", "x TO b")))
    with pytest.raises(TableRuntimeException, match=r"The column 'a' of .* is another one now"):
        scan.next()
    scan.close()


def test_a_publication_that_has_less_changes_stops_the_job() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS, heartbeat__interval__ms="1 ms"))
    scan.next()
    run(f"ALTER PUBLICATION slot_{table.partition('.')[0]} SET (publish = 'insert')", f"INSERT INTO {table} VALUES (1, 1)")
    with pytest.raises(TableError, match="does not have all changes"):
        scan.next()
    scan.close()


def test_a_new_table_of_the_pattern_is_said(caplog: pytest.LogCaptureFixture) -> None:
    table = new_table(TABLE)
    pattern = f"{table}.*"
    scan = Scan(provider_of(pattern, COLUMNS, heartbeat__interval__ms="1 ms"))
    scan.next()
    run(f"CREATE TABLE {table}_new ({TABLE})", f"ALTER TABLE {table}_new REPLICA IDENTITY FULL", f"INSERT INTO {table} VALUES (1, 1)")
    with caplog.at_level(logging.WARNING):
        assert scan.next() == [("+I", 1, 1)]
    assert f"{table}_new' matches 'table-name', but is not read" in caplog.text
    assert 'ADD TABLE "' in caplog.text
    scan.close()
    continued = Scan(provider_of(pattern, COLUMNS), scan.offset)
    with pytest.raises(TableRuntimeException, match="_new' matches 'table-name' now, but its rows were not copied"):
        continued.next()
    continued.close()


def test_a_new_partition_without_old_rows_is_named() -> None:
    table = new_table("id int") + "_p"
    run(f"CREATE TABLE {table} ({TABLE}) PARTITION BY RANGE (id)", f"ALTER TABLE {table} REPLICA IDENTITY FULL")
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"CREATE TABLE {table}1 PARTITION OF {table} FOR VALUES FROM (0) TO (9)", f"INSERT INTO {table} VALUES (1, 1)")
    with pytest.raises(TableRuntimeException, match=f"The partition {table}1 of") as caught:
        scan.next()
    assert f"run ALTER TABLE {table}1 REPLICA IDENTITY FULL" in str(caught.value.hint)
    scan.close()
    run(f"ALTER TABLE {table}1 REPLICA IDENTITY FULL")
    continued = Scan(provider_of(table, COLUMNS), scan.offset)
    assert continued.next() == [("+I", 1, 1)]
    continued.close()


def test_a_key_that_the_log_has_no_longer_stops_the_job() -> None:
    table = new_table("id int PRIMARY KEY, v int NOT NULL UNIQUE", "INSERT INTO {t} VALUES (1, 1)", full=False)
    scan = Scan(provider_of(table, COLUMNS, ("id",)))
    scan.next()
    run(f"ALTER TABLE {table} REPLICA IDENTITY USING INDEX tested_v_key", f"DELETE FROM {table} WHERE id = 1")
    with pytest.raises(TableRuntimeException, match="without the old value of its key column 'id'"):
        scan.next()
    scan.close()


def test_a_column_that_is_read_after_a_new_start_is_said(caplog: pytest.LogCaptureFixture) -> None:
    table = new_table(TABLE, "INSERT INTO {t} VALUES (1, 1)")
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    scan.close()
    run(f"ALTER TABLE {table} ADD COLUMN w int DEFAULT 7", f"INSERT INTO {table} VALUES (2, 2)")
    continued = Scan(provider_of(table, COLUMNS + ", w INT"), scan.offset)
    with caplog.at_level(logging.WARNING):
        assert continued.next() == [("+I", 2, 2, 7)]
    assert "got the column 'w' after the job began: rows that were read before keep NULL" in caplog.text
    continued.close()
