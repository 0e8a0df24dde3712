"""The options of a ``spark`` catalog."""

from __future__ import annotations

from typing import Any

from table_api_bridge.catalog.session import session_of
from table_api_bridge.catalog.spark_catalog import SESSION_CATALOG, SparkCatalog
from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.factories import CatalogFactory, validate_options

NAME = (
    ConfigOptions.key("name")
    .string_type()
    .default_value(SESSION_CATALOG)
    .with_description("The catalog's name in Spark: 'spark_catalog', or that of an option spark.sql.catalog.<name>.")
)
DEFAULT_DATABASE = (
    ConfigOptions.key("default-database")
    .string_type()
    .default_value("default")
    .with_description("The database that becomes current with the catalog.")
)


class SparkCatalogFactory(CatalogFactory):
    """Creates catalogs of the type ``spark``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "spark"

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[Any], ...]:
        return (NAME, DEFAULT_DATABASE)

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> SparkCatalog:
        options = validate_options(context.options, (), self.optional_options, f"catalog '{context.name}'")
        return SparkCatalog(context.name, lambda: session_of(context), options.get(NAME), options.get(DEFAULT_DATABASE))
