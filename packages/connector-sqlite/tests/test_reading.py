"""Scans: values of other types, and splits by row ids."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from connector_sqlite import SqliteTableFactory
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase, read_rows


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


def test_the_error_of_values_of_another_kind_names_the_column(options: dict[str, str]) -> None:
    with pytest.raises(
        TableRuntimeException, match="Column 'id' of SQLite's table 't' is declared as BIGINT, stored as INTEGER, but has texts"
    ):
        read_rows(Case().source(options), Case().row_type)


def test_the_error_of_values_of_another_kind_has_a_query_that_finds_them(options: dict[str, str]) -> None:
    with pytest.raises(TableRuntimeException) as caught:
        read_rows(Case().source(options), Case().row_type)
    assert 'typeof("id")' in (caught.value.hint or "")


def test_a_partitioned_scan_of_a_view_is_refused_with_a_hint(options: dict[str, str]) -> None:
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE VIEW seen AS SELECT id, name FROM (SELECT DISTINCT id, name FROM t)")
    source = Case().source({**options, "table-name": "seen", "scan.partition.num": "2"})
    with pytest.raises(TableRuntimeException) as caught:
        read_rows(source, Case().row_type)
    assert "remove 'scan.partition.num'" in (caught.value.hint or "")
