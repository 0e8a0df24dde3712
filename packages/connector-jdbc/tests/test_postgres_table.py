"""What the catalog of PostgreSQL says of a table."""

from __future__ import annotations

import pytest
from postgres_server import database, new_table, run

from connector_jdbc.postgres_table import load_table
from connector_jdbc.postgres_types import declared_type
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


def test_domains_over_domains_are_known() -> None:
    table = new_table("id int4")
    schema = table.partition(".")[0]
    run(
        f"CREATE DOMAIN {schema}.price AS numeric(9,2)",
        f"CREATE DOMAIN {schema}.discount AS {schema}.price",
        f"CREATE DOMAIN {schema}.marks AS int4[]",
        f"ALTER TABLE {table} ADD COLUMN d {schema}.discount, ADD COLUMN m {schema}.marks",
    )
    columns = load_table(database(), table).columns
    assert (columns["d"].type_name, columns["d"].digits, columns["d"].shown) == ("numeric", (9, 2), f"{schema}.discount")
    assert (columns["m"].type_name, columns["m"].is_array) == ("int4", True)


def test_a_type_with_the_name_of_one_of_postgresql_is_another_type() -> None:
    table = new_table("id int4")
    schema = table.partition(".")[0]
    run(
        f"CREATE TYPE {schema}.date AS ENUM ('today', 'later')",
        f"CREATE TYPE {schema}.text AS (a int4)",
        f"ALTER TABLE {table} ADD COLUMN e {schema}.date, ADD COLUMN es {schema}.date[], ADD COLUMN c {schema}.text",
    )
    columns = load_table(database(), table).columns
    assert [str(declared_type(columns[name])) for name in ("e", "es", "c")] == ["STRING", "ARRAY<STRING>", "None"]


def test_a_column_whose_rows_were_not_checked_can_have_null() -> None:
    table = new_table("a int4 NOT NULL, b int4")
    if run("SELECT current_setting('server_version_num')::int4")[0][0] >= 180000:
        run(f"INSERT INTO {table} VALUES (1, NULL)", f"ALTER TABLE {table} ADD CONSTRAINT later NOT NULL b NOT VALID")
    columns = load_table(database(), table).columns
    assert (columns["a"].not_null, columns["b"].not_null) == (True, False)


def test_the_keys_of_a_table_say_nothing_of_the_tables_that_inherit_from_it() -> None:
    parent = new_table("id int4 PRIMARY KEY, v int4 UNIQUE")
    assert load_table(database(), parent).unique_keys
    run(f"CREATE TABLE {parent}_too () INHERITS ({parent})")
    table = load_table(database(), parent)
    assert (table.primary_key, table.unique_keys) == ((), ())


def test_a_partitioned_table_has_its_key() -> None:
    table = new_table("id int4 PRIMARY KEY").replace(".tested", ".parts")
    run(f"CREATE TABLE {table} (id int4 PRIMARY KEY) PARTITION BY RANGE (id)", f"CREATE TABLE {table}_1 PARTITION OF {table} DEFAULT")
    assert load_table(database(), table).primary_key == ("id",)
