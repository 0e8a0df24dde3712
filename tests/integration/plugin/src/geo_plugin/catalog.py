"""The catalog ``geo``: one database with one table, which nobody can change."""

from __future__ import annotations

from typing_extensions import override

from table_common.catalog import Catalog, CatalogBaseTable, CatalogDatabase, CatalogTable, ObjectPath, Schema
from table_common.exceptions import CatalogException
from table_common.factories import CatalogFactory, validate_options
from table_common.types import DataTypes

__all__ = ["GeoCatalog", "GeoCatalogFactory"]

_DATABASE = "earth"
_CITIES = ObjectPath(_DATABASE, "cities")


class GeoCatalog(Catalog):
    """``earth.cities``: what the connector of this distribution has."""

    @property
    @override
    def default_database(self) -> str:
        return _DATABASE

    @override
    def list_databases(self) -> list[str]:
        return [_DATABASE]

    @override
    def database_exists(self, database_name: str) -> bool:
        return database_name == _DATABASE

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        if not self.database_exists(database_name):
            raise CatalogException.unknown("Database", database_name, self.list_databases())
        return CatalogDatabase()

    @override
    def list_tables(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return [_CITIES.object_name]

    @override
    def list_views(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return []

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path == _CITIES

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        if not self.table_exists(table_path):
            raise CatalogException.unknown("Table", table_path.object_name, [_CITIES.object_name])
        builder = Schema.new_builder().column("name", DataTypes.STRING())
        schema = builder.column("lat", DataTypes.DOUBLE()).column("lon", DataTypes.DOUBLE()).build()
        return CatalogTable(schema, options={"connector": "geo-cities"})


class GeoCatalogFactory(CatalogFactory):
    """Makes the catalog; it takes no options."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "geo"

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> Catalog:
        validate_options(context.options, (), (), f"catalog '{context.name}'")
        return GeoCatalog()
