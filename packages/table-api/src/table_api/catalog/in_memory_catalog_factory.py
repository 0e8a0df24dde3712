"""The options of a ``generic_in_memory`` catalog."""

from __future__ import annotations

from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog
from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import CatalogFactory, validate_options

DEFAULT_DATABASE = (
    ConfigOptions.key("default-database")
    .string_type()
    .default_value("default")
    .with_description("The database that exists from the beginning and becomes current with the catalog.")
)


class GenericInMemoryCatalogFactory(CatalogFactory):
    """Creates catalogs of the type ``generic_in_memory``.

    Source: Flink's ``org.apache.flink.table.catalog.GenericInMemoryCatalogFactory``.
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "generic_in_memory"

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[str]]:
        return (DEFAULT_DATABASE,)

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> GenericInMemoryCatalog:
        options = validate_options(context.options, (), self.optional_options, f"catalog '{context.name}'")
        database = options.get(DEFAULT_DATABASE)
        if not database:
            raise ValidationException(f"Option 'default-database' of catalog '{context.name}' is empty.")
        return GenericInMemoryCatalog(context.name, database)
