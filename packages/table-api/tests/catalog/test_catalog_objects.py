"""Databases, tables, views and functions as every catalog of ours keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_api.catalog import GenericInMemoryCatalog, SqliteCatalog
from table_common.catalog import (
    Catalog,
    CatalogDatabase,
    CatalogFunction,
    CatalogTable,
    CatalogView,
    ObjectPath,
    Schema,
    TableDistribution,
)
from table_common.exceptions import CatalogException

SCHEMA = Schema.new_builder().column("a", "INT").build()
TABLE = CatalogTable(SCHEMA, "a table", {"connector": "x", "password": "${env:SECRET}"})
VIEW = CatalogView(SCHEMA, None, {}, "SELECT a FROM t", "SELECT a FROM `c`.`d`.`t`")
FULL = CatalogTable(
    Schema.new_builder()
    .column("id", "BIGINT NOT NULL")
    .with_comment("the key")
    .column_by_expression("twice", "id * 2")
    .column_by_metadata("m", "STRING", "key", True)
    .column("ts", "TIMESTAMP(3)")
    .watermark("ts", "ts - INTERVAL '5' SECOND")
    .primary_key("id")
    .build(),
    "käse",
    {"k": "v'"},
    ("id",),
    TableDistribution("HASH", ("id",), 4),
)
PATH = ObjectPath("d", "t")


@pytest.fixture(params=["generic_in_memory", "sqlite"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    made: Catalog = GenericInMemoryCatalog("c", "d") if request.param == "generic_in_memory" else SqliteCatalog("c", tmp_path / "c.db", "d")
    made.open()
    yield made
    made.close()


def test_catalog_begins_with_its_default_database(catalog: Catalog) -> None:
    assert (catalog.list_databases(), catalog.default_database, catalog.get_database("d")) == (["d"], "d", CatalogDatabase())


def test_database_keeps_properties_and_comment(catalog: Catalog) -> None:
    catalog.create_database("e", CatalogDatabase({"k": "v"}, "hello"), False)
    catalog.alter_database("e", CatalogDatabase({"k": "w"}, "hello"), False)
    assert catalog.get_database("e") == CatalogDatabase({"k": "w"}, "hello")


def test_database_that_is_not_empty_is_dropped_with_cascade_only(catalog: Catalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    catalog.create_function(ObjectPath("d", "f"), CatalogFunction("m.F"), False)
    with pytest.raises(CatalogException, match="it contains 1 tables and views and 1 functions"):
        catalog.drop_database("d", False)
    catalog.drop_database("d", False, cascade=True)
    assert not catalog.database_exists("d")


@pytest.mark.parametrize("table", [TABLE, VIEW, FULL, CatalogTable(Schema())])
def test_tables_and_views_are_kept_as_they_are(catalog: Catalog, table: CatalogTable | CatalogView) -> None:
    catalog.create_table(PATH, table, False)
    assert (catalog.get_table(PATH), catalog.find_table(PATH)) == (table, table)


def test_views_are_listed_among_tables(catalog: Catalog) -> None:
    catalog.create_table(ObjectPath("d", "v"), VIEW, False)
    catalog.create_table(PATH, TABLE, False)
    assert (catalog.list_tables("d"), catalog.list_views("d")) == (["t", "v"], ["v"])


def test_altered_table_is_the_new_one(catalog: Catalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    catalog.alter_table(PATH, FULL, False)
    assert catalog.get_table(PATH) == FULL


def test_table_cannot_become_a_view(catalog: Catalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    with pytest.raises(CatalogException, match="is a table and cannot become a view"):
        catalog.alter_table(PATH, VIEW, False)


def test_renamed_table_has_the_new_name_only(catalog: Catalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    catalog.rename_table(PATH, "u", False)
    assert catalog.list_tables("d") == ["u"]


def test_table_cannot_be_renamed_to_one_that_exists(catalog: Catalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    catalog.create_table(ObjectPath("d", "u"), TABLE, False)
    with pytest.raises(CatalogException, match=r"d\.u exists already"):
        catalog.rename_table(PATH, "u", False)


def test_function_is_created_altered_and_dropped(catalog: Catalog) -> None:
    path = ObjectPath("d", "f")
    catalog.create_function(path, CatalogFunction("m.F"), False)
    catalog.alter_function(path, CatalogFunction("m.G", description="d"), False)
    assert (catalog.list_functions("d"), catalog.get_function(path)) == (["f"], CatalogFunction("m.G", description="d"))
    catalog.drop_function(path, False)
    assert not catalog.function_exists(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c, ignore: c.create_database("d", CatalogDatabase(), ignore), "Database 'd' exists already"),
        (lambda c, ignore: c.create_table(PATH, VIEW, ignore), r"d\.t exists already"),
        (lambda c, ignore: c.create_function(ObjectPath("d", "f"), CatalogFunction("m.G"), ignore), r"d\.f exists already"),
        (lambda c, ignore: c.alter_database("dd", CatalogDatabase(), ignore), "Database 'dd' does not exist .* Did you mean 'd'"),
        (lambda c, ignore: c.drop_database("dd", ignore), "Database 'dd' does not exist"),
        (lambda c, ignore: c.alter_table(ObjectPath("d", "tt"), TABLE, ignore), "Table 'tt' does not exist in c.d. Did you mean 't'"),
        (lambda c, ignore: c.rename_table(ObjectPath("d", "tt"), "x", ignore), "Table 'tt' does not exist"),
        (lambda c, ignore: c.drop_table(ObjectPath("d", "tt"), ignore), "Table 'tt' does not exist"),
        (lambda c, ignore: c.alter_function(ObjectPath("d", "ff"), CatalogFunction("m.G"), ignore), "Function 'ff' does not exist in c.d"),
        (lambda c, ignore: c.drop_function(ObjectPath("d", "ff"), ignore), "Function 'ff' does not exist"),
    ],
)
def test_what_exists_or_is_missing_is_an_error_or_ignored(catalog: Catalog, call: Callable[[Catalog, bool], None], message: str) -> None:
    catalog.create_table(PATH, TABLE, False)
    catalog.create_function(ObjectPath("d", "f"), CatalogFunction("m.F"), False)
    with pytest.raises(CatalogException, match=message):
        call(catalog, False)
    call(catalog, True)
    assert (catalog.get_table(PATH), catalog.get_function(ObjectPath("d", "f"))) == (TABLE, CatalogFunction("m.F"))


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.list_tables("nope"),
        lambda c: c.list_views("nope"),
        lambda c: c.list_functions("nope"),
        lambda c: c.create_table(ObjectPath("nope", "t"), TABLE, True),
        lambda c: c.create_function(ObjectPath("nope", "f"), CatalogFunction("m.F"), True),
    ],
)
def test_missing_database_is_an_error(catalog: Catalog, call: Callable[[Catalog], object]) -> None:
    with pytest.raises(CatalogException, match=r"Database 'nope' does not exist in catalog 'c'. Available: d"):
        call(catalog)
