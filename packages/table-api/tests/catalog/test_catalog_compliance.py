"""The catalogs of this distribution keep to the contract of catalogs."""

from __future__ import annotations

from pathlib import Path

from table_api.catalog import GenericInMemoryCatalog, SqliteCatalog
from table_common.catalog import Catalog
from table_testing import CatalogCompliance
from table_testing.catalog_case import FAMILIES


class TestGenericInMemoryCatalog(CatalogCompliance):
    families = FAMILIES

    def create_catalog(self, folder: Path) -> Catalog:
        return GenericInMemoryCatalog("c")


class TestSqliteCatalog(CatalogCompliance):
    persists = True

    def create_catalog(self, folder: Path) -> Catalog:
        return SqliteCatalog("c", folder / "catalog.db")
