from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from cdc_server import Scan, new_table, provider_of, run, server, source_of

from connector_postgres_cdc.tables import require_version
from table_common.exceptions import ValidationException


def test_what_the_log_has_of_a_table() -> None:
    table = new_table("id int4, part int8, v varchar(7), PRIMARY KEY (part, id)", full=False)
    (found,) = source_of(table, "id INT NOT NULL, part BIGINT NOT NULL", ("id", "part")).capture.tables
    assert (found.shown, found.key, found.is_full, found.identity) == (table, "part", False, ("id", "part"))
    assert found.types["v"] == (1043, 11)
    run(f"CREATE UNIQUE INDEX other ON {table} (id)", f"ALTER TABLE {table} ALTER id SET NOT NULL, REPLICA IDENTITY USING INDEX other")
    (found,) = source_of(table, "id INT NOT NULL", ("id",)).capture.tables
    assert (found.key, found.identity) == (None, ("id",)), "the log has no key of deletions"


def test_tables_that_inherit_are_tables_of_their_own() -> None:
    table = new_table("id int PRIMARY KEY", "INSERT INTO {t} VALUES (1)")
    run(f"CREATE TABLE {table}_heir (PRIMARY KEY (id)) INHERITS ({table})", f"ALTER TABLE {table}_heir REPLICA IDENTITY FULL")
    run(f"INSERT INTO {table}_heir VALUES (2)")
    with pytest.raises(ValidationException, match="inherits from PostgreSQL's table") as caught:
        source_of(table, "id INT NOT NULL", ("id",))
    assert "'table-name' = 'tested|tested_heir'" in (caught.value.hint or "")
    scan = Scan(provider_of(f"{table}|tested_heir", "id INT NOT NULL", ("id",)))
    assert sorted(scan.next()) == [("+I", 1), ("+I", 2)]
    run(f"INSERT INTO {table}_heir VALUES (3)", f"DELETE FROM {table} WHERE id = 2", f"DELETE FROM {table} WHERE id = 1")
    assert scan.next() == [("+I", 3), ("-D", 2), ("-D", 1)]
    scan.close()


def test_an_old_server_is_refused() -> None:
    session = SimpleNamespace(rows=lambda sql: [(130_005, "13.5")])
    with pytest.raises(ValidationException, match=r"runs PostgreSQL 13\.5; the connector 'postgres-cdc' needs PostgreSQL 14"):
        require_version(cast("Any", session), server().database())
