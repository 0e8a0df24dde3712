"""What the catalog of PostgreSQL says of a table."""

from __future__ import annotations

import pytest
from postgres_server import database, new_table, run

from connector_jdbc.postgres_table import load_table
from table_common.exceptions import ValidationException


def test_columns_have_their_types_and_modifiers() -> None:
    table = load_table(
        database(), new_table("a numeric(12,3) NOT NULL, b varchar(7)[], c int4 GENERATED ALWAYS AS (1) STORED, d numeric(3,-2)")
    )
    columns = table.columns
    assert (columns["a"].type_name, columns["a"].digits, columns["a"].not_null) == ("numeric", (12, 3), True)
    assert (columns["b"].type_name, columns["b"].is_array, columns["b"].shown) == ("varchar", True, "character varying(7)[]")
    assert columns["c"].is_generated
    assert columns["d"].digits == (3, -2)


def test_keys_are_found_in_their_order() -> None:
    table = load_table(database(), new_table("a int4, b int4, c int4 UNIQUE, CONSTRAINT both_keys PRIMARY KEY (b, a)"))
    assert (table.primary_key, table.primary_key_name) == (("b", "a"), "both_keys")
    assert set(table.unique_keys) == {("b", "a"), ("c",)}


def test_views_and_domains_are_known() -> None:
    schema = new_table("id int4").partition(".")[0]
    run(f"CREATE DOMAIN {schema}.price AS numeric(9,2)", f"CREATE VIEW {schema}.seen AS SELECT 1::{schema}.price AS p")
    view = load_table(database(), f"{schema}.seen")
    assert view.is_view
    assert (view.columns["p"].type_name, view.columns["p"].digits) == ("numeric", (9, 2))
    assert view.estimated_rows is None


def test_columns_know_whether_their_collation_is_deterministic() -> None:
    table = new_table("id int4")
    schema = table.partition(".")[0]
    run(
        f"""CREATE COLLATION {schema}.loose FROM "C" """,
        # Not every server is built with ICU, whose collations alone can be declared so.
        f"UPDATE pg_collation SET collisdeterministic = FALSE WHERE oid = '{schema}.loose'::regcollation",
        f'ALTER TABLE {table} ADD COLUMN a text COLLATE {schema}.loose, ADD COLUMN b text, ADD COLUMN c text COLLATE "C"',
    )
    columns = load_table(database(), table).columns
    assert {name: column.is_deterministic for name, column in columns.items()} == {"id": True, "a": False, "b": True, "c": True}


def test_a_name_that_postgresql_would_cut_is_unknown() -> None:
    schema = new_table("id int4").partition(".")[0]
    name = "y" * 63
    run(f"CREATE TABLE {schema}.{name} (id int4)")
    assert load_table(database(), f"{schema}.{name}").name == name
    with pytest.raises(ValidationException, match="does not exist"):
        load_table(database(), f"{schema}.{name}y")
