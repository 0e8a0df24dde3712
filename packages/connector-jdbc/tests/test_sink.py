"""What UPDATE and DELETE need, and what a sink says of itself."""

from __future__ import annotations

from typing import Any

import pytest
from postgres_server import new_table, server_url

from connector_jdbc import JdbcTableFactory
from table_common.catalog import Column
from table_common.connector import ChangelogMode
from table_common.exceptions import ValidationException
from table_common.types import IntType, VarCharType
from table_testing import ConnectorCase


class Keyed(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"
    primary_key = ("id",)


class Plain(Keyed):
    primary_key = ()


def sink_of(case: ConnectorCase, columns: str = "id int4 PRIMARY KEY, name text") -> Any:
    return case.sink({"url": server_url(), "table-name": new_table(columns)})


def test_a_table_with_a_key_takes_upserts_and_one_without_takes_insertions() -> None:
    assert sink_of(Keyed()).get_changelog_mode(ChangelogMode.all()) == ChangelogMode.upsert()
    assert sink_of(Plain()).get_changelog_mode(ChangelogMode.all()) == ChangelogMode.insert_only()


def test_update_needs_a_key() -> None:
    with pytest.raises(ValidationException, match="UPDATE needs a primary key to identify rows"):
        sink_of(Plain()).apply_row_level_update([Column.physical("name", VarCharType())], None)


@pytest.mark.parametrize("columns", ["id int4, name text", "id int4, name text, UNIQUE (id, name)"])
def test_update_and_delete_need_a_key_that_is_unique_in_postgresql(columns: str) -> None:
    with pytest.raises(ValidationException, match="no unique index over these columns") as caught:
        sink_of(Keyed(), columns).apply_row_level_delete(None)
    assert "CREATE UNIQUE INDEX ON" in (caught.value.hint or "")
    with pytest.raises(ValidationException, match="no unique index over these columns"):
        sink_of(Keyed(), columns).apply_row_level_update([Column.physical("name", VarCharType())], None)


def test_a_unique_index_is_a_key_for_update() -> None:
    sink_of(Keyed(), "id int4 UNIQUE, name text").apply_row_level_update([Column.physical("name", VarCharType())], None)


def test_a_key_that_is_read_with_fewer_digits_identifies_no_rows() -> None:
    class Rounded(Keyed):
        schema = "id DECIMAL(10, 2), name STRING"

    with pytest.raises(ValidationException, match=r"compares column 'id' \(DECIMAL\(10, 2\)"):
        sink_of(Rounded(), "id numeric(10,4) PRIMARY KEY, name text").apply_row_level_delete(None)
    for exact in ("numeric(10,2)", "numeric(8,0)", "numeric", "int4"):
        sink_of(Rounded(), f"id {exact} PRIMARY KEY, name text").apply_row_level_delete(None)


def test_update_cannot_set_the_key() -> None:
    with pytest.raises(ValidationException, match="UPDATE cannot set id of PostgreSQL's table"):
        sink_of(Keyed()).apply_row_level_update([Column.physical("id", IntType())], None)


def test_a_column_that_postgresql_computes_cannot_be_written() -> None:
    with pytest.raises(ValidationException, match="PostgreSQL computes the column name"):
        sink_of(Keyed(), "id int4 PRIMARY KEY, name text GENERATED ALWAYS AS ('x') STORED")
