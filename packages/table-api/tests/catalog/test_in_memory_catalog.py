"""What is particular to the catalog in memory: objects are kept as they are, and transactions roll back."""

from __future__ import annotations

import pytest

from table_api.catalog import GenericInMemoryCatalog, GenericInMemoryCatalogFactory
from table_common.catalog import CatalogDatabase, CatalogTable, ObjectPath, Schema
from table_common.configuration import Configuration
from table_common.exceptions import CatalogException, ValidationException
from table_common.factories import CatalogFactory

TABLE = CatalogTable(Schema.new_builder().column("a", "INT").build(), None, {"connector": "x"})
PATH = ObjectPath("default", "t")


@pytest.fixture
def catalog() -> GenericInMemoryCatalog:
    return GenericInMemoryCatalog("c")


def test_a_table_is_the_same_object_each_time(catalog: GenericInMemoryCatalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    assert catalog.get_table(PATH) is TABLE


def test_an_error_in_a_transaction_rolls_back(catalog: GenericInMemoryCatalog) -> None:
    def fail() -> None:
        with catalog.transaction():
            catalog.create_database("d", CatalogDatabase(), False)
            catalog.create_table(PATH, TABLE, False)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert catalog.list_databases() == ["default"]
    assert not catalog.table_exists(PATH)


def test_a_nested_transaction_belongs_to_the_outermost(catalog: GenericInMemoryCatalog) -> None:
    def fail() -> None:
        with catalog.transaction():
            with catalog.transaction():
                catalog.create_table(PATH, TABLE, False)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not catalog.table_exists(PATH)


def test_a_database_with_tables_is_dropped_with_cascade_only(catalog: GenericInMemoryCatalog) -> None:
    catalog.create_table(PATH, TABLE, False)
    with pytest.raises(CatalogException, match="is not empty"):
        catalog.drop_database("default", False)
    catalog.drop_database("default", False, cascade=True)
    assert not catalog.table_exists(PATH)


def test_the_default_database_is_an_option() -> None:
    context = CatalogFactory.Context("c", {"default-database": "work"}, Configuration(), {})
    assert GenericInMemoryCatalogFactory().create_catalog(context).default_database == "work"


def test_an_empty_default_database_is_refused() -> None:
    context = CatalogFactory.Context("c", {"default-database": ""}, Configuration(), {})
    with pytest.raises(ValidationException, match="'default-database' of catalog 'c' is empty"):
        GenericInMemoryCatalogFactory().create_catalog(context)
