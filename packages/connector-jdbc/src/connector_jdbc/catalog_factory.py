"""The options of a ``jdbc`` catalog, with Flink's names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_jdbc.catalog import JdbcCatalog
from connector_jdbc.database import Database
from connector_jdbc.options import PASSWORD, USERNAME
from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.factories import CatalogFactory, validate_options

BASE_URL = (
    ConfigOptions.key("base-url")
    .string_type()
    .no_default_value()
    .with_description(
        "The server: jdbc:postgresql://host:port, or a URL of libpq, such as postgresql://?host=/run/postgresql; a database in it is not used."
    )
)
DEFAULT_DATABASE = (
    ConfigOptions.key("default-database")
    .string_type()
    .no_default_value()
    .with_description("The database that becomes current with the catalog.")
)


class JdbcCatalogFactory(CatalogFactory):
    """Creates catalogs of the type ``jdbc``.

    Example:
        >>> JdbcCatalogFactory().factory_identifier
        'jdbc'
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "jdbc"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (BASE_URL, DEFAULT_DATABASE)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (USERNAME, PASSWORD)

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> JdbcCatalog:
        options = validate_options(context.options, self.required_options, self.optional_options, f"catalog '{context.name}'")
        database = options.get(DEFAULT_DATABASE)
        url = context.gate.url(options.get(BASE_URL), f"The option '{BASE_URL.key}' of catalog '{context.name}'")
        server = Database.of(url, options.get(USERNAME), options.get(PASSWORD)).with_name(database)
        login = {"password": server.password} if server.password is not None else {}
        return JdbcCatalog(context.name, server, database, login)
