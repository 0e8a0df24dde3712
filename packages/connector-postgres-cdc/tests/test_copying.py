from __future__ import annotations

import pytest
from cdc_server import Scan, new_table, provider_of, run

from connector_postgres_cdc.copying import Part, Snapshot, copy_parts, parts_between
from connector_postgres_cdc.offsets import Position
from table_common.connector import ReadLimit
from table_common.exceptions import TableError

COLUMNS = "id BIGINT NOT NULL, v INT"


def test_parts_are_copied_over_several_connections_in_one_order() -> None:
    table = new_table("id int8 PRIMARY KEY, v int", "INSERT INTO {t} SELECT i * 3, i FROM generate_series(-500, 500) AS i")
    provider = provider_of(table, COLUMNS, scan__incremental__snapshot__chunk__size="100", scan__incremental__snapshot__parallelism="3")
    scan = Scan(provider)
    end = provider.latest_offset(scan.offset)
    rows = scan.read(scan.offset, end)
    assert [row[1] for row in rows] == [i * 3 for i in range(-500, 501)]
    assert scan.read(scan.offset, end) == rows
    scan.close()


@pytest.mark.parametrize("key", ["text", "uuid", "numeric"])
def test_tables_of_other_keys_are_one_part(key: str) -> None:
    value = "md5(i::text)::uuid" if key == "uuid" else f"i::{key}"
    table = new_table(f"id {key} PRIMARY KEY, v int", f"INSERT INTO {{t}} SELECT {value}, i FROM generate_series(1, 50) AS i")
    scan = Scan(provider_of(table, "v INT"))
    end = scan.provider.latest_offset(scan.offset, ReadLimit(rows=10))
    assert parts_between(scan.provider.capture, Position.of(scan.offset), Position.of(end)) == [Part(0, None, None)]
    assert sorted(row[1] for row in scan.read(scan.offset, end)) == list(range(1, 51))
    scan.close()


def test_the_largest_key_ends_the_last_part() -> None:
    last = (1 << 63) - 1
    table = new_table("id int8 PRIMARY KEY, v int", f"INSERT INTO {{t}} VALUES ({-last - 1}, 1), (0, 2), ({last - 1}, 3), ({last}, 4)")
    scan = Scan(provider_of(table, COLUMNS, scan__incremental__snapshot__chunk__size="1"))
    assert [row[2] for row in scan.next(ReadLimit(rows=1))] == [1, 2, 3, 4]
    scan.close()


def test_a_snapshot_that_has_ended_is_said_so() -> None:
    table = new_table("id int8 PRIMARY KEY, v int")
    capture = provider_of(table, COLUMNS).capture
    snapshot = Snapshot(capture)
    assert list(copy_parts(capture, [Part(0, None, 5)], snapshot.exported)) == []
    snapshot.close()
    run("SELECT 1")
    with pytest.raises(TableError, match="has ended with its session"):
        list(copy_parts(capture, [Part(0, None, 5)], snapshot.exported))
