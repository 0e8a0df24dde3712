"""Copies and changes of live tables: what a job reads, also after restarts of the job and of the server."""

from __future__ import annotations

import json
import pickle
import random
import threading
import time
from typing import Any

import pytest
from cdc_server import Scan, new_schema, new_table, provider_of, run, server

from table_common.connector import ReadLimit
from table_common.exceptions import TableError, TableRuntimeException

COLUMNS = "id INT NOT NULL, v INT, s STRING"
TABLE = "id int PRIMARY KEY, v int, s text"


def applied(changes: list[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Returns the rows by key that remain of changes; fails if an old row is not the one before."""
    rows: dict[int, tuple[Any, ...]] = {}
    for kind, *values in changes:
        if kind in ("-U", "-D"):
            assert rows.pop(values[0]) == tuple(values), (kind, values)
        else:
            assert values[0] not in rows, (kind, values)
            rows[values[0]] = tuple(values)
    return rows


def stored(table: str) -> dict[int, tuple[Any, ...]]:
    return {row[0]: row for row in run(f"SELECT * FROM {table}")}


class Writer(threading.Thread):
    """Changes rows in transactions, some of which are rolled back."""

    def __init__(self, table: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._table, self._chosen, self._stop_event = table, random.Random(seed), threading.Event()

    def run(self) -> None:
        with server().database().session() as session:
            while not self._stop_event.is_set():
                session.rows("BEGIN")
                for _ in range(self._chosen.randrange(1, 6)):
                    key = self._chosen.randrange(400)
                    statement = self._chosen.choice(
                        [
                            f"UPDATE {self._table} SET v = coalesce(v, 0) + 1 WHERE id = {key}",
                            f"DELETE FROM {self._table} WHERE id = {key}",
                            f"INSERT INTO {self._table} VALUES ({key}, 0, 'new') ON CONFLICT (id) DO UPDATE SET s = 'again'",
                            f"UPDATE {self._table} SET id = id + 400 WHERE id = {key} AND NOT EXISTS (SELECT FROM {self._table} WHERE id = {key + 400})",
                            "SAVEPOINT a",
                        ]
                    )
                    try:
                        session.rows(statement)
                    except TableError:
                        break  # a deadlock, or a key that came twice
                try:
                    session.rows(self._chosen.choice(["COMMIT", "COMMIT", "ROLLBACK"]))
                except TableError:
                    session.rows("ROLLBACK")

    def stop(self) -> None:
        self._stop_event.set()
        self.join()


@pytest.mark.parametrize("is_in_process", [True, False])
def test_copy_and_log_meet_without_a_row_lost_or_doubled_under_load(is_in_process: bool) -> None:
    table = new_table(TABLE, "INSERT INTO {t} SELECT i, 0, 'first' FROM generate_series(0, 300) AS i")
    writers = [Writer(table, seed) for seed in range(2)]
    for writer in writers:
        writer.start()
    try:
        scans = []
        for number in range(4):
            provider = provider_of(table, COLUMNS, slot__name=f"load_{int(is_in_process)}_{number}")
            scan = Scan(provider, is_in_process=is_in_process)
            scans.append((scan, scan.next(ReadLimit(rows=50), ranges=20)))
    finally:
        for writer in writers:
            writer.stop()
    for scan, changes in scans:
        changes += scan.next(ReadLimit(rows=100))
        assert applied(changes) == stored(table)
        scan.close()


def test_a_restarted_copy_continues_after_its_last_part() -> None:
    table = new_table(TABLE, "INSERT INTO {t} SELECT i, 0, 'first' FROM generate_series(1, 100) AS i")
    first = Scan(provider_of(table, COLUMNS))
    changes: list[tuple[Any, ...]] = []
    for _ in range(3):
        end = first.provider.latest_offset(first.offset, ReadLimit(rows=20))
        assert not first.provider.is_repeatable(first.offset, end)
        changes += first.read(first.offset, end)
        first.offset = end
    position = json.loads(json.dumps(first.offset))
    first.close()
    run(
        f"UPDATE {table} SET v = 1 WHERE id IN (5, 95)",
        f"UPDATE {table} SET id = 200 WHERE id = 6",
        f"DELETE FROM {table} WHERE id = 96",
        f"INSERT INTO {table} VALUES (0, 0, 'new')",
    )
    second = Scan(provider_of(table, COLUMNS), position)
    rest = second.next(ReadLimit(rows=20))
    assert len([row for row in rest if row[0] == "+I" and row[3] == "first"]) == 40, "the parts before are not copied again"
    run(
        f"UPDATE {table} SET v = 2 WHERE id IN (5, 95)",
        f"UPDATE {table} SET id = 4000 WHERE id = 1",
        f"UPDATE {table} SET id = 1 WHERE id = 90",
    )
    rest += second.next()
    assert applied(changes + rest) == stored(table)
    second.close()


def test_ranges_of_the_log_are_read_again_by_another_process() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    start = scan.offset
    run(*(f"INSERT INTO {table} VALUES ({number}, 1, 'x')" for number in range(30)))
    ranges = []
    for _ in range(3):
        end = scan.provider.latest_offset(start, ReadLimit(rows=10))
        assert scan.provider.is_repeatable(start, end)
        ranges.append((start, end, scan.read(start, end)))
        start = end
    assert [row[1] for *_, rows in ranges for row in rows] == list(range(len([row for *_, rows in ranges for row in rows])))
    again = Scan(pickle.loads(pickle.dumps(scan.provider)), ranges[0][0], is_in_process=False)
    for start, end, rows in reversed(ranges):
        assert again.read(start, end) == rows
    assert ranges[0][2]
    assert len(ranges[0][2]) <= 10
    scan.close()


def test_the_slot_moves_with_commits_only() -> None:
    table = new_table(TABLE)
    slot = f"slot_{table.partition('.')[0]}"
    query = f"SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = '{slot}'"
    scan = Scan(provider_of(table, COLUMNS))
    before = run(query)
    run(f"INSERT INTO {table} VALUES (1, 1, 'x')")
    assert len(scan.next(commits=False)) == 1
    assert run(query) == before
    scan.provider.commit(scan.offset)
    assert run(query) != before
    scan.close()


def test_changes_before_the_offset_are_left_out_although_the_slot_shows_them() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"INSERT INTO {table} VALUES (1, 1, 'x')")
    assert len(scan.next(commits=False)) == 1
    offset = scan.offset
    scan.close()
    run(f"INSERT INTO {table} VALUES (2, 2, 'y')")
    again = Scan(provider_of(table, COLUMNS), offset)
    assert again.next() == [("+I", 2, 2, "y")]
    again.close()


def test_the_slot_follows_while_only_other_tables_change() -> None:
    table, other = new_table(TABLE), new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS, heartbeat__interval__ms="1 s"))
    scan.next()
    run(f"INSERT INTO {other} SELECT i FROM generate_series(1, 1000) AS i")
    scan.provider.state.beat()
    assert scan.provider.latest_offset(scan.offset) == scan.offset
    time.sleep(1.05)
    assert scan.provider.wait(scan.offset, 1.0)
    end = scan.provider.latest_offset(scan.offset)
    assert end != scan.offset
    assert scan.read(scan.offset, end) == []
    scan.close()


def test_waiting_ends_soon_after_a_commit() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    assert not scan.provider.wait(scan.offset, 0.05)
    seconds = []
    for number in range(20):
        threading.Timer(0.05, run, [f"INSERT INTO {table} VALUES ({number})"]).start()
        time.sleep(0.01)
        while not (rows := scan.next()):
            scan.provider.wait(scan.offset, 0.2)
        assert rows == [("+I", number, None, None)]
        seconds.append(time.monotonic())
    scan.close()


def test_a_server_that_was_killed_continues() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"INSERT INTO {table} VALUES (1, 1, 'x')")
    found = scan.next()
    server().kill()
    server().start()
    run(f"INSERT INTO {table} VALUES (2, 2, 'y')")
    found += scan.next()
    server().restart()
    run(f"INSERT INTO {table} VALUES (3, 3, 'z')")
    found += scan.next()
    assert applied(found) == stored(table)
    scan.close()


def test_a_long_transaction_is_read_as_a_stream() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"INSERT INTO {table} SELECT i, i, repeat('x', 2000) FROM generate_series(1, 40000) AS i")
    end = scan.provider.latest_offset(scan.offset, ReadLimit(rows=10))
    (split,) = scan.provider.plan(scan.offset, end)
    sizes = [batch.num_rows for batch in scan.provider.create_reader().read(split)]
    assert sum(sizes) == 40_000
    assert max(sizes) < 20_000
    scan.close()


def test_tables_of_a_pattern_are_one_source() -> None:
    schema = new_schema()
    for number in range(3):
        run(
            f"CREATE TABLE {schema}.orders_{number} (id int PRIMARY KEY, v int)",
            f"ALTER TABLE {schema}.orders_{number} REPLICA IDENTITY FULL",
        )
        run(f"INSERT INTO {schema}.orders_{number} VALUES (1, {number})")
    run(f"CREATE TABLE {schema}.others (id int PRIMARY KEY)")
    scan = Scan(provider_of(f"{schema}.orders_.*", "id INT NOT NULL, v INT"))
    assert sorted(scan.next()) == [("+I", 1, 0), ("+I", 1, 1), ("+I", 1, 2)]
    run("BEGIN", *(f"UPDATE {schema}.orders_{number} SET v = 9" for number in (2, 0)), "COMMIT")
    assert scan.next() == [("-U", 1, 2), ("+U", 1, 9), ("-U", 1, 0), ("+U", 1, 9)]
    scan.close()


def test_partitioned_tables_are_one_table() -> None:
    schema = new_schema()
    run(
        f"CREATE TABLE {schema}.p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)",
        f"CREATE TABLE {schema}.p1 PARTITION OF {schema}.p FOR VALUES FROM (0) TO (10)",
        f"CREATE TABLE {schema}.p2 PARTITION OF {schema}.p DEFAULT",
        *(f"ALTER TABLE {schema}.{name} REPLICA IDENTITY FULL" for name in ("p", "p1", "p2")),
        f"INSERT INTO {schema}.p VALUES (1, 1), (11, 11)",
    )
    scan = Scan(provider_of(f"{schema}.p", "id INT NOT NULL, v INT"))
    assert sorted(scan.next()) == [("+I", 1, 1), ("+I", 11, 11)]
    run(f"UPDATE {schema}.p SET v = 5", f"UPDATE {schema}.p SET id = 12 WHERE id = 1")
    assert scan.next() == [("-U", 1, 1), ("+U", 1, 5), ("-U", 11, 11), ("+U", 11, 5), ("-D", 1, 5), ("+I", 12, 5)]
    scan.close()


def test_changes_of_columns() -> None:
    table = new_table(TABLE)
    scan = Scan(provider_of(table, COLUMNS))
    scan.next()
    run(f"ALTER TABLE {table} ADD COLUMN more int DEFAULT 7", f"INSERT INTO {table} VALUES (1, 1, 'x', 2)")
    assert scan.next() == [("+I", 1, 1, "x")]
    start = scan.offset
    run(f"ALTER TABLE {table} ALTER COLUMN v TYPE int8", f"INSERT INTO {table} VALUES (2, 2, 'y', 2)")
    with pytest.raises(TableRuntimeException, match=r"The column 'v' of .* is bigint now, and was integer") as caught:
        scan.next()
    assert "ALTER TABLE … MODIFY `v`" in str(caught.value.hint)
    scan.close()
    new = Scan(provider_of(table, "id INT NOT NULL, v BIGINT, s STRING, more INT"), start)
    assert new.next() == [("+I", 2, 2, "y", 2)]
    run(f"ALTER TABLE {table} DROP COLUMN s", f"INSERT INTO {table} VALUES (3, 3, 3)")
    with pytest.raises(TableRuntimeException, match="has no column 's' any more"):
        new.next()
    new.close()


def test_modes_without_copy() -> None:
    table = new_table(TABLE, "INSERT INTO {t} VALUES (1, 1, 'x')")
    latest = Scan(provider_of(table, COLUMNS, scan__startup__mode="latest-offset"))
    assert latest.next() == []
    run(f"INSERT INTO {table} VALUES (2, 2, 'y')")
    latest.close()
    committed = Scan(provider_of(table, COLUMNS, scan__startup__mode="committed-offset"))
    assert committed.next() == [("+I", 2, 2, "y")]
    committed.close()
    run(f"INSERT INTO {table} VALUES (3, 3, 'z')")
    latest = Scan(provider_of(table, COLUMNS, scan__startup__mode="latest-offset"))
    assert latest.next() == []
    latest.close()
